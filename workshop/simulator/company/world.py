"""The company as a world of the platform: an office for each task, whose acts are its events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import unified_diff
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workshop.simulator.company.api import ROUTES, WRITES
from workshop.simulator.company.company_state import CompanyState
from workshop.simulator.company.pack import (
    BUNDLED_PACK,
    FORMAT,
    CompanyPack,
    CompanyScenario,
    read_pack,
)
from workshop.simulator.world import Looks, World

if TYPE_CHECKING:
    from workshop.simulator.company.wiki import Wiki

PAGES = Path(__file__).parent / "pages"
GUEST = "a guest"


def _opener(pack: CompanyPack, scenario: CompanyScenario) -> Callable[[], CompanyState]:
    return partial(CompanyState, scenario, pack.registry_of(scenario))


def _cells(scenario: CompanyScenario) -> tuple[object, ...]:
    limit = scenario.page_limit
    return scenario.company, scenario.user or GUEST, limit if limit > 0 else "–"


def _shown(scenario: CompanyScenario, office: CompanyState | None) -> Mapping[str, Any]:
    user = scenario.user
    requester = office.employees[user].full if office and user else None
    return {
        "scenario": scenario,
        "expect": scenario.expect,
        "office": office,
        "asker": requester,
        "who": user or GUEST,
        "events": office.events if office else (),
        "responses": office.responses if office else (),
        "diffs": _diffs(office.registry.wiki, office.wiki) if office else {},
    }


def _diffs(old: Wiki, new: Wiki) -> dict[str, str]:
    """What was changed of the wiki, page by page."""
    found = {}
    for path in sorted(old.pages.keys() | new.pages.keys()):
        before, after = (wiki.pages.get(path, "") for wiki in (old, new))
        if before != after:
            old_lines, new_lines = before.splitlines(keepends=True), after.splitlines(keepends=True)
            # A last line without an end would run into the next one.
            found[path] = "".join(
                line if line.endswith("\n") else f"{line}\n\\ no newline at the end\n"
                for line in unified_diff(old_lines, new_lines, "before", "now")
            )
    return found


def _floors(pack: CompanyPack) -> Mapping[str, float]:
    from workshop.simulator.company.floors import floors

    return floors(pack)


COMPANY = World(
    name="company",
    format=FORMAT,
    benchmarks=("company", "erc3-dev", "erc3-test", "erc3-prod"),
    roots=("erc3-dev", "erc3", "company", "erc3-test", "erc3-prod"),
    module="erc3",
    description="Serve one user of a company by its wiki's rules, and answer exactly once.",
    routes=ROUTES,
    irreversible=WRITES,
    bundled=BUNDLED_PACK,
    read=read_pack,
    opener=_opener,
    looks=Looks(
        acts="Acts",
        columns=("Company", "Asked by", "Page limit"),
        cells=_cells,
        template=PAGES / "office.html.jinja",
        shown=_shown,
    ),
    floors=_floors,
)
