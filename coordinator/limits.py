"""Limits of seconds, tokens and dollars, for a task and for a run; and the wish to stop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from coordinator.config import Limits
from models.model_call import ModelCall, Usage
from runs.journal import JournalFailed

CAUTIOUS_TOKENS = 20_000
"""What a call of unknown size counts where no larger one is known."""


class Halt(Exception):
    """A task goes no further, by a limit or by its user's wish; it is closed properly."""


class LimitReached(Halt):
    """A limit is reached; the text says which."""


class Interrupted(Halt):
    """The user wants the run to end."""


class Meter:
    """What was spent so far against limits. Safe to use from several threads.

    Calls of unknown size or price count as the largest one that is known, so that a limit holds
    also where a provider tells nothing.
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
        self._largest_dollars = 0.0
        self._lock = threading.Lock()

    def add(self, call: ModelCall) -> None:
        """Count one call."""
        self.count(call.usage, call.cost_usd)

    def count(self, usage: Usage, dollars: float | None) -> None:
        """Count what a call, or a task of an earlier part of the run, has used."""
        known = usage.prompt is not None and usage.completion is not None
        tokens = (usage.prompt or 0) + (usage.completion or 0)
        with self._lock:
            self._tokens += tokens if known else self._largest_tokens
            self._dollars += self._largest_dollars if dollars is None else dollars
            self._largest_tokens = max(self._largest_tokens, tokens)
            self._largest_dollars = max(self._largest_dollars, dollars or 0.0)

    def lived(self, seconds: float) -> None:
        """Count the time of an earlier part of the run; what lay between the parts is none."""
        with self._lock:
            self._began -= max(seconds, 0.0)

    def check(self) -> None:
        """Raises LimitReached when something is used up; asked before every model call."""
        with self._lock:
            spent = (
                ("seconds", self._clock() - self._began, self._limits.seconds),
                ("tokens", self._tokens, self._limits.tokens),
                ("dollars", self._dollars, self._limits.dollars),
            )
        for name, used, limit in spent:
            if limit is not None and used >= limit:
                raise LimitReached(
                    f"limit reached: {limit:g} {name} for a {self._whose} ({used:.6g} used)"
                )


class Stop:
    """The wish of a user that a run ends: tasks under way are closed, no new ones begin."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._broken: str | None = None

    def break_off(self, why: str) -> None:
        """The journal failed: tasks under way are left as they are, for a resumption."""
        self._broken = why
        self.ask()

    def ask(self) -> None:
        """Wish the end; the calls under way are finished."""
        self._event.set()

    @property
    def asked(self) -> bool:
        """Whether the end is wished."""
        return self._event.is_set()

    def wait(self, seconds: float) -> None:
        """Wait, but not longer than until the end is wished."""
        self._event.wait(seconds)

    def check(self) -> None:
        """Raises Interrupted where the end is wished, JournalFailed where nothing may be done."""
        if self._broken:
            raise JournalFailed(self._broken)
        if self.asked:
            raise Interrupted("interrupted by the user")
