"""Decides which failures of a model are retried, when, and which backend is next."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Collection, Sequence

from tenacity import RetryCallState, wait_exponential, wait_random

from core.models.errors import AGAIN
from core.models.model_call import ErrorKind, ExchangeFailed

WAIT = wait_exponential(multiplier=1, max=20) + wait_random(0, 1)
RATE_LIMIT_ATTEMPTS = 8
"""The pauses between so many are 71 s or more, and limits are counted by the minute."""
RETRY_SECONDS = 5.0
"""A longer pause is not waited for while another backend is well."""
SPREAD = 0.1
"""Part by which asked-for pauses are stretched at random, so that not all come back at once."""
COOL_DOWN_SECONDS = 15.0
"""So long a backend is left alone that has failed for a call."""


def is_passing(error: BaseException) -> bool:
    """Whether another attempt at the same backend may not meet this error."""
    return isinstance(error, ExchangeFailed) and error.kind in AGAIN


def attempts_of(state: RetryCallState, configured: int) -> int:
    """Attempts at one backend: as configured, and enough to outlast a rate limit.

    One attempt stays one.
    """
    error = state.outcome.exception() if state.outcome else None
    limited = isinstance(error, ExchangeFailed) and error.kind == "rate_limit"
    return max(configured, RATE_LIMIT_ATTEMPTS) if limited and configured > 1 else configured


def pause_of(state: RetryCallState) -> float:
    """Seconds before the next attempt: as asked for, else exponential with jitter.

    What was asked for and did not suffice is not asked again sooner than without it.
    """
    error = state.outcome.exception() if state.outcome else None
    wished = error.retry_after if isinstance(error, ExchangeFailed) else None
    if wished is None:
        return WAIT(state)
    spread = wished * (1 + random.uniform(0, SPREAD))
    return spread if state.attempt_number == 1 else max(spread, WAIT(state))


class Backends:
    """The backends of one model in order of preference, and how they fare.

    Shared by all who ask that model in a run: both roles, all tasks, all threads.
    """

    def __init__(
        self, names: Sequence[str], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.names = tuple(names)
        self.exhausted: dict[str, ErrorKind] = {}
        """The backends that are not asked any more, each with the reason."""
        self._clock = clock
        self._ill_until = dict.fromkeys(names, 0.0)
        """0: it is well."""
        self._lock = threading.Lock()

    def choose(self, tried: Collection[str] = ()) -> str | None:
        """The backend to ask, or None where none is left.

        The first that is well, or whose time is over: then one caller finds out how it fares, and
        the others stay away meanwhile. Where all are ill, the one that may be asked the soonest.
        """
        with self._lock:
            now = self._clock()
            left = [n for n in self.names if n not in tried and n not in self.exhausted]
            for name in left:
                if not self._ill_until[name]:
                    return name
                if now >= self._ill_until[name]:
                    self._ill_until[name] = now + COOL_DOWN_SECONDS
                    return name
            return min(left, key=lambda name: self._ill_until[name], default=None)

    def has_other(self, name: str, tried: Collection[str] = ()) -> bool:
        """Whether another backend is well, so that nobody needs to wait for this one."""
        with self._lock:
            others = set(self.names) - {name, *tried} - self.exhausted.keys()
            return any(not self._ill_until[other] for other in others)

    def answered(self, name: str) -> None:
        """It has answered."""
        with self._lock:
            self._ill_until[name] = 0.0

    def failed(self, name: str, retry_after: float | None = None) -> None:
        """It has failed for a call, and is left alone for a while."""
        with self._lock:
            until = self._clock() + max(COOL_DOWN_SECONDS, retry_after or 0.0)
            self._ill_until[name] = max(self._ill_until[name], until)

    def exhaust(self, name: str, why: ErrorKind) -> bool:
        """It will not answer in this run (quota, key); False where that was known."""
        with self._lock:
            is_new = name not in self.exhausted
            self.exhausted.setdefault(name, why)
            return is_new
