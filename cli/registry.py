"""The benchmarks that there are: one entry each, which names the modules that make it up.

Only the modules of a benchmark that is played are imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any

from core.runs.errors import Usage


@dataclass(frozen=True)
class Registration:
    """One benchmark, in strings alone: an entry goes to other processes as well."""

    name: str
    """The value of ``--benchmark``; the names of its prompt sections begin with it."""
    declaration: str
    """The module with its ``declare``, see ``cli.benchmarks``."""
    workbench: str
    """The module that offers it to the debugger."""
    world: str
    """``module:NAME`` of the world that the embedded platform serves."""
    scripted: str
    """The model that needs no key; it plays where none is named."""
    platform_ids: tuple[str, ...] = ()
    """The name on the real platform, if different."""

    def load(self, module: str) -> Any:
        """A module, or what ``module:NAME`` names in it."""
        path, _, name = module.partition(":")
        return getattr(import_module(path), name) if name else import_module(path)


STORE = Registration(
    name="store",
    declaration="cli.store_benchmark",
    workbench="workshop.replay.store_bench",
    world="workshop.simulator.store.world:STORE",
    scripted="scripted/store",
)
COMPANY = Registration(
    name="company",
    declaration="cli.company_benchmark",
    workbench="company_tools.workbench",
    world="workshop.simulator.company.world:COMPANY",
    scripted="scripted/company",
    platform_ids=("erc3-dev", "erc3-test", "erc3-prod"),
)
DEFAULT = STORE.name
_by_id: dict[str, Registration] = {}
BENCHMARKS: Mapping[str, Registration] = MappingProxyType(_by_id)
"""Benchmarks by id, the one with that name first."""


def register(benchmark: Registration) -> None:
    """Have a benchmark played under its name and its ids on the platform."""
    _by_id.update(dict.fromkeys((benchmark.name, *benchmark.platform_ids), benchmark))


register(STORE)
register(COMPANY)


def registered(id: str) -> Registration:
    """The benchmark of that id. Raises Usage."""
    if id not in _by_id:
        there = ", ".join(_by_id)
        raise Usage(f"there are no tools for the benchmark {id!r}; there are for: {there}")
    return _by_id[id]


def every_benchmark() -> list[Registration]:
    """Each benchmark once."""
    return [entry for id, entry in _by_id.items() if id == entry.name]
