"""What states and packs of recorded tasks are made from, whatever the benchmark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from core.ledger import WireCall
from core.tools.paging import limit_told

Facts = dict[str, Any]
"""A record, a scenario or a pack as JSON holds it."""


def dicts_in(value: object) -> Iterator[Facts]:
    """Every dict within a value, outer ones first."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from dicts_in(part)


def page_limit(requests: Iterable[WireCall]) -> int | None:
    """The page limit that an error told, -1 where it forbids listing; None: no error told one."""
    limits = (limit_told(request.error) for request in requests)
    told = next((limit for limit in limits if limit is not None), None)
    return told if told is None or told > 0 else -1


def pack_of(
    format: str, scenario: Facts, note: str, *, edited: bool, companies: Facts | None = None
) -> Facts:
    """A pack of one scenario that is named by its spec and says where it comes from."""
    said = f"from a recorded run{', answers edited' if edited else ''}; {note}"
    beside = {} if companies is None else {"companies": companies}
    name = f"recorded-{scenario['spec_id']}"
    return {"format": format, "name": name, **beside, "scenarios": [{**scenario, "notes": said}]}
