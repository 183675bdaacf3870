"""Puts a run together: command line, platform, pack, models, run folder, session."""

import os
from importlib.util import find_spec
from pathlib import Path

from core.models.providers import Provider, register


def _scripted() -> Provider:
    from workshop.scripted import provider

    return provider


def has_workshop() -> bool:
    """Whether this copy has the simulator, the lab and the viewers."""
    return find_spec("workshop") is not None


def cache_folder() -> Path | None:
    """The user's cache, by XDG_CACHE_HOME, which may be deleted; None where nobody has a home."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):  # the specification has others ignored
        return Path(base) / "erc3-agent"
    try:
        return Path.home() / ".cache" / "erc3-agent"
    except RuntimeError:
        return None


# Models without a key; nothing is imported before one is asked. A copy without the workshop has
# none of them.
if has_workshop():
    register("scripted", _scripted)
