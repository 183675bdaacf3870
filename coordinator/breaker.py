"""Stops a run whose tasks keep ending for a reason that is none of the agent's."""

from __future__ import annotations

import threading

from runs.results import Failure, TaskResult

WORDS: dict[Failure, str] = {
    "model": "without an answer of the model",
    "benchmark": "without an answer of the platform",
    "internal": "with an internal error",
}
"""Reasons outside of the agent that will meet the next task, too."""


class Breaker:
    """Counts tasks that ended for the same reason, one after the other, over all jobs.

    Until a first sign that things work, no more tasks are under way than may fail, however many
    jobs there are: those behind them wait. Safe to use from several threads.
    """

    def __init__(self, limit: int) -> None:
        """``limit``: so many in a row; 0 switches it off."""
        self._limit = limit
        self._reason: Failure | None = None
        self._row = 0
        self._under_way = 0
        self._proven = not limit
        self._released = False
        self._changed = threading.Condition()
        self.broken: str | None = None
        """What happened, in words, once it has; None where the run may go on."""

    def admits(self) -> bool:
        """Whether a task may begin; waits where too many are under way before a sign of life."""
        with self._changed:
            self._changed.wait_for(self._decided)
            if self.broken or self._released:
                return False
            self._under_way += 1
            return True

    def alive(self) -> None:
        """A model has answered: tasks need not wait for one another any more."""
        if not self._proven:
            with self._changed:
                self._proven = True
                self._changed.notify_all()

    def ended(self, result: TaskResult) -> None:
        """Count a task that is over."""
        with self._changed:
            reason = result.failure if result.failure in WORDS else None
            self._row = self._row + 1 if reason == self._reason else 1
            self._reason = reason
            self._under_way -= 1
            self._proven = self._proven or reason is None
            if reason and self._limit and self._row >= self._limit and not self.broken:
                self.broken = f"{self._row} tasks in a row ended {WORDS[reason]}"
            self._changed.notify_all()

    def release(self) -> None:
        """The run ends: nobody waits any longer, and nothing more begins."""
        with self._changed:
            self._released = True
            self._changed.notify_all()

    def _decided(self) -> bool:
        """Whether a task that waits can be told to begin, or never to."""
        in_row = self._row if self._reason else 0
        room = in_row + self._under_way < self._limit
        return bool(self._proven or self._released or self.broken or room)
