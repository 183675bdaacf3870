"""Ctrl-C: once ends the run properly, twice ends it at once."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from coordinator.limits import Stop
from runs.errors import Exit

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def interrupts(stop: Stop) -> Iterator[None]:
    """While this lasts the first interrupt asks for the end, the second one is the end.

    Every record is on its way to the disk when it is written, so that nothing is lost by leaving
    at once; the run can be resumed. A signal that is ignored, as those who start us in the
    background have it, stays ignored.
    """

    def asked(number: int, frame: FrameType | None) -> None:
        if stop.asked:
            with suppress(OSError):
                os.write(2, b"\nstopped at once; --resume goes on from here\n")
            os._exit(Exit.INTERRUPTED)
        stop.ask()
        # Where the signal comes into the middle of another line, this one cannot be said.
        with suppress(OSError, RuntimeError):
            text = "\nfinishing the calls under way; once more to stop at once"
            print(text, file=sys.stderr, flush=True)

    heeded = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    before = [(number, signal.signal(number, asked)) for number in heeded]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)
