"""Hours and workloads, summed over what was listed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal
from typing import Literal

from pydantic import BaseModel

from company_tools import listings
from company_tools.arguments import day
from company_tools.ids import customer_id, employee_id, project_id, staff
from company_tools.reading_session import ReadingSession
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
    session: ReadingSession, employee: str, project: str, customer: str, first: str, last: str
) -> dict[str, str]:
    """The filters of a search for time entries; "" filters nothing.

    Raises:
        ToolFault: a record or a date is not meant for certain, or the period ends before it begins.
    """
    today = session.user().today
    date_from, date_to = (day(text, today) if text else "" for text in (first, last))
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
    session: ReadingSession,
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
    groups = ("status", "employee", "project", "customer")
    return collected.result(
        {
            "total": total(e.hours for e in entries),
            "billable": total(e.hours for e in entries if e.billable),
            "other": total(e.hours for e in entries if not e.billable),
            **{f"by_{field}": _hours_by(field, entries) for field in groups},
            "entries": entries,
            "asked": {name: value for name, value in asked.items() if value},
        }
    )


def _hours_by(field: str, entries: Iterable[wire.TimeEntry]) -> dict[str, float]:
    groups: defaultdict[str, list[float]] = defaultdict(list)
    for entry in entries:
        groups[getattr(entry, field) or ""].append(entry.hours)
    return {value: total(hours) for value, hours in sorted(groups.items())}


def Combo_Sum_Workload_For_Employees(
    session: ReadingSession,
    department: str = "",
    location: str = "",
    statuses: list[Status] = [],  # noqa: B006
) -> dict[str, object]:
    """Of time slices: {people: [{id, name, department, location, workload, projects: [{id,
    name, status, role, time_slice}]}] highest first, most: [id], least: [id]}. statuses: of
    projects; none: all"""
    listings.ahead(session, "employees", "projects")
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
            id=one.id,
            name=one.name,
            department=one.department,
            location=one.location,
            workload=total(seat.time_slice for seat in seats[one.id]),
            projects=seats[one.id],
        )
        for one in people
    ]
    loads.sort(key=lambda load: (-load.workload, load.id))
    # Nobody knows who has most of a part.
    most, least = ([], []) if collected.fault else ends([(one.id, one.workload) for one in loads])
    return collected.result({"people": loads, "most": most, "least": least})


def ends(ranked: list[tuple[str, float]]) -> tuple[list[str], list[str]]:
    """The ids with the highest and with the lowest figure of a ranking, highest first."""
    if not ranked:
        return [], []
    figures = ranked[0][1], ranked[-1][1]
    most, least = ([id for id, figure in ranked if figure == end] for end in figures)
    return most, least


def total(numbers: Iterable[float]) -> float:
    """The sum of numbers as they are printed: 0.1 and 0.2 are 0.3."""
    return float(sum((Decimal(str(n)) for n in numbers), Decimal()))
