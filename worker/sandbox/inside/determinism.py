"""A clock that does not wait and random bytes that can be repeated, for the process sandbox.

Installed before other modules are imported, so that they take it, too; threads and queues,
which wait in real time, are imported before and keep the machine's clock.
"""

from __future__ import annotations

import os
import queue  # noqa: F401
import random
import sys
import threading
import time
from typing import Any

from worker.sandbox.fixed_clock import FixedClock, random_state

clock = FixedClock(0.0)
source = random.Random(0)


def start(now: float, seed: int) -> None:
    """Begin a session: set the clock, seed the random numbers."""
    clock.now = now
    random.seed(int.from_bytes(random_state(seed), "little"))
    source.seed(seed ^ 0x5EED)


def install() -> None:
    """Put the clock and the random bytes in the place of the machine's."""
    # The datetime of C reads the machine's clock; the one of Python asks the time module.
    sys.modules["_datetime"] = None  # type: ignore[assignment]
    sys.modules["_zoneinfo"] = None  # type: ignore[assignment]
    os.urandom = random._urandom = source.randbytes  # type: ignore[attr-defined]
    for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
        setattr(time, name, _named(name, lambda: clock.look()))
        setattr(time, f"{name}_ns", _named(f"{name}_ns", lambda: int(clock.look() * 1e9)))
    setattr(time, "sleep", sleep)  # noqa: B010
    for name in ("localtime", "gmtime", "ctime"):
        setattr(time, name, _named(name, _at_our_time(getattr(time, name))))
    asctime, strftime = time.asctime, time.strftime
    time.asctime = _named("asctime", lambda moment=None: asctime(moment or time.localtime()))
    time.strftime = _named(
        "strftime", lambda form, moment=None: strftime(form, moment or time.localtime())
    )
    machine = os.uname().machine
    os.uname = lambda: os.uname_result(("Linux", "sandbox", "", "", machine))
    os.getcwd = lambda: "/"


def sleep(seconds: float, /) -> None:
    """Let the time pass at once."""
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    clock.sleep(seconds)


def tame_asyncio() -> None:
    """Make event loops pass their waiting time at once, too."""
    import selectors

    class Selector(selectors.DefaultSelector):
        def select(self, timeout: float | None = None) -> list[Any]:
            if timeout is None or timeout <= 0:
                return list(super().select(timeout))
            # Another thread may be about to wake the loop: it gets its time.
            ready = list(super().select(timeout if threading.active_count() > 1 else 0))
            if not ready:
                clock.sleep(timeout)
            return ready

    selectors.DefaultSelector = Selector  # type: ignore[misc]


def _named(name: str, function: Any) -> Any:
    def timed(*args: Any) -> Any:
        return function(*args)

    timed.__name__ = timed.__qualname__ = name
    return timed


def _at_our_time(shape: Any) -> Any:
    return lambda seconds=None: shape(clock.look() if seconds is None else seconds)
