"""What each benchmark brings for the lab; only that of one that is played is loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from cli.options import COMPANY, DEFAULT
from workshop.lab.kit import KitOf

_MODULES = {DEFAULT: "cli.store_kit", COMPANY: "cli.company_kit"}
"""Each has a function ``kit``; imported, it has loaded all that playing takes."""


class _Kits(Mapping[str, KitOf]):
    """By id what puts a benchmark's kit together, imported when it is asked for."""

    def __getitem__(self, name: str) -> KitOf:
        found: KitOf = import_module(_MODULES[name]).kit
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


KITS = _Kits()
