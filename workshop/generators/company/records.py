"""A company's records, as tasks are drawn from them and as a pack file has them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal, TypeVar

from pydantic import Field

from core.tools.folding import fold
from workshop.simulator.company import records
from workshop.simulator.company.records import Listed, TimeEntry, Workload

_PLAIN = str.maketrans({"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "ß": "ss", "æ": "ae"})


def unaccented(text: str) -> str:
    """A text in plain letters, as somebody types it who has no others."""
    parts = unicodedata.normalize("NFKD", text.translate(_PLAIN))
    return "".join(sign for sign in parts if not unicodedata.combining(sign))


class Employee(records.Employee):
    """A person; `group` is whose rights they have."""

    group: str = Field(exclude=True)

    @property
    def last_first(self) -> str:
        """The name with the family name in front."""
        first, _, last = self.name.partition(" ")
        return f"{last} {first}"

    @cached_property
    def skill_levels(self) -> dict[str, int]:
        """Levels by skill."""
        return {one.name: one.level for one in self.skills}

    @cached_property
    def will_levels(self) -> dict[str, int]:
        """Levels by will."""
        return {one.name: one.level for one in self.wills}

    @cached_property
    def levels(self) -> dict[str, int]:
        """Skills and wills together."""
        return {**self.skill_levels, **self.will_levels}


class Customer(records.Customer):
    """A customer; `aka` is what people call it, which no record holds."""

    aka: str = Field(exclude=True)


class Project(records.Project):
    """A project whose first seat is the Lead's; `aka` is what people call it."""

    aka: str = Field(exclude=True)

    @property
    def lead(self) -> str:
        """The id of the one Lead."""
        return self.team[0].employee

    @cached_property
    def members(self) -> tuple[str, ...]:
        """The ids of the whole team."""
        return tuple(seat.employee for seat in self.team)

    def seat(self, employee: str) -> Workload | None:
        """What somebody does here."""
        return next((seat for seat in self.team if seat.employee == employee), None)


R = TypeVar("R", Employee, Customer, Project)


def by_id(some: Iterable[R]) -> dict[str, R]:
    """Records by their ids, in the order of these."""
    return {one.id: one for one in sorted(some, key=lambda one: one.id)}


@dataclass(frozen=True)
class Firm:
    """A company at one moment.

    `skills` and `wills` say what the ids of levels stand for, `places` what a site's town and
    country are called, `own` is the mark of projects without a customer.
    """

    name: str
    own: str
    employees: Mapping[str, Employee]
    customers: Mapping[str, Customer]
    projects: Mapping[str, Project]
    skills: Mapping[str, str]
    wills: Mapping[str, str]
    places: Mapping[str, tuple[str, ...]]
    entries: Mapping[str, TimeEntry] = field(default_factory=dict)
    wiki: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def called(self) -> dict[str, str]:
        """What a skill or a will is called, by its id."""
        return {**self.skills, **self.wills}

    @cached_property
    def folded_names(self) -> dict[str, tuple[str, str]]:
        """Everybody's name in both orders, in plain letters, by id."""
        return {one.id: (fold(one.name), fold(one.last_first)) for one in self.employees.values()}

    def load(self, employee: str, statuses: Collection[str]) -> Decimal:
        """Sum of shares over the projects with one of these statuses."""
        seats = (p.seat(employee) for p in self.projects.values() if p.status in statuses)
        # Shares are in tenths; as floats they would not add up to them.
        return sum((Decimal(str(seat.time_slice)) for seat in seats if seat), Decimal("0.0"))

    def projects_of(self, employee: str) -> list[Project]:
        """The projects that somebody is on, whatever their status."""
        return [project for project in self.projects.values() if project.seat(employee)]

    def led_by(self, employee: str) -> list[Project]:
        """The projects that somebody leads, whatever their status."""
        return [project for project in self.projects.values() if project.lead == employee]

    def of_customer(self, customer: str) -> list[Project]:
        """A customer's projects, whatever their status."""
        return [project for project in self.projects.values() if project.customer == customer]

    def as_json(self) -> dict[str, Any]:
        """As a pack file has it."""
        return {
            "name": self.name,
            "employees": [_plain(one) for one in self.employees.values()],
            "customers": [_plain(one) for one in self.customers.values()],
            "projects": [_plain(one) for one in self.projects.values()],
            "time_entries": [_plain(one) for one in self.entries.values()],
            "wiki": dict(sorted(self.wiki.items())),
        }


def _plain(record: Listed) -> dict[str, Any]:
    return record.model_dump(mode="json")


def patch(before: Firm, after: Firm) -> dict[str, Any]:
    """What a scenario changes in its company: notes, recorded hours, pages."""
    notes = {
        who: {"notes": one.notes}
        for who, one in after.employees.items()
        if one.notes != before.employees[who].notes
    }
    entries = {id_: _plain(one) for id_, one in after.entries.items() if id_ not in before.entries}
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
        return {
            one.id for one in firm.customers.values() if fold(one.primary_contact_name) == plain
        }
    tables: dict[str, Mapping[str, Project] | Mapping[str, Customer]]
    tables = {"project": firm.projects, "customer": firm.customers}
    every = tables[mention.kind].values()
    named = {one.id for one in every if plain in (one.id, fold(one.name), fold(one.aka))}
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
    team = firm.projects[mention.team].members if mention.team else list(firm.employees)
    return {who for who in team if mention.text in firm.employees[who].name.split(" ", 1)}
