"""What each benchmark brings for the lab; imported, it has loaded all that playing takes."""

from __future__ import annotations

from collections.abc import Mapping

import lab.company.kit
import lab.store.kit
from coordinator.benchmark import Guest
from lab.kit import Kit, KitOf
from launch.benchmarks import guest_of
from launch.options import COMPANY, DEFAULT


def store() -> Kit:
    """The store, with its packs and its trivial players."""

    def remade(guards: str, texts: Mapping[str, str]) -> Guest:
        return guest_of(DEFAULT, guards=guards, texts=texts)

    return lab.store.kit.kit(guest_of(DEFAULT), remade)


def company() -> Kit:
    """The company, the same."""

    def remade(guards: str, texts: Mapping[str, str]) -> Guest:
        return guest_of(COMPANY, guards=guards, texts=texts)

    return lab.company.kit.kit(guest_of(COMPANY), remade)


KITS: dict[str, KitOf] = {DEFAULT: store, COMPANY: company}
