"""Time and random numbers as generated code sees them: fixed, and without waiting.

Runs on the host and inside the sandbox; imports nothing that keeps a clock of its own.
"""

from __future__ import annotations

import random
import threading

TICK = 0.001
"""Seconds by which each look moves the clock on, so that a waiting loop comes to its end."""
_LONGEST_SLEEP = 1e7
_RANDOM_BYTES = 2496
"""State of the Mersenne Twister: 624 words of 32 bits."""


class FixedClock:
    """The clock of one session, in seconds since 1970. Thread-safe."""

    def __init__(self, now: float) -> None:
        self.now = now
        self._lock = threading.Lock()

    def look(self, seconds: float = TICK) -> float:
        """The time, a tick later than at the last look."""
        with self._lock:
            self.now = round(self.now + seconds, 6)
            return self.now

    def sleep(self, seconds: object) -> None:
        """Let the time pass at once; nonsense and whole months are cut to what is bearable."""
        if isinstance(seconds, int | float) and seconds > 0:
            self.look(min(float(seconds), _LONGEST_SLEEP))


def random_state(seed: int) -> bytes:
    """The bytes with which both sandboxes start their random numbers."""
    return random.Random(seed).randbytes(_RANDOM_BYTES)
