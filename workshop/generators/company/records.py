"""A company's records, as tasks are drawn from them and as a pack file has them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any, Generic, Literal, TypeVar

from core.tools.folding import fold

_PLAIN = str.maketrans({"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "ß": "ss", "æ": "ae"})


def unaccented(text: str) -> str:
    """A text in plain letters, as somebody types it who has no others."""
    parts = unicodedata.normalize("NFKD", text.translate(_PLAIN))
    return "".join(sign for sign in parts if not unicodedata.combining(sign))


@dataclass(frozen=True, slots=True)
class Wired:
    """What has a form on the wire."""

    def as_json(self) -> dict[str, Any]:
        """As the wire has it, which knows no `group` and no `aka`."""
        fields: dict[str, Any] = {}
        for name in self.__dataclass_fields__:
            match getattr(self, name):
                case _ if name in ("group", "aka"):
                    continue
                case dict() as levels:
                    fields[name] = [{"name": one, "level": level} for one, level in levels.items()]
                case tuple() as team:
                    fields[name] = [seat.as_json() for seat in team]
                case float() | Decimal() as number:
                    whole = isinstance(number, float) and number == int(number)
                    fields[name] = int(number) if whole else float(number)
                case value:
                    fields[name] = value
        return fields


@dataclass(frozen=True, slots=True)
class Record(Wired):
    """What has an id."""

    id: str


@dataclass(frozen=True, slots=True)
class Employee(Record):
    """A person; `skills` and `wills` are levels by id, `group` is whose rights they have."""

    name: str
    email: str
    salary: int
    location: str
    department: str
    group: str
    skills: dict[str, int]
    wills: dict[str, int]
    notes: str = ""

    @property
    def last_first(self) -> str:
        """The name with the family name in front."""
        first, _, last = self.name.partition(" ")
        return f"{last} {first}"

    @property
    def levels(self) -> dict[str, int]:
        """Skills and wills together."""
        return {**self.skills, **self.wills}


@dataclass(frozen=True, slots=True)
class Customer(Record):
    """A customer; `aka` is what people call it, which no record holds."""

    name: str
    location: str
    brief: str
    deal_phase: str
    high_level_status: str
    primary_contact_name: str
    primary_contact_email: str
    account_manager: str
    aka: str


@dataclass(frozen=True, slots=True)
class Seat(Wired):
    """One member's part in a team; the share is exact, in tenths."""

    employee: str
    time_slice: Decimal
    role: str


@dataclass(frozen=True, slots=True)
class Project(Record):
    """A project whose first seat is the Lead's; `aka` is what people call it."""

    name: str
    customer: str
    status: str
    description: str
    team: tuple[Seat, ...]
    aka: str

    @property
    def lead(self) -> str:
        """The id of the one Lead."""
        return self.team[0].employee

    @property
    def members(self) -> tuple[str, ...]:
        """The ids of the whole team."""
        return tuple(seat.employee for seat in self.team)

    def seat(self, employee: str) -> Seat | None:
        """What somebody does here."""
        return next((seat for seat in self.team if seat.employee == employee), None)


@dataclass(frozen=True, slots=True)
class Entry(Record):
    """Recorded hours; `hours` is whole or a half."""

    employee: str
    customer: str
    project: str
    date: str
    hours: float
    work_category: str
    billable: bool
    notes: str = ""
    status: str = "approved"


R = TypeVar("R", bound=Record)


class Records(Generic[R]):
    """Records of one kind, in the order of their ids."""

    def __init__(self, records: Iterable[R]) -> None:
        self._by_id = {record.id: record for record in sorted(records, key=lambda r: r.id)}

    def __getitem__(self, record_id: str) -> R:
        return self._by_id[record_id]

    def __contains__(self, record_id: object) -> bool:
        return record_id in self._by_id

    def __iter__(self) -> Iterator[R]:
        return iter(self._by_id.values())

    def __len__(self) -> int:
        return len(self._by_id)

    def put(self, *records: R) -> Records[R]:
        """The same with these new or in place of those with their ids."""
        return Records({**self._by_id, **{r.id: r for r in records}}.values())

    def as_json(self) -> list[dict[str, Any]]:
        """As a pack file lists them."""
        return [record.as_json() for record in self]


@dataclass(frozen=True)
class Firm:
    """A company at one moment.

    `skills` and `wills` say what the ids of levels stand for, `places` what a site's town and
    country are called, `own` is the mark of projects without a customer.
    """

    name: str
    own: str
    employees: Records[Employee]
    customers: Records[Customer]
    projects: Records[Project]
    skills: Mapping[str, str]
    wills: Mapping[str, str]
    places: Mapping[str, tuple[str, ...]]
    entries: Records[Entry] = field(default_factory=lambda: Records([]))
    wiki: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def called(self) -> dict[str, str]:
        """What a skill or a will is called, by its id."""
        return {**self.skills, **self.wills}

    @cached_property
    def folded_names(self) -> dict[str, tuple[str, str]]:
        """Everybody's name in both orders, in plain letters, by id."""
        return {one.id: (fold(one.name), fold(one.last_first)) for one in self.employees}

    def load(self, employee: str, statuses: Collection[str]) -> Decimal:
        """Sum of shares over the projects with one of these statuses."""
        seats = (p.seat(employee) for p in self.projects if p.status in statuses)
        return sum((seat.time_slice for seat in seats if seat), Decimal("0.0"))

    def projects_of(self, employee: str) -> list[Project]:
        """The projects that somebody is on, whatever their status."""
        return [project for project in self.projects if project.seat(employee)]

    def led_by(self, employee: str) -> list[Project]:
        """The projects that somebody leads, whatever their status."""
        return [project for project in self.projects if project.lead == employee]

    def of_customer(self, customer: str) -> list[Project]:
        """A customer's projects, whatever their status."""
        return [project for project in self.projects if project.customer == customer]

    def as_json(self) -> dict[str, Any]:
        """As a pack file has it."""
        return {
            "name": self.name,
            "employees": self.employees.as_json(),
            "customers": self.customers.as_json(),
            "projects": self.projects.as_json(),
            "time_entries": self.entries.as_json(),
            "wiki": dict(sorted(self.wiki.items())),
        }


def patch(before: Firm, after: Firm) -> dict[str, Any]:
    """What a scenario changes in its company: notes, recorded hours, pages."""
    notes = {
        one.id: {"notes": one.notes}
        for one in after.employees
        if after.employees is not before.employees and one.notes != before.employees[one.id].notes
    }
    entries = {one.id: one.as_json() for one in after.entries if one.id not in before.entries}
    pages = {p: text for p, text in sorted(after.wiki.items()) if before.wiki.get(p) != text}
    changes = {"employees": notes, "time_entries": entries, "wiki": pages}
    return {table: changed for table, changed in changes.items() if changed}


@dataclass(frozen=True, slots=True)
class Mention:
    """A piece of a task's text and the record that it means; `team` is the project whose team it
    is said of, `open` where it is the point that several fit."""

    kind: Literal["employee", "contact", "project", "customer"]
    id: str
    text: str
    team: str | None = None
    open: bool = False


def matching(firm: Firm, mention: Mention) -> set[str]:
    """The ids of all records that it may mean."""
    plain = fold(mention.text)
    if mention.kind == "employee":
        return _people(firm, mention)
    if mention.kind == "contact":
        return {one.id for one in firm.customers if fold(one.primary_contact_name) == plain}
    records = firm.projects if mention.kind == "project" else firm.customers
    named = {one.id for one in records if plain in (one.id, fold(one.name), fold(one.aka))}
    # No two names are alike but for a slip of the pen.
    return named or {mention.id}


def people_named(firm: Firm, text: str) -> set[str]:
    """Everybody whose whole name stands in a text, in either order, accents or not."""
    plain = fold(text)
    return {
        who
        for who, names in firm.folded_names.items()
        # Most names are nowhere in it, which needs no pattern.
        if any(name in plain and re.search(rf"\b{re.escape(name)}\b", plain) for name in names)
    }


def mistake(firm: Firm, text: str, mentions: Iterable[Mention]) -> str | None:
    """What is unclear in a text: a name that means another record than it shall, or a person
    who is named by accident; None where nothing is."""
    meant = set()
    for one in mentions:
        matches = matching(firm, one)
        if (matches == {one.id}) == one.open:
            return f"{one.text!r} shall mean {one.id}, may mean {matches}"
        meant |= {one.id} if one.kind == "employee" else set()
    extra = people_named(firm, text) - meant
    return f"the text names {extra} by accident" if extra else None


def _people(firm: Firm, mention: Mention) -> set[str]:
    if mention.text in firm.employees:
        return {mention.text}
    if whole := people_named(firm, mention.text):
        return whole
    team = firm.projects[mention.team].members if mention.team else [e.id for e in firm.employees]
    return {who for who in team if mention.text in firm.employees[who].name.split(" ", 1)}
