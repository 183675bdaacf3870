"""What the store brings for the lab, with its packs and its trivial players."""

from __future__ import annotations

from collections.abc import Mapping

import lab.store.kit
from coordinator.benchmark import Guest
from lab.kit import Kit
from launch.benchmarks import guest_of
from launch.options import DEFAULT


def kit() -> Kit:
    """The store's kit."""

    def remade(guards: str, texts: Mapping[str, str]) -> Guest:
        return guest_of(DEFAULT, guards=guards, texts=texts)

    return lab.store.kit.kit(guest_of(DEFAULT), remade)
