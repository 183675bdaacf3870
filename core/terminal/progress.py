"""The live view of a run: moving lines on a terminal, one plain line a task anywhere else."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from rich.console import Console, RenderableType
from rich.live import Live
from rich.text import Text

from core.runs.results import TaskResult
from core.runs.task_record import HARM
from core.terminal.progress_state import ProgressState
from core.terminal.screen import error_line, finished_line, screen

PER_SECOND = 4
"""How often the moving lines are drawn; numbers that flicker cannot be read."""


class Progress(ProgressState):
    """Shows a run on a console while it goes on."""

    def __init__(
        self,
        console: Console,
        in_words: Callable[[str], str] = lambda _state: "",
        harm_name: str = HARM,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``in_words``: a benchmark's state in a few words, "" where there are none."""
        super().__init__(in_words, clock)
        self._console = console
        self._harm_name = harm_name
        self._printing = threading.Lock()
        self._live: Live | None = None
        if console.is_terminal and not console.is_dumb_terminal and not console.quiet:
            self._live = Live(
                console=console,
                get_renderable=self.screen,
                refresh_per_second=PER_SECOND,
                transient=True,
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
        return screen(self.view(), width, height - 1, self._harm_name)

    def task_done(self, result: TaskResult) -> None:
        """Print the task's line, with its error, and drop it from the running ones."""
        with self._printing:
            done, total = self.ended(result)
            width = self._console.width if self._console.is_terminal else None
            self._print(finished_line(result, done, total, self._harm_name, width))
            if result.error:
                self._print(error_line(result.error))
        if self._live:
            # What was printed stands above the lines of before it.
            self._live.refresh()

    def _print(self, line: Text) -> None:
        # A pipe has no width: what is cut there is lost.
        if self._console.is_terminal:
            self._console.print(line, no_wrap=True, overflow="ellipsis", highlight=False)
        else:
            self._console.print(line, soft_wrap=True, highlight=False)
