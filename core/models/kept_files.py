"""Files of a cache: written whole or not at all, for their owner alone, by many processes."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from core.files import replace_file

BYTES_AT_MOST = 32_000_000


def cache_folder() -> Path | None:
    """The user's cache, by XDG_CACHE_HOME, which may be deleted; None where nobody has a home."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):  # the specification has others ignored
        return Path(base) / "erc3-agent"
    try:
        return Path.home() / ".cache" / "erc3-agent"
    except RuntimeError:
        return None


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
        replace_file(path, content, mode=0o600)
        aged: list[tuple[float, Path]] = []
        for file in path.parent.iterdir():
            with suppress(OSError):  # another process may be doing the same
                aged.append((file.stat().st_mtime, file))
        for _, old in sorted(aged)[: max(len(aged) - at_most, 0)]:
            with suppress(OSError):
                old.unlink()
