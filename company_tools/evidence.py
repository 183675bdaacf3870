"""What the answers of one task have shown: which records there are, and what was done to them.

An answer to the user may only name what stands here, and its links are drawn from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import regex

Kind = str
"""Of a link: employee, customer, project, wiki or location."""


class Known(NamedTuple):
    """A record that an answer has shown."""

    kind: Kind
    id: str
    name: str
    """As stored; "" where only its id was shown."""


class Evidence:
    """Every id, name and figure that the world has shown in this task."""

    def __init__(self) -> None:
        self.records: dict[tuple[Kind, str], Known] = {}
        self.emails: set[str] = set()
        self.salaries: set[int] = set()
        self.tokens: set[str] = set()
        """Names of skills and wills, ids of time entries: no links, yet seen."""
        self.texts: dict[tuple[str, str], str] = {}
        """Free text of records that was shown, by what it is and the id of its record."""

    def note(self, path: str, answer: Mapping[str, Any]) -> None:
        """Take over what an answer to ``path`` shows."""
        parts = list(_objects(answer))
        for known in _known_in(path, answer, parts):
            before = self.records.get((known.kind, known.id))
            if before is None or (known.name and not before.name):
                self.records[known.kind, known.id] = known
        for part in parts:
            if isinstance(salary := part.get("salary"), int):
                self.salaries.add(salary)
            for field in ("email", "primary_contact_email"):
                if part.get(field):
                    self.emails.add(str(part[field]).casefold())
            self._note_texts(part)
            if "level" in part and part.get("name"):
                self.tokens.add(str(part["name"]))
        if path.startswith("/time/"):
            self.tokens.update(str(p["id"]) for p in parts if p.get("id"))
        for content in answer.get("contents") or (answer.get("content") or "",):
            self.tokens.update(_LEVEL_ID.findall(content))

    def _note_texts(self, part: Mapping[str, Any]) -> None:
        for field in ("notes", "description", "brief"):
            if isinstance(text := part.get(field), str) and text.strip():
                id = str(part.get("id") or "")
                self.texts[f"the {field} of {id or 'a record'}", id] = text

    def add(self, other: Evidence) -> None:
        """Take over all that other evidence has."""
        self.records = {**self.records, **other.records}
        self.emails |= other.emails
        self.salaries |= other.salaries
        self.tokens |= other.tokens
        self.texts = {**self.texts, **other.texts}

    def has(self, kind: Kind, id: str) -> bool:
        """Whether a record was shown; a location is none that could be."""
        return (kind, id) in self.records

    def kinds_of(self, id: str) -> list[Kind]:
        """The kinds of which a record of this id was shown."""
        return [kind for kind, known in self.records if known == id]

    @property
    def ids(self) -> set[str]:
        """Ids of all records, and what else was seen that looks like one."""
        return {known for _, known in self.records} | self.tokens

    def named(self, kind: Kind) -> Iterator[Known]:
        """The records of a kind that have a name."""
        return (known for known in self.records.values() if known.kind == kind and known.name)


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """The objects in an object or a list of JSON, itself included."""
    if isinstance(value, dict):
        yield value
        value = value.values()
    for inner in value:
        if isinstance(inner, dict | list):
            yield from _objects(inner)


_LEVEL_ID = regex.compile(r"\b(?:skill|will)_\w+")
"""Ids that only pages of the wiki may name: nobody has to have what they stand for."""
_FIELDS: dict[str, Kind] = {
    "employee": "employee",
    "account_manager": "employee",
    "current_user": "employee",
    "project": "project",
    "customer": "customer",
    "file": "wiki",
    "path": "wiki",
}
"""Fields that hold the id of a record, wherever they stand."""
_LISTS: dict[str, Kind] = {"employees": "employee", "companies": "customer", "projects": "project"}
_ONE: dict[str, Kind] = {"employee": "employee", "company": "customer", "project": "project"}


def _known_in(
    path: str, answer: Mapping[str, Any], parts: Iterable[Mapping[str, Any]]
) -> Iterator[Known]:
    for field, kind in _LISTS.items():
        for record in answer.get(field) or ():
            if isinstance(record, Mapping):
                yield Known(kind, record["id"], record.get("name", ""))
    for field, kind in _ONE.items():
        record = answer.get(field)
        if isinstance(record, Mapping) and "id" in record:
            yield Known(kind, record["id"], record.get("name", ""))
    if path == "/wiki/list":
        for page in answer.get("paths") or ():
            yield Known("wiki", page, page)
    for part in parts:
        for field, kind in _FIELDS.items():
            if isinstance(part.get(field), str) and part[field]:
                yield Known(kind, part[field], "")
