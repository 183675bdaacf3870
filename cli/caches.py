"""Caches that outlive a run; they can be deleted at any time."""

from __future__ import annotations

import os
from pathlib import Path

NAME = "erc3-agent"


def cache_folder() -> Path | None:
    """The user's folder for it, by XDG_CACHE_HOME; None where nobody has a home."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):  # the specification has others ignored
        return Path(base) / NAME
    try:
        return Path.home() / ".cache" / NAME
    except RuntimeError:
        return None
