"""The benchmarks that there are, by id: where the declaration of each stands.

Only the benchmark that is played is imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from core.erc3_client.switch import chosen
from core.runs.errors import Usage

if TYPE_CHECKING:
    from coordinator.benchmark import Benchmark

DEFAULT = "store"
_by_id = {
    "store": "cli.store_benchmark:STORE",
    "company": "cli.company_benchmark:COMPANY",
    "erc3-dev": "cli.company_benchmark:COMPANY",
    "erc3-test": "cli.company_benchmark:COMPANY",
    "erc3-prod": "cli.company_benchmark:COMPANY",
}
BENCHMARKS: Mapping[str, str] = MappingProxyType(_by_id)
"""``module:NAME`` of each declaration, by the benchmark's name and its ids on the platform; the
name comes first."""


def register(place: str, *platform_ids: str) -> None:
    """Have the benchmark at ``module:NAME`` played under its name and its ids on the platform."""
    name = load(place).name
    _by_id.update(dict.fromkeys((name, *platform_ids), place))


def load(place: str) -> Any:
    """What ``module:NAME`` names."""
    path, _, name = place.partition(":")
    return getattr(import_module(path), name)


def declared(id: str) -> Benchmark:
    """The declaration of the benchmark of that id. Raises Usage, also if its client is missing."""
    try:
        chosen()  # its tools are made from the client's models
    except (ImportError, ValueError) as error:
        raise Usage(f"the platform's client cannot be loaded: {error}") from None
    if id not in _by_id:
        there = ", ".join(_by_id)
        raise Usage(f"there are no tools for the benchmark {id!r}; there are for: {there}")
    benchmark: Benchmark = load(_by_id[id])
    return benchmark


def names() -> list[str]:
    """The name of each benchmark, once."""
    first = {place: id for id, place in reversed(_by_id.items())}
    return [id for id, place in _by_id.items() if first[place] == id]


def platform_ids(id: str) -> list[str]:
    """The ids on the real platform of the benchmark of that id; none where they are its name."""
    same = [other for other, place in _by_id.items() if place == _by_id.get(id)]
    return same[1:]
