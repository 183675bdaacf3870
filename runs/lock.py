"""One process a run folder: a lock that the operating system drops when its process dies."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NAME = "run.lock"
_HELD = frozenset({errno.EWOULDBLOCK, errno.EACCES})


class Locked(Exception):
    """The folder is in use, or cannot be locked; the text says which, and by whom."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a run folder for this process alone.

    The file keeps the holder's process id and stays where it is: taking it away would let a third
    process lock another file of the same name. Children that are started as programs of their own
    do not inherit the lock.

    Raises:
        Locked: another process holds it, or the file cannot be made.
    """
    path = folder / NAME
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise Locked(f"{path} cannot be opened: {error.strerror}") from None
    try:
        _take(file, path)
        yield
    finally:
        os.close(file)


def _take(file: int, path: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in _HELD:
            raise Locked(f"{path} cannot be locked: {error.strerror}") from None
        raise Locked(f"{path.parent}: already running ({_holder(file)})") from None
    # Who holds it is said to people alone; a full disk must not keep a run from being resumed.
    with suppress(OSError):
        os.ftruncate(file, 0)
        os.pwrite(file, f"{os.getpid()}\n".encode(), 0)


def _holder(file: int) -> str:
    """The process that wrote itself down; it may be about to."""
    said = os.pread(file, 32, 0).decode("ascii", "replace").strip()
    return f"pid {said}" if said.isdecimal() else "pid unknown"
