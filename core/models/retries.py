"""Decides which failures of a model are retried, when, and which backend is next."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

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
COOL_DOWN_SECONDS = 5.0
"""A backend is left alone after its first illness; twice as long after each further one."""
LONGEST_SECONDS = 300.0


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


@dataclass
class _State:
    failures: int = 0
    usable_from: float | None = None
    """When it may be tried again; None: it works."""
    probing: bool = False
    """One call is finding out whether it is well again."""
    exhausted: ErrorKind | None = None


class Backends:
    """The backends of one model in order of preference, and how they fare.

    Shared by all who ask that model in a run: both roles, all tasks, all threads.
    """

    def __init__(
        self, names: Sequence[str], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.names = tuple(names)
        self._clock = clock
        self._states = {name: _State() for name in names}
        self._lock = threading.Lock()

    def choose(self, tried: Collection[str] = ()) -> str | None:
        """The backend to ask, or None where none is left.

        The first that is well; one whose time is over is handed to a single caller as a probe,
        who must say ``answered``, ``failed``, ``exhaust`` or ``release``. Where all have
        failed, the one that is usable the soonest.
        """
        with self._lock:
            open_ones = [
                n for n in self.names if n not in tried and self._states[n].exhausted is None
            ]
            for name in open_ones:
                state = self._states[name]
                if state.usable_from is None:
                    return name
                if not state.probing and self._clock() >= state.usable_from:
                    state.probing = True
                    return name
            return min(open_ones, key=lambda n: self._states[n].usable_from or 0.0, default=None)

    def has_other(self, name: str, tried: Collection[str] = ()) -> bool:
        """Whether another backend is well, so that nobody needs to wait for this one."""
        others = set(self.names) - {name, *tried}
        with self._lock:
            states = [self._states[other] for other in others]
            return any(s.exhausted is None and s.usable_from is None for s in states)

    def answered(self, name: str) -> None:
        """It has answered."""
        with self._lock:
            exhausted = self._states[name].exhausted
            self._states[name] = _State(exhausted=exhausted)

    def failed(self, name: str, retry_after: float | None = None) -> float:
        """It has failed for this call; the seconds for which it is left alone.

        Calls that were under way together count as one illness.
        """
        with self._lock:
            state = self._states[name]
            now = self._clock()
            fresh = state.probing or state.usable_from is None or now >= state.usable_from
            state.failures += fresh
            pause = min(COOL_DOWN_SECONDS * 2.0 ** (state.failures - 1), LONGEST_SECONDS)
            until = now + max(pause if fresh else 0.0, retry_after or 0.0)
            state.usable_from = max(until, state.usable_from or 0.0)
            state.probing = False
            return state.usable_from - now

    def exhaust(self, name: str, why: ErrorKind) -> bool:
        """It will not answer in this run (quota, key); False where that was known."""
        with self._lock:
            state = self._states[name]
            new = state.exhausted is None
            state.exhausted = state.exhausted or why
            state.probing = False
            return new

    def release(self, name: str) -> None:
        """A probe ended without telling anything about the backend."""
        with self._lock:
            self._states[name].probing = False

    @property
    def exhausted(self) -> dict[str, ErrorKind]:
        """The backends that are not asked any more, each with the reason."""
        with self._lock:
            return {n: s.exhausted for n, s in self._states.items() if s.exhausted is not None}
