"""Makes what is no file to read at a path: endless, waiting for ever, or too large."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


def _huge(path: Path) -> None:
    path.touch()
    os.truncate(path, 10_000_000_000)  # sparse: it takes no room


ODD: dict[str, Callable[[Path], None]] = {
    "a link to what never ends": lambda path: path.symlink_to("/dev/zero"),
    "a FIFO": os.mkfifo,
    "a directory": Path.mkdir,
    "10 GB": _huge,
}
