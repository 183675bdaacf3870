"""What the company brings for the lab, with its packs and its trivial players."""

from __future__ import annotations

from collections.abc import Mapping

import lab.company.kit
from coordinator.benchmark import Guest
from lab.kit import Kit
from launch.benchmarks import guest_of
from launch.options import COMPANY


def kit() -> Kit:
    """The company's kit."""

    def remade(guards: str, texts: Mapping[str, str]) -> Guest:
        return guest_of(COMPANY, guards=guards, texts=texts)

    return lab.company.kit.kit(guest_of(COMPANY), remade)
