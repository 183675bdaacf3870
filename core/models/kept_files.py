"""Files of a cache: written whole or not at all, for their owner alone, by many processes."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

BYTES_AT_MOST = 32_000_000


def read_kept(path: Path) -> bytes | None:
    """Read a file; None if it is missing, unreadable or too large."""
    try:
        return path.read_bytes() if path.stat().st_size <= BYTES_AT_MOST else None
    except OSError:
        return None


def write_kept(path: Path, content: bytes, at_most: int) -> None:
    """Write a file, drop the oldest beyond so many; a disk that takes nothing costs only time."""
    with suppress(OSError):
        # What others have written is for nobody else's eyes.
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".new")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(name, path)
        except OSError:
            os.unlink(name)
            raise
        _prune(path.parent, at_most)


def _prune(folder: Path, at_most: int) -> None:
    files = list(folder.iterdir())
    if len(files) <= at_most:
        return
    aged: list[tuple[float, Path]] = []
    for file in files:
        with suppress(OSError):  # another process may be doing the same
            aged.append((file.stat().st_mtime, file))
    for _, file in sorted(aged)[: len(files) - at_most]:
        with suppress(OSError):
            file.unlink()
