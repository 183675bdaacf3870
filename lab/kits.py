"""The benchmarks that the lab plays: the one place where they are named."""

from __future__ import annotations

from lab.kit import Kit, KitOf
from lab.store.kit import kit
from launch.benchmarks import guest_of


def store() -> Kit:
    """The store, with its packs and its trivial players."""
    return kit(guest_of("store"))


KITS: dict[str, KitOf] = {"store": store}
DEFAULT = store
