"""What each benchmark brings for the lab; only that of one that is played is loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from cli.options import COMPANY, DEFAULT
from workshop.lab.benchmark_adapter import AdapterFactory

_MODULES = {DEFAULT: "cli.store_adapter", COMPANY: "cli.company_adapter"}
"""Each has a function ``kit``; imported, it has loaded all that playing takes."""


class _Adapters(Mapping[str, AdapterFactory]):
    """By id what puts a benchmark's kit together, imported when it is asked for."""

    def __getitem__(self, name: str) -> AdapterFactory:
        found: AdapterFactory = import_module(_MODULES[name]).kit
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


ADAPTERS = _Adapters()
