"""Which backend of a model is asked next: the ill are left alone for a while, the lost for good."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from models.exchange import ErrorKind

COOL_DOWN_SECONDS = 5.0
"""After the first illness; twice as long after each further one."""
LONGEST_SECONDS = 300.0


@dataclass
class _State:
    illnesses: int = 0
    """In a row."""
    well_again: float | None = None
    """When it may be tried; None: it is well."""
    probing: bool = False
    """One call is finding out whether it is well again."""
    lost: ErrorKind | None = None
    """Why it is not asked any more."""


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
        who must say ``well``, ``ill``, ``lose`` or ``release``. Where all are ill, the one that
        is well again the soonest.
        """
        with self._lock:
            open_ones = [n for n in self.names if n not in tried and self._states[n].lost is None]
            for name in open_ones:
                state = self._states[name]
                if state.well_again is None:
                    return name
                if not state.probing and self._clock() >= state.well_again:
                    state.probing = True
                    return name
            return min(open_ones, key=self._when, default=None)

    def _when(self, name: str) -> float:
        return self._states[name].well_again or 0.0

    def has_other(self, name: str, tried: Collection[str] = ()) -> bool:
        """Whether another backend is well, so that nobody needs to wait for this one."""
        others = set(self.names) - {name, *tried}
        with self._lock:
            states = [self._states[other] for other in others]
            return any(s.lost is None and s.well_again is None for s in states)

    def well(self, name: str) -> None:
        """It has answered."""
        with self._lock:
            lost = self._states[name].lost
            self._states[name] = _State(lost=lost)

    def ill(self, name: str, retry_after: float | None = None) -> float:
        """It has failed for this call; the seconds for which it is left alone.

        Calls that were under way together count as one illness.
        """
        with self._lock:
            state = self._states[name]
            now = self._clock()
            fresh = state.probing or state.well_again is None or now >= state.well_again
            state.illnesses += fresh
            pause = min(COOL_DOWN_SECONDS * 2.0 ** (state.illnesses - 1), LONGEST_SECONDS)
            until = now + max(pause if fresh else 0.0, retry_after or 0.0)
            state.well_again = max(until, state.well_again or 0.0)
            state.probing = False
            return state.well_again - now

    def lose(self, name: str, why: ErrorKind) -> bool:
        """It will not answer in this run (quota, key); False where that was known."""
        with self._lock:
            state = self._states[name]
            new = state.lost is None
            state.lost = state.lost or why
            state.probing = False
            return new

    def release(self, name: str) -> None:
        """A probe ended without telling anything about the backend."""
        with self._lock:
            self._states[name].probing = False

    @property
    def lost(self) -> dict[str, ErrorKind]:
        """The backends that are not asked any more, each with the reason."""
        with self._lock:
            return {n: s.lost for n, s in self._states.items() if s.lost is not None}
