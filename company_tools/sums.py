"""Whole lists, hours and workloads summed over them, and who is how good and willing at something.

Skills and wills are asked for by their stored names; their display names stand in the wiki alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel

from company_tools import listings
from company_tools.arguments import day
from company_tools.change import levels_of
from company_tools.company_session import CompanySession
from company_tools.ids import PLACES, Field, customer_id, employee_id, project_id, staff, value_of
from company_tools.profile import person_of
from company_tools.words import words
from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.ledger import ComboRow, Rows, ToolFault
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


@dataclass
class Hours:
    """Hours summed, all and by what they are for; voided ones count."""

    total: float
    billable: float
    other: float
    by_status: dict[str, float]
    by_employee: dict[str, float]
    by_project: dict[str, float]
    by_customer: dict[str, float]
    entries: list[wire.TimeEntryWithID]


def Combo_Sum_Hours_For_Period(
    session: CompanySession,
    date_from: str,
    date_to: str,
    project: str = "",
    employee: str = "",
    customer: str = "",
) -> Rows:
    """[{data: {total, billable, other, by_status, by_employee, by_project, by_customer:
    {name: hours}, entries: [entry]}}]. Voided hours count; by_status tells how many"""
    asked = filters(session, employee, project, customer, date_from, date_to)
    row = _asked_row(asked)
    yield row
    with Collector() as collected:
        entries = collected.rows(lambda: listings.entries(session, **asked))
        row.data = Hours(
            total=total(e.hours for e in entries),
            billable=total(e.hours for e in entries if e.billable),
            other=total(e.hours for e in entries if not e.billable),
            **{f"by_{field}": _hours_by(field, entries) for field in _GROUPS},
            entries=entries,
        )


_GROUPS = ("status", "employee", "project", "customer")


def _asked_row(asked: Mapping[str, str]) -> ComboRow:
    """The row of a search for time entries: its period, and its other filters."""
    given = {name: value for name, value in asked.items() if value}
    period = {name: given.pop(name) for name in ("date_from", "date_to") if name in given}
    return ComboRow(primary=period or None, secondary=given or None)


def _hours_by(field: str, entries: Iterable[wire.TimeEntryWithID]) -> dict[str, float]:
    groups: defaultdict[str, list[float]] = defaultdict(list)
    for entry in entries:
        groups[getattr(entry, field) or ""].append(entry.hours)
    return {value: total(hours) for value, hours in sorted(groups.items())}


Ranked = TypeVar("Ranked", "Load", "Match")


@dataclass
class Ranking(Generic[Ranked]):
    """People by a figure, highest first, and the ids of those with the highest and the lowest."""

    people: list[Ranked]
    most: list[str]
    least: list[str]


def Combo_Sum_Workload_For_Employees(
    session: CompanySession,
    department: str = "",
    location: str = "",
    statuses: list[Status] = [],  # noqa: B006
) -> Rows:
    """Of time slices. [{data: {people: [{id, name, department, location, workload,
    projects: [{id, name, status, role, time_slice}]}] highest first, most: [id], least: [id]}}].
    statuses: of projects; none: all"""
    row = ComboRow(primary=_places(department, location) or None, secondary=statuses or None)
    yield row
    people = staff(listings.employees(session), department, location)
    seats: defaultdict[str, list[Seat]] = defaultdict(list)
    with Collector() as collected:
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
        row.data = _ranked(collected, loads, lambda load: load.workload)


def _places(department: str, location: str) -> dict[str, str]:
    given = {"department": department, "location": location}
    return {name: value for name, value in given.items() if value}


def _ranked(
    collected: Collector, people: list[Ranked], figure: Callable[[Ranked], float]
) -> Ranking[Ranked]:
    people.sort(key=lambda one: (-figure(one), one.id))
    if collected.fault or not people:  # nobody knows who has most of a part
        return Ranking(people, [], [])
    ends = [figure(people[0]), figure(people[-1])]
    most, least = ([one.id for one in people if figure(one) == end] for end in ends)
    return Ranking(people, most, least)


def total(numbers: Iterable[float]) -> float:
    """The sum of numbers as they are printed: 0.1 and 0.2 are 0.3."""
    return float(sum((Decimal(str(n)) for n in numbers), Decimal()))


def Combo_List_All_Employees(session: CompanySession, details: bool = False) -> Rows:
    """[{data: [{id, name, email, salary, location, department}]}], with pay; details,
    slow: with notes, skills, wills"""
    read = listings.whole_employees if details else listings.employees
    yield from _listed(lambda: [*read(session)], person_of if details else None)


def Combo_List_All_Projects(session: CompanySession, teams: bool = True) -> Rows:
    """[{data: [{fields of Req_GetProject}]}], archived too; without teams no
    description"""
    read = listings.whole_projects if teams else listings.projects
    yield from _listed(lambda: [*read(session)])


def Combo_List_All_Customers(session: CompanySession, details: bool = True) -> Rows:
    """[{data: [{fields of Req_GetCustomer}]}]; without details no brief, contact,
    manager"""
    read = listings.whole_customers if details else listings.customers
    yield from _listed(lambda: [*read(session)])


def Combo_List_All_Time_Entries(
    session: CompanySession,
    employee: str = "",
    project: str = "",
    customer: str = "",
    date_from: str = "",
    date_to: str = "",
) -> Rows:
    """[{data: [{id, employee, customer, project, date, hours, billable, work_category,
    notes, status: draft, submitted, approved, invoiced or voided}]}], voided ones too"""
    asked = filters(session, employee, project, customer, date_from, date_to)
    yield from _listed(lambda: listings.entries(session, **asked), row=_asked_row(asked))


def _listed(
    read: Callable[[], list[Any]],
    shown: Callable[[Any], BaseModel] | None = None,
    row: ComboRow | None = None,
) -> Rows:
    row = row or ComboRow()
    yield row
    with Collector() as collected:
        records = collected.rows(read)
        row.data = [*map(shown, records)] if shown else records


Levels = dict[str, int]
LevelKind = Literal["skills", "wills"]
KINDS: tuple[LevelKind, LevelKind] = ("skills", "wills")


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
    skills: dict[str, int] = {},  # noqa: B006
    wills: dict[str, int] = {},  # noqa: B006
    location: str = "",
    department: str = "",
    not_in_project: str = "",
) -> Rows:
    """Who has all, {name: least level}, 0: any. [{data: {people: [{id, name, department,
    location, skills, wills, sum}]: everybody who fits, with the levels asked for, most, least: [id]
    of the highest and lowest sum alone}}]"""
    if not skills and not wills:
        raise ToolFault("give skills or wills: {name: least level}")
    row = ComboRow(primary={"skills": skills, "wills": wills})
    yield row
    asked: dict[LevelKind, Levels] = {
        kind: {level_name(session, kind, name): least for name, least in given.items()}
        for kind, given in zip(KINDS, (skills, wills), strict=True)
    }
    places = {
        field: value_of(field, text, listings.employees(session))
        for field, text in zip(PLACES, (location, department), strict=True)
        if text
    }
    row.primary, row.secondary = asked, places or None
    excluded: set[str] = set()
    if not_in_project:
        team = listings.project(session, project_id(session, not_in_project)).team
        excluded = {member.employee for member in team}
    with Collector() as collected:
        fitting = collected.rows(lambda: _having(session, asked, places))
        wanted = [one.id for one in fitting if one.id not in excluded]
        people = collected.rows(lambda: listings.employees_of(session, wanted))
        matches = [_match(person, asked) for person in people]
        row.data = _ranked(collected, matches, lambda match: match.sum)


def _match(person: wire.EmployeeView, asked: dict[LevelKind, Levels]) -> Match:
    has: dict[str, Levels] = {}
    for kind in KINDS:
        own = levels_of(getattr(person, kind))
        has[kind] = {name: own[name] for name in asked[kind] if name in own}
    level_sum = sum(sum(levels.values()) for levels in has.values())
    return Match(**{**dict(person), **has}, sum=level_sum)


def _having(
    session: CompanySession, levels: Mapping[LevelKind, Levels], places: Mapping[Field, str]
) -> list[wire.EmployeeBrief]:
    """Everybody who has the levels at the place; kept until somebody changes."""
    filters: dict[str, object] = {
        kind: [{"name": name, "min_level": least} for name, least in wanted.items()]
        for kind, wanted in levels.items()
    }
    filters |= {field: place for field, place in places.items()}
    return session.memory.kept(
        ("employees", repr(filters)),
        lambda: session.pages(company.Req_SearchEmployees, wire.EmployeeBrief, **filters),
    )


def level_name(session: CompanySession, kind: LevelKind, text: str) -> str:
    """The stored name of a skill or will that somebody has; its kind may be left out.

    Raises ToolFault: nobody has it, or it could be two; the text names those that were seen.
    """
    text = text.strip()
    if _having(session, {kind: {text: 0}}, {}):
        return text
    own = listings.employee(session, session.user().id)
    shown = sorted(session.evidence.tokens | {one.name for one in (*own.skills, *own.wills)})
    prefix = kind.removesuffix("s")
    matches = {name for name in shown if words(name) in (words(text), (prefix, *words(text)))}
    matches = {name for name in matches if _having(session, {kind: {name: 0}}, {})}
    if len(matches) == 1:
        return matches.pop()
    names = sorted(matches) or [name for name in shown if name.startswith(prefix)] or shown
    raise ToolFault(
        f"{'more than one' if matches else 'nobody has the'} {prefix} {text[:80]!r}; "
        f"seen: {', '.join(names) or 'none'}"
    )
