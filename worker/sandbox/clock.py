"""The clock that generated code sees: it starts at a pinned instant and never waits."""

from __future__ import annotations

import datetime
import random
from dataclasses import dataclass

from worker.sandbox.contract import Pins

TICK = 0.001
"""Seconds by which each look moves the clock on, so that a waiting loop comes to its end."""
_LONGEST_SLEEP = 1e7
_RANDOM_BYTES = 2496
"""State of the Mersenne Twister: 624 words of 32 bits."""


@dataclass
class Clock:
    """Seconds since 1970 as told to one session."""

    now: float

    def look(self) -> float:
        """The time, a tick later than at the last look."""
        self.now = round(self.now + TICK, 6)
        return self.now

    def sleep(self, seconds: object) -> None:
        """Let the time pass at once; nonsense and whole months are cut to what is bearable."""
        if isinstance(seconds, int | float) and seconds > 0:
            self.now = round(self.now + min(float(seconds), _LONGEST_SLEEP), 6)

    def datetime(self, zone: object) -> datetime.datetime:
        """The time as a datetime; without a zone it is naive and in UTC."""
        moment = datetime.datetime.fromtimestamp(self.look(), datetime.UTC)
        if isinstance(zone, datetime.tzinfo):
            return moment.astimezone(zone)
        return moment.replace(tzinfo=None)


def random_state(pins: Pins) -> bytes:
    """The bytes with which both sandboxes start their random numbers: the same in both."""
    return random.Random(pins.seed).randbytes(_RANDOM_BYTES)
