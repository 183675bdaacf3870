"""What a company of a pack is made of: its records, with exactly the fields of the wire.

Each is served as a `Row`, in the form of the wire.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from functools import cached_property
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    model_validator,
)

from core.erc3_client.own import company_shapes as shapes
from workshop.simulator.pack_files import Name, Record, refuse, repeated
from workshop.simulator.world import Wire

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_LARGEST_PLAIN = 1e21
"""From here on Go prints an exponent, as Python does."""


class Row(NamedTuple):
    """A record as `get` and as lists show it, and the texts that queries are looked for in.

    Rows are shared by tasks, by answers and by their logs: none is ever changed.
    """

    full: Wire
    brief: Wire
    texts: tuple[str, ...] = ()


def plain(number: float) -> float:
    """A number as Go prints it: 8 and not 8.0."""
    return int(number) if number == number // 1 and abs(number) < _LARGEST_PLAIN else number


def part(whole: Mapping[str, Any], *names: str) -> Wire:
    """Some fields of a record, in this order."""
    return {name: whole[name] for name in names}


def employee_row(fields: Wire) -> Row:
    """The row of an employee."""
    lists = {name: fields[name] or None for name in ("skills", "wills")}
    full = part(fields, *shapes.EmployeeView.model_fields) | lists
    return _row(full, shapes.EmployeeBrief, "name", "id", "email")


def customer_row(fields: Wire) -> Row:
    """The row of a customer."""
    full = part(fields, *shapes.CompanyDetail.model_fields)
    return _row(full, shapes.CompanyBrief, "name", "brief")


def project_row(fields: Wire) -> Row:
    """The row of a project."""
    team = [
        {**member, "time_slice": plain(member["time_slice"])} for member in fields["team"] or ()
    ]
    full = part(fields, *shapes.ProjectDetail.model_fields) | {"team": team or None}
    return _row(full, shapes.ProjectBrief, "name", "description")


def entry_row(fields: Wire) -> Row:
    """The row of a time entry: lists show its id, `get` does not."""
    full = part(fields, *shapes.TimeEntry.model_fields) | {"hours": plain(fields["hours"])}
    return Row(full, {"id": fields["id"], **full})


def _row(full: Wire, brief: type[BaseModel], *searched: str) -> Row:
    texts = tuple(full[name].lower() for name in searched)
    return Row(full, part(full, *brief.model_fields), texts)


def real_day(value: str) -> str:
    """A validator: a day that the calendar has, as `YYYY-MM-DD`."""
    if not _DAY.fullmatch(value):
        raise ValueError(f"must be a date as YYYY-MM-DD, not {value[:40]!r}")
    date.fromisoformat(value)
    return value


Day = Annotated[str, AfterValidator(real_day)]
"""A date as `YYYY-MM-DD`."""
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


def _null_is_empty(value: Any) -> Any:
    # The wire has null for a list without elements. What a validator returns is no JSON any more.
    return tuple(value or ()) if isinstance(value, list | None) else value


class Listed(Record):
    """A record of one of the company's lists."""

    make_row: ClassVar[Callable[[Wire], Row]]

    @cached_property
    def row(self) -> Row:
        """The record as all tasks serve it that do not change it."""
        return type(self).make_row(self.model_dump(mode="json"))


class Level(Record, shapes.SkillLevel):
    """How good somebody is at something, or how willing."""

    name: Name


Levels = Annotated[tuple[Level, ...], BeforeValidator(_null_is_empty)]


class Employee(Listed, shapes.EmployeeView):
    """Somebody of the company."""

    make_row = employee_row
    id: Name
    name: Name
    email: str
    salary: int
    notes: str
    location: str
    department: str
    skills: Levels  # type: ignore[assignment]
    wills: Levels  # type: ignore[assignment]


class Customer(Listed, shapes.CompanyDetail):
    """A customer in the CRM; `account_manager` is an employee."""

    make_row = customer_row
    id: Name
    name: Name
    brief: str
    location: str
    primary_contact_name: str
    primary_contact_email: str
    high_level_status: str
    account_manager: str


class Workload(Record, shapes.Workload):
    """A member of a team."""

    employee: Name
    time_slice: Amount


class Project(Listed, shapes.ProjectDetail):
    """A project; `customer` is in the CRM, or only marks projects of the company's own."""

    make_row = project_row
    id: Name
    name: Name
    description: str
    customer: str
    team: Annotated[tuple[Workload, ...], BeforeValidator(_null_is_empty)]  # type: ignore[assignment]


class TimeEntry(Listed, shapes.TimeEntryWithID):
    """Hours of somebody on a day; the platform takes any text for the status."""

    make_row = entry_row
    id: Name
    employee: Name
    customer: str
    project: str
    date: Day
    hours: Amount
    work_category: str
    notes: str


TABLES: dict[str, type[Listed]] = {
    "employees": Employee,
    "customers": Customer,
    "projects": Project,
    "time_entries": TimeEntry,
}
"""The lists of a company by name."""


class Company(Record):
    """A company as a pack has it; every list is served in the order of the pack."""

    name: Name
    employees: tuple[Employee, ...]
    customers: tuple[Customer, ...] = ()
    projects: tuple[Project, ...] = ()
    time_entries: tuple[TimeEntry, ...] = ()
    wiki: dict[Name, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _ids_agree(self) -> Company:
        refuse(self._mistakes())
        return self

    def _mistakes(self) -> Iterator[str]:
        for table in TABLES:
            yield from repeated(table, "id", (record.id for record in getattr(self, table)))
        people = {person.id for person in self.employees}
        projects = {project.id for project in self.projects}
        for project in self.projects:
            for member in project.team:
                yield from _unknown(f"project {project.id!r}: team", member.employee, people)
        for customer in self.customers:
            where = f"customer {customer.id!r}: account_manager"
            yield from _unknown(where, customer.account_manager, people | {""})
        for entry in self.time_entries:
            yield from _unknown(f"time entry {entry.id!r}: employee", entry.employee, people)
            yield from _unknown(f"time entry {entry.id!r}: project", entry.project, projects | {""})


def _unknown(where: str, name: str, known: set[str]) -> Iterator[str]:
    if name not in known:
        yield f"{where}: the company has no {name!r}"
