"""What the store brings for the lab, with its packs and its trivial players."""

from __future__ import annotations

from collections.abc import Mapping

import workshop.lab.adapters.store
from cli.benchmarks import guest_of
from cli.options import DEFAULT
from coordinator.benchmark import Guest
from workshop.lab.kit import Kit


def kit() -> Kit:
    """The store's kit."""

    def remade(guards: str, texts: Mapping[str, str]) -> Guest:
        return guest_of(DEFAULT, guards=guards, texts=texts)

    return workshop.lab.adapters.store.kit(guest_of(DEFAULT), remade)
