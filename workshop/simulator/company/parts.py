"""A company's scenarios as JSON, each with its company; and what such a one can do without."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from workshop.simulator.world import Cut, Wire

WHOLE = "company_whole"
"""A field of this project: the scenario's company, so that the scenario is self-contained."""


def split(body: Wire) -> Iterator[Wire]:
    """The scenarios of a pack, each with its company."""
    for raw in body["scenarios"]:
        yield {**raw, WHOLE: body.get("companies", {}).get(raw.get("company"))}


def join(scenarios: Sequence[Wire]) -> Wire:
    """Such scenarios with each company once beside them."""
    return {
        "companies": {raw["company"]: raw[WHOLE] for raw in scenarios},
        "scenarios": [{k: v for k, v in raw.items() if k != WHOLE} for raw in scenarios],
    }


def cut_tables(raw: Wire) -> Cut:
    """Time entries and pages are what a company can most easily do without."""
    # The pack that a run keeps leaves out what is empty.
    whole = {"time_entries": [], "wiki": {}} | raw[WHOLE]
    rows = [("time_entries", one) for one in whole["time_entries"]]
    rows += [("wiki", path) for path in whole["wiki"]]

    def keeping(some: Sequence[tuple[str, Any]]) -> Wire:
        entries = [one for table, one in some if table == "time_entries"]
        pages = {path: whole["wiki"][path] for table, path in some if table == "wiki"}
        return {**raw, WHOLE: {**whole, "time_entries": entries, "wiki": pages}}

    return Cut(rows, keeping)
