"""What a company of a pack is made of: its records, with exactly the fields of the wire.

Each is served as a `Row`, in the form of the wire.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
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
    """A record of one of the company's lists.

    `get` shows the fields of `shown`, lists those of `listed`; queries look into `searched`.
    """

    shown: ClassVar[type[BaseModel]]
    listed: ClassVar[type[BaseModel]]
    searched: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def row_of(cls, fields: Wire) -> Row:
        """The row of such a record."""
        wire = {name: _wired(value) for name, value in fields.items()}
        texts = tuple(wire[name].lower() for name in cls.searched)
        return Row(part(wire, *cls.shown.model_fields), part(wire, *_listed(cls.listed)), texts)

    @cached_property
    def row(self) -> Row:
        """The record as all tasks serve it that do not change it."""
        return self.row_of(self.model_dump(mode="json"))


def _wired(value: Any) -> Any:
    """A value as the wire has it: an empty list is null, a number as Go prints it."""
    if isinstance(value, dict):
        return {name: _wired(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_wired(one) for one in value] or None
    return plain(value) if isinstance(value, float) else value


def _listed(model: type[BaseModel]) -> list[str]:
    """The names of fields, the id first."""
    return ["id", *(name for name in model.model_fields if name != "id")]


class Level(Record, shapes.SkillLevel):
    """How good somebody is at something, or how willing."""

    name: Name


Levels = Annotated[tuple[Level, ...], BeforeValidator(_null_is_empty)]


class Employee(Listed, shapes.EmployeeView):
    """Somebody of the company."""

    shown, listed = shapes.EmployeeView, shapes.EmployeeBrief
    searched = ("name", "id", "email")
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

    shown, listed = shapes.CompanyDetail, shapes.CompanyBrief
    searched = ("name", "brief")
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

    shown, listed = shapes.ProjectDetail, shapes.ProjectBrief
    searched = ("name", "description")
    id: Name
    name: Name
    description: str
    customer: str
    team: Annotated[tuple[Workload, ...], BeforeValidator(_null_is_empty)]  # type: ignore[assignment]


class TimeEntry(Listed, shapes.TimeEntryWithID):
    """Hours of somebody on a day; the platform takes any text for the status."""

    shown, listed = shapes.TimeEntry, shapes.TimeEntryWithID
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
