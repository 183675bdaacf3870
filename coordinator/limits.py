"""What ends a run early: limits, the user, and repeated external failures."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType

from coordinator.config import Limits
from core.models.model_call import ModelCall, Usage
from core.runs.journal import JournalFailed
from core.runs.results import Failure, TaskResult

CAUTIOUS_TOKENS = 20_000
"""Tokens counted for a call of unknown size, unless a larger call is known."""
WORDS: dict[Failure, str] = {
    "model": "because the model did not answer",
    "benchmark": "because the platform did not answer",
    "internal": "with an internal error",
    "reply": "without a reply that could be read",
}
"""Reasons that will meet the next task, too."""


@contextmanager
def handle_signals(
    numbers: Iterable[signal.Signals], asked: Callable[[int, FrameType | None], None]
) -> Iterator[None]:
    """While this lasts these signals call ``asked``; one that is ignored stays ignored."""
    handled = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    before = [(number, signal.signal(number, asked)) for number in handled]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


class Halt(Exception):
    """A task goes no further, by a limit or by its user's request; it is closed properly."""


class LimitReached(Halt):
    """A limit is reached; the text says which."""

    option: str = ""
    """The option that raises it, with a value twice as high; "" where none would help."""


class Meter:
    """Counts what was spent against limits. Thread-safe.

    Calls of unknown size or price count as the largest known one, so that a limit holds
    even if a provider reports nothing. An answer whose price is unknown before any price is known
    ends what has a limit of dollars: nobody can say how much of it is left.
    """

    def __init__(
        self, limits: Limits, whose: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """``whose``: "task" or "run", for the text."""
        self._limits = limits
        self._whose = whose
        self._clock = clock
        self._began = clock()
        self._tokens = 0
        self._dollars = 0.0
        self._largest_tokens = CAUTIOUS_TOKENS
        self._largest_dollars: float | None = None
        self._unpriced = 0
        """Calls of unknown price."""
        self._answered_unpriced = False
        self._lock = threading.Lock()

    def add(self, call: ModelCall) -> None:
        """Count one call."""
        self.count(call.usage, call.cost_usd)
        # Nothing is known of an attempt that failed, and another one follows it.
        if call.error is None and call.cost_usd is None:
            with self._lock:
                self._answered_unpriced = True

    def count(self, usage: Usage, dollars: float | None) -> None:
        """Count what a call, or a task of an earlier part of the run, has used."""
        known = usage.prompt is not None and usage.completion is not None
        tokens = (usage.prompt or 0) + (usage.completion or 0)
        with self._lock:
            self._tokens += tokens if known else self._largest_tokens
            self._largest_tokens = max(self._largest_tokens, tokens)
            if dollars is None:
                self._unpriced += 1
            else:
                self._dollars += dollars
                self._largest_dollars = max(self._largest_dollars or 0.0, dollars)

    def lived(self, seconds: float) -> None:
        """Add the time of an earlier part of the run; the pause in between does not count."""
        with self._lock:
            self._began -= max(seconds, 0.0)

    def check(self) -> None:
        """Raises LimitReached when something is used up; asked before every model call."""
        with self._lock:
            dollars = self._dollars + self._unpriced * (self._largest_dollars or 0.0)
            spent = (
                ("seconds", self._clock() - self._began, self._limits.seconds),
                ("tokens", self._tokens, self._limits.tokens),
                ("dollars", dollars, self._limits.dollars),
            )
            unpriced = self._answered_unpriced and self._largest_dollars is None
        for name, used, limit in spent:
            if limit is not None and used >= limit:
                reached = LimitReached(
                    f"limit reached: {limit:g} {name} for a {self._whose} ({used:.6g} used)"
                )
                more = round(2 * max(limit, used), 2) or 1
                reached.option = f"--max-{name} {more:.12g}"
                raise reached
        if unpriced and self._limits.dollars is not None:
            raise LimitReached(
                f"the limit of {self._limits.dollars:g} dollars for a {self._whose} cannot be "
                "enforced: the model's reply states no cost, and its price is unknown"
            )


class CancelToken:
    """The request of a user that a run ends: tasks under way are closed, no new ones begin."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._broken: str | None = None

    def break_off(self, why: str) -> None:
        """The journal failed: tasks under way are left as they are, for a resumption."""
        self._broken = why
        self.request()

    def request(self) -> None:
        """Request the end; the calls under way are finished."""
        self._event.set()

    @property
    def requested(self) -> bool:
        """Whether the end is requested."""
        return self._event.is_set()

    def wait(self, seconds: float) -> None:
        """Wait, but not longer than until the end is requested."""
        self._event.wait(seconds)

    def check(self) -> None:
        """Raises Halt if the end is requested, JournalFailed if the run cannot continue."""
        if self._broken:
            raise JournalFailed(self._broken)
        if self.requested:
            raise Halt("interrupted by the user")


class Breaker:
    """Stops a run whose tasks end for the same such reason, one after the other, over all jobs.

    Safe to use from several threads.
    """

    def __init__(self, limit: int) -> None:
        """``limit``: so many in a row; 0 switches it off."""
        self._limit = limit
        self._reason: Failure | None = None
        self._row = 0
        self._lock = threading.Lock()
        self.broken: str | None = None
        """What ended the run, in words; None if it may continue."""

    def count(self, result: TaskResult) -> None:
        """Count a task that is over."""
        with self._lock:
            reason = result.failure if result.failure in WORDS else None
            self._row = self._row + 1 if reason == self._reason else 1
            self._reason = reason
            if reason and self._limit and self._row >= self._limit and not self.broken:
                self.broken = f"{self._row} tasks in a row ended {WORDS[reason]}"
