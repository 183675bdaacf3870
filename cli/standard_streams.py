"""The standard streams of a command: there from the start, and never the end of it.

A run may have spent hours and money when its terminal goes away, its disk is full or its reader
has seen enough; what it has to say is in its folder all the same.
"""

from __future__ import annotations

import errno
import io
import sys
from contextlib import suppress
from typing import Any, TextIO

from worker.descriptors import reserve


class _Steady(io.FileIO):
    """A descriptor that takes everything; from the first failure on it loses what it takes."""

    failure: OSError | None = None

    def write(self, data: Any) -> int:
        if self.failure is None:
            try:
                return super().write(data)
            except OSError as failure:
                self.failure = failure
        return len(data)


def steady() -> None:
    """Open what is closed of the standard streams, and let no write to them fail.

    Streams that somebody has put in their place are left alone.
    """
    reserve()
    if sys.stdin is None:
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 - open as long as the process is
    if sys.stdout is sys.__stdout__:
        sys.stdout = _wrapped(sys.stdout, 1)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _wrapped(sys.stderr, 2)


def at_terminal() -> bool:
    """Whether there is somebody to ask."""
    return sys.stdin is not None and sys.stdin.isatty()


def loss(*, heard: bool = True) -> str:
    """Why standard output was not written completely; empty if it was, as far as is known.

    ``heard``: False if a reader may leave early, as ``head`` does.
    """
    sys.stdout.flush()
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    if not isinstance(raw, _Steady) or raw.failure is None:
        return ""
    if raw.failure.errno == errno.EPIPE and not heard:
        return ""
    if raw.failure.errno == errno.EBADF:
        return "it is closed"
    return raw.failure.strerror or type(raw.failure).__name__


def _wrapped(stream: TextIO | None, number: int) -> TextIO:
    like: Any = stream
    if stream is not None:
        with suppress(OSError):
            stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(_Steady(number, "w", closefd=False)),
        encoding=like.encoding if like else "utf-8",
        errors=like.errors if like else "backslashreplace",
        line_buffering=not like or like.line_buffering or like.write_through,
    )
