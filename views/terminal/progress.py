"""The live view of a run: moving lines on a terminal, one plain line a task anywhere else."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from rich.console import Console, RenderableType
from rich.live import Live
from rich.text import Text

from models.records import ModelCall
from runs.results import TaskResult
from runs.story import HARM
from runs.task import TaskInfo
from runs.turn import Turn
from views.terminal.progress_state import Board
from views.terminal.screen import finished_line, screen
from worker.sandbox.values import clean

PER_SECOND = 4
"""How often the moving lines are drawn; numbers that flicker cannot be read."""


class Progress:
    """Shows a run on a console while it goes on."""

    def __init__(
        self,
        console: Console,
        brief: Callable[[str], str] = lambda _state: "",
        harm_name: str = HARM,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``brief``: a benchmark's state in a few words, "" where there are none."""
        self._console = console
        self._harm_name = harm_name
        self._board = Board(brief, clock)
        self._lock = threading.Lock()
        moves = console.is_terminal and not console.is_dumb_terminal and not console.quiet
        self._live = (
            Live(
                console=console,
                get_renderable=self.screen,
                refresh_per_second=PER_SECOND,
                transient=True,
            )
            if moves
            else None
        )

    def __enter__(self) -> Progress:
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        if self._live:
            self._live.stop()

    def screen(self) -> RenderableType:
        """The moving lines as they are now."""
        width, height = self._console.size
        return screen(self._board.view(), width, height - 1, self._harm_name)

    def expect(self, total: int) -> None:
        """Say how many tasks there are."""
        self._board.expect(total)

    def task_started(self, task: TaskInfo) -> None:
        """Show a task as running."""
        self._board.started(task)

    def call_done(self, task: TaskInfo, call: ModelCall) -> None:
        """Add what a model call has cost."""
        self._board.called(task, call)

    def turn_done(self, task: TaskInfo, turn: Turn) -> None:
        """Show what was thought, and the state that it was thought about."""
        self._board.turned(task, turn)

    def task_done(self, result: TaskResult) -> None:
        """Print the task's line, with its error, and drop it from the running ones."""
        with self._lock:
            done, total = self._board.ended(result)
            self._print(finished_line(result, done, total, self._harm_name))
            if result.error:
                self._print(f"    {clean(result.error)}")
        if self._live:
            # What was printed stands above the lines of before it.
            self._live.refresh()

    def _print(self, line: str) -> None:
        # A pipe has no width: what is cut there is lost.
        self._console.print(Text(line), soft_wrap=not self._console.is_terminal, highlight=False)
