"""Whole lists, hours and workloads summed over them, and who is how good and willing at something.

Display names of skills and wills stand in the wiki alone (facts of the platform), in a line, a list
or a table that has them beside the stored name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from decimal import Decimal
from typing import Literal, TypeVar

import regex
from pydantic import BaseModel

from company_tools import listings
from company_tools.arguments import day
from company_tools.change import levels_of
from company_tools.company_session import CompanySession
from company_tools.ids import PLACES, customer_id, employee_id, project_id, staff, value_of
from company_tools.profile import person_of
from company_tools.wiki_pages import wiki_pages
from company_tools.wiki_store import WikiStore
from company_tools.words import words
from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.ledger import ToolFault
from core.tools.collector import Collector

Status = Literal["idea", "exploring", "active", "paused", "archived"]


class Seat(BaseModel):
    """A place in a project's team."""

    id: str
    name: str
    status: str
    role: str
    time_slice: float


class Load(BaseModel):
    """How much of their time somebody gives to projects."""

    id: str
    name: str
    department: str
    location: str
    workload: float
    projects: list[Seat]


def filters(
    session: CompanySession, employee: str, project: str, customer: str, first: str, last: str
) -> dict[str, str]:
    """The filters of a search for time entries; "" filters nothing.

    Raises:
        ToolFault: a record or a date is not meant for certain, or the period ends before it begins.
    """
    date_from, date_to = (day(text) if text else "" for text in (first, last))
    if date_to and date_from > date_to:
        raise ToolFault(f"date_from {date_from} is after date_to {date_to}")
    return {
        "employee": employee_id(session, employee) if employee else "",
        "project": project_id(session, project) if project else "",
        "customer": customer_id(session, customer) if customer else "",
        "date_from": date_from,
        "date_to": date_to,
    }


def Combo_Sum_Hours_For_Period(
    session: CompanySession,
    date_from: str,
    date_to: str,
    project: str = "",
    employee: str = "",
    customer: str = "",
) -> dict[str, object]:
    """{total, billable, other, by_status, by_employee, by_project, by_customer: {name: hours},
    entries: [entry], asked}. Voided hours count; by_status tells how many"""
    asked = filters(session, employee, project, customer, date_from, date_to)
    collected = Collector()
    entries = collected.rows(lambda: listings.entries(session, **asked))
    by: dict[str, dict[str, float]] = {}
    for field in ("status", "employee", "project", "customer"):
        groups: defaultdict[str, list[float]] = defaultdict(list)
        for entry in entries:
            groups[getattr(entry, field) or ""].append(entry.hours)
        by[f"by_{field}"] = {value: total(hours) for value, hours in sorted(groups.items())}
    return collected.result(
        {
            "total": total(e.hours for e in entries),
            "billable": total(e.hours for e in entries if e.billable),
            "other": total(e.hours for e in entries if not e.billable),
            **by,
            "entries": entries,
            "asked": {name: value for name, value in asked.items() if value},
        }
    )


def Combo_Sum_Workload_For_Employees(
    session: CompanySession,
    department: str = "",
    location: str = "",
    statuses: list[Status] = [],  # noqa: B006
) -> dict[str, object]:
    """Of time slices: {people: [{id, name, department, location, workload, projects: [{id,
    name, status, role, time_slice}]}] highest first, most: [id], least: [id]}. statuses: of
    projects; none: all"""
    people = staff(listings.employees(session), department, location)
    seats: defaultdict[str, list[Seat]] = defaultdict(list)
    collected = Collector()
    for project in collected.rows(lambda: listings.whole_projects(session)):
        for member in project.team if not statuses or project.status in statuses else ():
            about = {"id": project.id, "name": project.name, "status": project.status}
            seat = Seat(**about, role=member.role, time_slice=member.time_slice)
            seats[member.employee].append(seat)
    loads = [
        Load(
            **dict(one),
            workload=total(seat.time_slice for seat in seats[one.id]),
            projects=seats[one.id],
        )
        for one in people
    ]
    loads.sort(key=lambda load: (-load.workload, load.id))
    ends = _ends(collected, [(one.id, one.workload) for one in loads])
    return collected.result({"people": loads, **ends})


def _ends(collected: Collector, ranked: list[tuple[str, float]]) -> dict[str, list[str]]:
    """The ids with the highest and with the lowest figure of a ranking, highest first."""
    if collected.fault or not ranked:  # nobody knows who has most of a part
        return {"most": [], "least": []}
    ends = {"most": ranked[0][1], "least": ranked[-1][1]}
    return {name: [id for id, figure in ranked if figure == end] for name, end in ends.items()}


def total(numbers: Iterable[float]) -> float:
    """The sum of numbers as they are printed: 0.1 and 0.2 are 0.3."""
    return float(sum((Decimal(str(n)) for n in numbers), Decimal()))


T = TypeVar("T")


def Combo_List_All_Employees(session: CompanySession, details: bool = False) -> dict[str, object]:
    """{employees: [{id, name, email, salary, location, department}]}, with pay; details, slow:
    with notes, skills, wills"""
    if not details:
        return _listed("employees", lambda: listings.employees(session))
    collected = Collector()
    people = collected.rows(lambda: listings.whole_employees(session))
    return collected.result({"employees": [person_of(one) for one in people]})


def Combo_List_All_Projects(session: CompanySession, teams: bool = True) -> dict[str, object]:
    """{projects: [fields of Req_GetProject]}, archived too; without teams no description"""
    if not teams:
        return _listed("projects", lambda: listings.projects(session))
    return _listed("projects", lambda: listings.whole_projects(session))


def Combo_List_All_Customers(session: CompanySession, details: bool = True) -> dict[str, object]:
    """{customers: [fields of Req_GetCustomer]}; without details no brief, contact, manager"""
    if not details:
        return _listed("customers", lambda: listings.customers(session))
    return _listed("customers", lambda: listings.whole_customers(session))


def Combo_List_All_Time_Entries(
    session: CompanySession,
    employee: str = "",
    project: str = "",
    customer: str = "",
    date_from: str = "",
    date_to: str = "",
) -> dict[str, object]:
    """{entries: [{id, employee, customer, project, date, hours, billable, work_category, notes,
    status: draft, submitted, approved, invoiced or voided}]}, voided ones too"""
    asked = filters(session, employee, project, customer, date_from, date_to)
    return _listed("entries", lambda: listings.entries(session, **asked))


def _listed(field: str, read: Callable[[], list[T]]) -> dict[str, object]:
    collected = Collector()
    return collected.result({field: collected.rows(read)})


Levels = dict[str, int]
LevelKind = Literal["skills", "wills"]
KINDS: tuple[LevelKind, LevelKind] = ("skills", "wills")
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
    session: CompanySession,
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
    places: dict[str, str] = {
        field: value_of(field, text, listings.employees(session))
        for field, text in zip(PLACES, (location, department), strict=True)
        if text
    }
    excluded: set[str] = set()
    if not_in_project:
        team = listings.project(session, project_id(session, not_in_project)).team
        excluded = {member.employee for member in team}
    collected = Collector()
    fitting = collected.rows(lambda: _having(session, asked, places))
    wanted = [one.id for one in fitting if one.id not in excluded]
    people = collected.rows(lambda: listings.employees_of(session, wanted))
    rows = [_match(person, asked) for person in people]
    rows.sort(key=lambda one: (-one.sum, one.id))
    ends = _ends(collected, [(one.id, one.sum) for one in rows])
    return collected.result({"people": rows, **ends, "asked": asked})


def _match(person: wire.EmployeeView, asked: dict[LevelKind, Levels]) -> Match:
    has: dict[str, Levels] = {}
    for kind in KINDS:
        own = levels_of(getattr(person, kind))
        has[kind] = {name: own[name] for name in asked[kind] if name in own}
    level_sum = sum(sum(levels.values()) for levels in has.values())
    return Match(**{**dict(person), **has}, sum=level_sum)


def _having(
    session: CompanySession, levels: dict[LevelKind, Levels], places: dict[str, str]
) -> list[wire.EmployeeBrief]:
    """Everybody who has the levels at the place; kept until somebody changes."""
    filters = {
        kind: [{"name": name, "min_level": least} for name, least in wanted.items()]
        for kind, wanted in levels.items()
    }
    return session.memory.kept(
        ("employees", repr((filters, places))),
        lambda: session.pages(company.Req_SearchEmployees, wire.EmployeeBrief, **filters, **places),
    )


def level_name(session: CompanySession, wiki: WikiStore, kind: LevelKind, text: str) -> str:
    """The stored name of a skill or will that somebody has.

    Raises ToolFault: nobody has it, or it could be two; the text names those that were seen.
    """
    text = text.strip()
    if _having(session, {kind: {text: 0}}, {}):
        return text
    own = listings.employee(session, session.user().id)
    shown = sorted(session.evidence.tokens | {one.name for one in (*own.skills, *own.wills)})
    prefix = kind.removesuffix("s")
    matches = {name for name in shown if words(name) in (words(text), (prefix, *words(text)))}
    if not matches:
        pages = wiki_pages(session, wiki)
        shown = sorted(session.evidence.tokens)
        matches = {name for page in pages.values() for name in _named_so(page, text, shown)}
    matches = {name for name in matches if _having(session, {kind: {name: 0}}, {})}
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
