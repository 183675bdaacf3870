"""Who is how good at something, and how willing; skills and wills by what a text calls them.

Display names stand in the wiki alone (facts of the platform), in a line, a list or a table that
has them beside the stored name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal

import regex
from pydantic import BaseModel

from company_tools import listings
from company_tools.change import levels_of
from company_tools.ids import project_id, value_of
from company_tools.reading_session import ReadingSession
from company_tools.sums import ends
from company_tools.wiki_pages import wiki_pages
from company_tools.wiki_store import WikiStore
from company_tools.words import words
from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.ledger import ToolFault
from core.tools.collector import Collector

Levels = dict[str, int]
LevelKind = Literal["skills", "wills"]
KINDS: tuple[LevelKind, LevelKind] = ("skills", "wills")
GETS_AT_MOST = 40
"""So many people are read one by one; of more, levels are told from searches."""
SCALE = range(1, 11)
"""Levels that searches ask for; who has another one is read alone."""
_PARTS = regex.compile(r"[,;\n]|\.\s")
_STORED = regex.compile(r"(?<![\p{L}\p{N}_.-])[\p{L}\p{N}_.-]*[\p{L}\p{N}_]")


class Match(BaseModel):
    """Somebody with the levels that were asked for."""

    id: str
    name: str
    department: str
    location: str
    skills: Levels
    wills: Levels
    sum: int


def Combo_Match_Employees_For_Skills(
    session: ReadingSession,
    wiki: WikiStore,
    skills: dict[str, int] = {},  # noqa: B006
    wills: dict[str, int] = {},  # noqa: B006
    location: str = "",
    department: str = "",
    not_in_project: str = "",
) -> dict[str, object]:
    """Who has all, {name: least level}, 0: any: {people: [{id, name, department, location,
    skills, wills, sum}]: everybody who fits, most, least: [id] of the highest and lowest sum
    alone, asked}; skills, wills: those asked for"""
    if not skills and not wills:
        raise ToolFault("give skills or wills: {name: least level}")
    asked: dict[LevelKind, Levels] = {
        kind: {level_name(session, wiki, kind, name): least for name, least in given.items()}
        for kind, given in zip(KINDS, (skills, wills), strict=True)
    }
    places: dict[str, str] = {}
    if location:
        places["location"] = value_of("location", location, listings.employees(session))
    if department:
        places["department"] = value_of("department", department, listings.employees(session))
    excluded: set[str] = set()
    if not_in_project:
        team = listings.project(session, project_id(session, not_in_project)).team
        excluded = {member.employee for member in team}
    collected = Collector()
    people = collected.rows(lambda: _having(session, asked, places))
    matches = {
        one.id: Match(**{**dict(one), "skills": {}, "wills": {}}, sum=0)
        for one in people
        if one.id not in excluded
    }
    collected.get(lambda: _read_levels(session, asked, matches, places), None)
    rows = [one for one in matches.values() if not collected.fault or not _missing(one, asked)]
    for one in rows:
        one.sum = sum(one.skills.values()) + sum(one.wills.values())
    rows.sort(key=lambda one: (-one.sum, one.id))
    # Nobody knows who has most of a part.
    most, least = ([], []) if collected.fault else ends([(one.id, one.sum) for one in rows])
    return collected.result({"people": rows, "most": most, "least": least, "asked": asked})


def _having(
    session: ReadingSession,
    levels: dict[LevelKind, Levels],
    places: dict[str, str],
    most: int | None = None,
) -> list[wire.EmployeeBrief]:
    """Everybody who has the levels at the place; kept until somebody changes."""
    bounds = {} if most is None else {"max_level": most}
    filters = {
        kind: [{"name": name, "min_level": least, **bounds} for name, least in wanted.items()]
        for kind, wanted in levels.items()
    }
    return session.kept(
        ("employees", repr((filters, places))),
        lambda: session.pages(company.Req_SearchEmployees, wire.EmployeeBrief, **filters, **places),
    )


def _read_levels(
    session: ReadingSession,
    asked: dict[LevelKind, Levels],
    matches: dict[str, Match],
    places: dict[str, str],
) -> None:
    """Fill in the asked levels of each, read in the way that takes fewer requests."""
    steps = [
        (kind, name, level)
        for kind, levels in asked.items()
        for name, least in levels.items()
        for level in SCALE
        if level >= least
    ]
    for kind, name, level in steps if len(matches) > GETS_AT_MOST else ():
        for one in _having(session, {kind: {name: level}}, places, level):
            if one.id in matches:
                getattr(matches[one.id], kind)[name] = level
    short = [id for id, one in matches.items() if _missing(one, asked)]
    collected = Collector()
    for person in collected.rows(lambda: listings.employees_of(session, short)):
        for kind in KINDS:
            have = levels_of(getattr(person, kind))
            own = {name: have[name] for name in asked[kind] if name in have}
            setattr(matches[person.id], kind, own)
    collected.result({})


def _missing(one: Match, asked: dict[LevelKind, Levels]) -> bool:
    return any(len(getattr(one, kind)) < len(asked[kind]) for kind in KINDS)


def level_name(session: ReadingSession, wiki: WikiStore, kind: LevelKind, text: str) -> str:
    """The stored name of a skill or will that somebody has.

    Raises:
        ToolFault: nobody has it, or it could be two; the text names those that were seen.
    """
    text = text.strip()
    if _somebody_has(session, kind, text):
        return text
    own = listings.employee(session, session.user().id)
    shown = sorted(session.evidence.tokens | {one.name for one in (*own.skills, *own.wills)})
    prefix = kind.removesuffix("s")
    matches = {name for name in shown if words(name) in (words(text), (prefix, *words(text)))}
    if not matches:
        pages = wiki_pages(session, wiki)
        shown = sorted(session.evidence.tokens)
        matches = {name for page in pages.values() for name in _named_so(page, text, shown)}
    matches = {name for name in matches if _somebody_has(session, kind, name)}
    if len(matches) == 1:
        return matches.pop()
    names = sorted(matches) or [name for name in shown if name.startswith(prefix)] or shown
    raise ToolFault(
        f"{'more than one' if matches else 'nobody has the'} {prefix} {text[:80]!r}; "
        f"seen: {', '.join(names) or 'none'}"
    )


def _named_so(page: str, text: str, stored: Collection[str]) -> Iterator[str]:
    """Stored names beside a display name: "a = Apples", "- a: Apples", "| Apples | a |"."""
    wanted = words(text)
    for line in page.splitlines():
        if any(words(cell) == wanted for cell in line.split("|") if "|" in line):
            names = [name for name in _STORED.findall(line) if name in stored]
            yield from names if len(set(names)) == 1 else ()
    for part in _PARTS.split(page):
        names = [name for name in _STORED.findall(part) if name in stored]
        if len(names) == 1 and words(part.replace(names[0], " ", 1)) == wanted:
            yield names[0]


def _somebody_has(session: ReadingSession, kind: LevelKind, name: str) -> bool:
    """Whether anybody has it: one page tells, and all of it is not read."""
    filters = {kind: [{"name": name}]}
    page = session.kept(
        ("employees", f"{kind} {name}"),
        lambda: session.page(company.Req_SearchEmployees, wire.EmployeeBrief, 0, **filters),
    )
    return bool(page.records)
