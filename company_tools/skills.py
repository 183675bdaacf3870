"""Who is how good at something, and how willing."""

from __future__ import annotations

from typing import Any

from company_tools import listings
from company_tools.company_session import CompanySession, Record
from company_tools.ids import project_id
from company_tools.level_names import level_name, search_levels
from company_tools.settling import levels_of
from company_tools.values import value_of
from company_tools.wiki_store import WikiStore
from core.ledger import ToolFault
from core.tools.collector import Collector

Levels = dict[str, int]
GETS_AT_MOST = 40
"""So many people are read one by one; of more, levels are told from searches."""
SCALE = range(1, 11)
"""Levels that searches ask for; who has another one is read alone."""
_KINDS = ("skills", "wills")


def match_skills(
    session: CompanySession,
    wiki: WikiStore,
    skills: Levels,
    wills: Levels,
    location: str,
    department: str,
    not_in_project: str,
) -> Record:
    """People who have all levels, with these, highest sum first; see the tool."""
    if not skills and not wills:
        raise ToolFault("give skills or wills: {name: least level}")
    asked = {
        kind: {level_name(session, wiki, kind, name): least for name, least in given.items()}
        for kind, given in zip(_KINDS, (skills, wills), strict=True)
    }
    within = _places(session, location, department)
    team = (
        listings.project(session, project_id(session, not_in_project))["team"]
        if not_in_project
        else []
    )
    out = {member["employee"] for member in team}
    collected = Collector()
    wanted = {kind: _at_least(asked[kind]) for kind in _KINDS}
    found = collected.rows(lambda: search_levels(session, wanted, within))
    found = [one for one in found if one["id"] not in out]
    levels: dict[str, dict[str, Levels]] = {one["id"]: {k: {} for k in _KINDS} for one in found}
    collected.get(lambda: _read_levels(session, asked, levels, within), None)
    if collected.fault:
        found = [one for one in found if not _missing(levels[one["id"]], asked)]
    rows = [
        {
            **{f: one[f] for f in ("id", "name", "department", "location")},
            **levels[one["id"]],
            "sum": sum(sum(levels[one["id"]][kind].values()) for kind in _KINDS),
        }
        for one in found
    ]
    rows.sort(key=lambda row: (-row["sum"], row["id"]))
    ends = (rows[0]["sum"], rows[-1]["sum"]) if rows else (0, 0)
    most, least = ([row["id"] for row in rows if row["sum"] == end] for end in ends)
    if collected.fault:
        most = least = []  # nobody knows who has most of a part
    return collected.result({"people": rows, "most": most, "least": least, "asked": asked})


def with_levels(employee: Record) -> Record:
    """A person with skills and wills as {name: level}, the one shape that tools show."""
    return {**employee, **{kind: levels_of(employee.get(kind)) for kind in _KINDS}}


def _places(session: CompanySession, location: str, department: str) -> dict[str, str]:
    said = {"location": location, "department": department}
    return {
        field: value_of(field, value, listings.employees(session))
        for field, value in said.items()
        if value
    }


def _at_least(levels: Levels) -> list[dict[str, Any]]:
    return [{"name": name, "min_level": least} for name, least in levels.items()]


def _read_levels(
    session: CompanySession,
    asked: dict[str, Levels],
    told: dict[str, dict[str, Levels]],
    within: dict[str, str],
) -> None:
    """Fill in the asked levels of each, read in the way that takes fewer requests."""
    if len(told) > GETS_AT_MOST:
        for kind, levels in asked.items():
            for name, least in levels.items():
                for level in (n for n in SCALE if n >= least):
                    only = [{"name": name, "min_level": level, "max_level": level}]
                    for one in search_levels(session, {kind: only}, within):
                        if one["id"] in told:
                            told[one["id"]][kind][name] = level
    short = [id for id, levels in told.items() if _missing(levels, asked)]
    collected = Collector()
    for person in collected.rows(lambda: listings.employees_of(session, short)):
        for kind in _KINDS:
            have = levels_of(person[kind])
            told[person["id"]][kind] = {name: have[name] for name in asked[kind] if name in have}
    collected.result({})


def _missing(levels: dict[str, Levels], asked: dict[str, Levels]) -> bool:
    return any(len(levels[kind]) < len(asked[kind]) for kind in _KINDS)
