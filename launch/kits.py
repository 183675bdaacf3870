"""What each benchmark brings for the lab; imported, it has loaded all that playing takes."""

from __future__ import annotations

from lab.kit import Kit, KitOf
from lab.store.kit import kit
from launch.benchmarks import guest_of


def store() -> Kit:
    """The store, with its packs and its trivial players."""
    return kit(guest_of("store"))


KITS: dict[str, KitOf] = {"store": store}
