"""Where the tasks of a run stand: figures without a look."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from core.ledger import ToolCall
from core.models.model_call import ModelCall, Usage
from core.runs.results import TaskResult
from core.runs.task import TaskInfo
from core.runs.turn import Turn
from core.runs.turn_context import Decision
from core.terminal.figures import known_sum

FAILED_KEPT = 20
"""Failed tasks that are kept for showing, the newest ones; all are counted."""
TOLD_FROM = 5
"""Tasks that must be done before the rest can be guessed at."""


@dataclass(frozen=True)
class Spent:
    """Tokens and dollars of model calls; None is unknown."""

    usage: Usage = field(default_factory=Usage.nothing)
    dollars: float | None = 0.0

    def plus(self, call: ModelCall) -> Spent:
        """With one more call."""
        return Spent(self.usage + call.usage, known_sum((self.dollars, call.cost_usd)))


@dataclass(frozen=True)
class Running:
    """One task under way."""

    task: TaskInfo
    began: float
    """By the clock of the state."""
    turn: int = 0
    """The turn that has begun; 0: none that anybody knows of."""
    turns_done: int = 0
    thought: str = ""
    state: str = ""
    """As it was last seen, in a few words; "" is unknown."""
    spent: Spent = field(default_factory=Spent)


@dataclass(frozen=True)
class Snapshot:
    """All that can be shown at one moment."""

    total: int = 0
    """Tasks of the run; 0 is unknown."""
    done: int = 0
    passed: int = 0
    failed: int = 0
    harm: int = 0
    spent: Spent = field(default_factory=Spent)
    seconds: float = 0.0
    left: float | None = None
    """Seconds that the rest will take, where that can be told."""
    running: tuple[Running, ...] = ()
    """In the order in which they began."""
    failures: tuple[TaskResult, ...] = ()
    """The newest first."""
    now: float = 0.0


class ProgressState:
    """Keeps what is known of a run's tasks; safe to use from several threads.

    Tokens and dollars are of calls that were seen here: what a resumed task had spent before is
    in its result and in no figure of this.
    """

    def __init__(
        self,
        in_words: Callable[[str], str] = lambda _state: "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``in_words``: a state in a few words, "" where there are none."""
        self._in_words = in_words
        self._clock = clock
        self._began = clock()
        self._lock = threading.Lock()
        self._running: dict[str, Running] = {}
        self._sums = Snapshot()
        self._kept = 0

    def expect(self, total: int, kept: Sequence[TaskResult] = ()) -> None:
        """There are so many tasks to play, behind those of before, and the time begins now."""
        with self._lock:
            self._kept, self._began = len(kept), self._clock()
            self._sums = replace(self._sums, total=total + len(kept))
            for result in kept:
                self._count(result)

    def task_started(self, task: TaskInfo) -> None:
        """A task begins."""
        with self._lock:
            self._running[task.task_id] = Running(task, self._clock())

    def call_done(self, task: TaskInfo, call: ModelCall) -> None:
        """A model was asked: the next turn has begun, at the latest."""
        with self._lock:
            self._sums = replace(self._sums, spent=self._sums.spent.plus(call))
            if row := self._running.get(task.task_id):
                spent = row.spent.plus(call)
                self._running[task.task_id] = replace(row, spent=spent, turn=row.turns_done + 1)

    def decided(self, task: TaskInfo, number: int, decision: Decision) -> None:
        """Nothing: the line of a task shows what its last turn has thought."""

    def tool_called(self, task: TaskInfo, call: ToolCall) -> None:
        """Nothing: the line of a task shows what its last turn has thought."""

    def turn_done(self, task: TaskInfo, turn: Turn) -> None:
        """A turn is over."""
        state = self._in_words(turn.state)
        with self._lock:
            if row := self._running.get(task.task_id):
                self._running[task.task_id] = replace(
                    row,
                    turn=turn.number,
                    turns_done=turn.number,
                    thought=turn.decision.thought,
                    state=state or row.state,
                )

    def ended(self, result: TaskResult) -> tuple[int, int]:
        """A task is over; how many are, and of how many."""
        with self._lock:
            self._running.pop(result.task_id, None)
            self._count(result)
            return self._sums.done, self._sums.total

    def _count(self, result: TaskResult) -> None:
        sums, failed = self._sums, result.failed
        self._sums = replace(
            sums,
            done=sums.done + 1,
            passed=sums.passed + result.passed,
            failed=sums.failed + failed,
            harm=sums.harm + (failed and result.harm is True),
            failures=(*([result] if failed else ()), *sums.failures)[:FAILED_KEPT],
        )

    def view(self) -> Snapshot:
        """Everything as it is now."""
        with self._lock:
            now = self._clock()
            seconds, running = now - self._began, tuple(self._running.values())
            left = self._left(seconds)
            return replace(self._sums, seconds=seconds, left=left, running=running, now=now)

    def _left(self, seconds: float) -> float | None:
        """A guess needs some tasks behind it, and more of them than are under way."""
        done, rest = self._sums.done - self._kept, self._sums.total - self._sums.done
        if rest <= 0 or done < max(TOLD_FROM, 2 * len(self._running)):
            return None
        return seconds / done * rest
