"""Files read, regular ones alone and of a bounded size, and files replaced whole."""

from __future__ import annotations

import codecs
import errno
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

RECORD_BYTES = 256_000_000
"""Maximum bytes of a file in a run folder, and of a pack. Seven instructions of 20,000 requests,
the most that a ledger lets through, take about 60 MB of a journal."""
SERIES_BYTES = 2_000_000_000
"""Maximum bytes of a file that grows with the number of tasks: trials, a simulator's state."""


class Unfit(OSError):
    """A file that is no regular one, or is too large; ``strerror`` says which."""


def read_bytes(path: Path, most_bytes: int = RECORD_BYTES, *, follow: bool = True) -> bytes:
    """Read a regular file whole, without the mark of UTF-8 at its beginning.

    A FIFO or a device would block for ever or never end, so neither is opened to wait for.
    ``follow``: whether the path may be a symbolic link.

    Raises OSError: it cannot be read; Unfit: it is no regular file, or larger than ``most_bytes``.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW)
    file = os.open(path, flags)
    try:
        check_regular(file, path, most_bytes)
    except OSError:
        os.close(file)
        raise
    with open(file, "rb") as opened:
        # A file of /proc has no size, and one that grows has another by now.
        data = opened.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise _too_large(path, most_bytes)
    return data.removeprefix(codecs.BOM_UTF8)


def check_regular(file: int, path: Path, most_bytes: int = RECORD_BYTES) -> None:
    """Raises Unfit: an open file is no regular one, or is larger than ``most_bytes``."""
    status = os.fstat(file)
    if not stat.S_ISREG(status.st_mode):
        raise Unfit(errno.EINVAL, "is not a regular file", str(path))
    if status.st_size > most_bytes:
        raise _too_large(path, most_bytes)


def _too_large(path: Path, most_bytes: int) -> Unfit:
    return Unfit(errno.EFBIG, f"is larger than {most_bytes:,} bytes", str(path))


def replace_file(path: Path, content: bytes, *, durable: bool = False, mode: int = 0o666) -> None:
    """Replace a file whole: a reader sees the old one or the new one, whoever else writes it.

    ``durable``: it is on the disk when this returns. ``mode``: its permissions, less the umask.

    Raises OSError: it cannot be written; the old one is as it was.
    """
    fresh = path.with_name(f"{path.name[:200]}.{secrets.token_hex(4)}.new")
    file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with open(file, "wb") as opened:
            opened.write(content)
            if durable:
                opened.flush()
                os.fsync(opened.fileno())
        os.replace(fresh, path)
    except BaseException:
        with suppress(OSError):
            fresh.unlink()
        raise
