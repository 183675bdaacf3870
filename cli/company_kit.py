"""What the company brings for the lab, with its packs and its trivial players."""

from __future__ import annotations

from collections.abc import Mapping

import workshop.lab.adapters.company
from cli.benchmarks import guest_of
from cli.options import COMPANY
from coordinator.benchmark import Guest
from workshop.lab.kit import Kit


def kit() -> Kit:
    """The company's kit."""

    def remade(guards: str, texts: Mapping[str, str]) -> Guest:
        return guest_of(COMPANY, guards=guards, texts=texts)

    return workshop.lab.adapters.company.kit(guest_of(COMPANY), remade)
