"""A company's records, as tasks are drawn from them and as a pack file has them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache, cached_property, lru_cache
from typing import Any, Generic, TypeVar

from core.tools.folding import fold

_PLAIN = str.maketrans({"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "ß": "ss", "æ": "ae"})


@lru_cache(maxsize=4096)
def unaccented(text: str) -> str:
    """A text in plain letters, as somebody types it who has no others."""
    parts = unicodedata.normalize("NFKD", text.translate(_PLAIN))
    return "".join(sign for sign in parts if not unicodedata.combining(sign))


@lru_cache(maxsize=4096)
def folded(text: str) -> str:
    """A text in plain letters, lower case."""
    return fold(text)


_WORD = re.compile(r"\w{3,}")
_SMALL = frozenset(
    {"the", "and", "for", "our", "with", "that", "who", "where", "which", "from", "over", "into"}
    | {"their", "are", "its"}
)


@lru_cache(maxsize=4096)
def words_of(text: str) -> frozenset[str]:
    """The longer words of a text, in plain letters and without their commonest endings."""
    return frozenset({_stem(word) for word in _WORD.findall(folded(text)) if word not in _SMALL})


def _stem(word: str) -> str:
    for end in ("ing", "ies", "es", "ed", "s", "e", "y"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            return word.removesuffix(end)
    return word


_ON_THE_WIRE = {
    "contact": "primary_contact_name",
    "mail": "primary_contact_email",
    "phase": "deal_phase",
    "level": "high_level_status",
    "share": "time_slice",
}
"""What the wire calls a field that is named otherwise here."""
_UNWRITTEN = ("group", "aka")
"""What no record of the platform has."""


@dataclass(frozen=True, slots=True)
class Record:
    """What has an id and a form on the wire."""

    id: str

    def as_json(self) -> dict[str, Any]:
        """As the wire has it."""
        return _as_json(self)


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
    phase: str
    level: str
    contact: str
    mail: str
    account_manager: str
    aka: str


@dataclass(frozen=True, slots=True)
class Seat:
    """One member's part in a team; `share` is exact, in tenths."""

    employee: str
    share: Decimal
    role: str

    def as_json(self) -> dict[str, Any]:
        """As the wire has it."""
        return _as_json(self)


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


def _as_json(record: Record | Seat) -> dict[str, Any]:
    pairs = _written(type(record))  # type: ignore[arg-type]
    return {wire: _plain(getattr(record, name)) for name, wire in pairs}


@cache
def _written(kind: type[Any]) -> list[tuple[str, str]]:
    names = (name for name in kind.__dataclass_fields__ if name not in _UNWRITTEN)
    return [(name, _ON_THE_WIRE.get(name, name)) for name in names]


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return [{"name": name, "level": level} for name, level in value.items()]
    if isinstance(value, tuple):
        return [seat.as_json() for seat in value]
    if isinstance(value, float):
        return int(value) if value == int(value) else value
    return float(value) if isinstance(value, Decimal) else value


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
    marks: Mapping[str, list[tuple[str, int]]] = field(default_factory=dict)
    """By what it decides, the pages and lines of the wiki."""

    @cached_property
    def called(self) -> dict[str, str]:
        """What a skill or a will is called, by its id."""
        return {**self.skills, **self.wills}

    @cached_property
    def folded_names(self) -> dict[str, tuple[str, str]]:
        """Everybody's name in both orders, in plain letters, by id."""
        return {one.id: (folded(one.name), folded(one.last_first)) for one in self.employees}

    @cached_property
    def _customer_words(self) -> dict[str, frozenset[str]]:
        return {
            one.id: words_of(f"{one.name} {one.brief} {one.location} {one.contact}")
            for one in self.customers
        }

    @cached_property
    def _project_words(self) -> dict[str, frozenset[str]]:
        around, none = self._customer_words, frozenset[str]()
        return {
            one.id: words_of(f"{one.name} {one.description}") | around.get(one.customer, none)
            for one in self.projects
        }

    def words_around(self, projects: bool) -> dict[str, frozenset[str]]:
        """All words that a reader finds in or around each project, or each customer, by id."""
        return self._project_words if projects else self._customer_words

    def load(self, employee: str, statuses: Collection[str]) -> Decimal:
        """Sum of shares over the projects with one of these statuses."""
        seats = (p.seat(employee) for p in self.projects if p.status in statuses)
        return sum((seat.share for seat in seats if seat), Decimal("0.0"))

    def projects_of(self, employee: str) -> list[Project]:
        """The projects that somebody is on, whatever their status."""
        return [project for project in self.projects if project.seat(employee)]

    def led_by(self, employee: str) -> list[Project]:
        """The projects that somebody leads, whatever their status."""
        return [project for project in self.projects if project.lead == employee]

    def of_customer(self, customer: str) -> list[Project]:
        """A customer's projects, whatever their status."""
        return [project for project in self.projects if project.customer == customer]

    def noted(self, notes: Mapping[str, str]) -> Firm:
        """The same company with these notes on people's records."""
        changed = [replace(self.employees[who], notes=text) for who, text in notes.items()]
        return replace(self, employees=self.employees.put(*changed))

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
