"""What the answers of one task have shown: which records there are, and what stands in them.

An answer to the user may only name what stands here, and its links are drawn from here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

import regex
from pydantic import BaseModel

from core.erc3_client.own import company_models as wire

Kind = str
"""Of a link: employee, customer, project, wiki or location."""
_LEVEL_ID = regex.compile(r"\b(?:skill|will)_\w+")
"""Ids that only pages of the wiki may name: nobody has to have what they stand for."""
_POINTERS: dict[str, Kind] = {
    "employee": "employee", "account_manager": "employee", "current_user": "employee",
    "project": "project", "customer": "customer", "file": "wiki", "path": "wiki",
}  # fmt: skip
_WHOLE: dict[type[BaseModel], Kind] = {
    wire.EmployeeView: "employee", wire.CompanyDetail: "customer", wire.ProjectDetail: "project",
}  # fmt: skip
"""Records that are shown with their notes or descriptions."""
_KINDS = _WHOLE | {
    wire.EmployeeBrief: "employee", wire.CompanyBrief: "customer", wire.ProjectBrief: "project",
}  # fmt: skip


class Known(NamedTuple):
    """A record that an answer has shown."""

    kind: Kind
    id: str
    name: str
    """As stored; "" where only its id was shown."""


class Told(BaseModel):
    """What a stage has told the strategy."""

    records: list[Known] = []
    notes: dict[str, str] = {}
    """Of people, by their ids."""
    listed: set[str] = set()
    """The kinds of records of which it told all that the task may mean."""


class ShownPages(BaseModel):
    """Pages of the wiki that were read, by their paths."""

    pages: dict[str, str]


class ReadWhole(BaseModel):
    """That a kind was read whole: employees, projects, companies, entries or paths."""

    listed: str


class Evidence:
    """Every id, name and figure that the world has shown in this task."""

    def __init__(self) -> None:
        self.records: dict[tuple[Kind, str], Known] = {}
        self.emails: set[str] = set()
        self.tokens: set[str] = set()
        """Names of skills and wills, ids of time entries: no links, yet seen."""
        self.texts: dict[tuple[str, str], str] = {}
        """Free text of records that was shown, by what it is and the id of its record."""
        self.pages: dict[str, str] = {}
        self.whole: set[tuple[Kind, str]] = set()
        """Records that were shown with their notes or descriptions."""
        self.listed: set[str] = set()
        """What was read whole."""

    def note(self, answer: BaseModel) -> None:
        """Take over what an answer shows."""
        for part in _parts(answer):
            if kind := _KINDS.get(type(part)):
                id = getattr(part, "id", "")
                self.add(Known(kind, id, getattr(part, "name", "")))
                if type(part) in _WHOLE:
                    self.whole.add((kind, id))
            match part:
                case wire.SkillLevel():
                    self.tokens.add(part.name)
                case wire.TimeEntryWithID():
                    self.tokens.add(part.id)
                case wire.Resp_ListWiki():
                    self._note_pages(dict.fromkeys(part.paths, ""))
                case wire.Resp_LoadWiki():
                    self._note_pages({part.file: part.content})
                case ShownPages():
                    self._note_pages(part.pages)
                case ReadWhole():
                    self.listed.add(part.listed)
            self._note_fields(part)

    def _note_pages(self, pages: Mapping[str, str]) -> None:
        for path, content in pages.items():
            self.add(Known("wiki", path, path))
            self.pages[path] = content or self.pages.get(path, "")
            self.tokens.update(_LEVEL_ID.findall(content))

    def _note_fields(self, part: BaseModel) -> None:
        for field, kind in _POINTERS.items():
            if isinstance(id := getattr(part, field, None), str) and id:
                self.add(Known(kind, id, ""))
        for field in ("email", "primary_contact_email"):
            if isinstance(email := getattr(part, field, None), str) and email:
                self.emails.add(email.casefold())
        for field in ("notes", "description", "brief"):
            if isinstance(text := getattr(part, field, None), str) and text.strip():
                id = str(getattr(part, "id", ""))
                self.texts[f"the {field} of {id or 'a record'}", id] = text

    def add(self, known: Known) -> None:
        """Know a record; of no kind is what has no links. A name that is known stays."""
        if not known.kind:
            self.tokens.add(known.id)
            return
        before = self.records.get((known.kind, known.id))
        if before is None or (known.name and not before.name):
            self.records[known.kind, known.id] = known

    def has(self, kind: Kind, id: str) -> bool:
        """Whether a record was shown; a location is none that could be."""
        return (kind, id) in self.records

    def kinds_of(self, id: str) -> list[Kind]:
        """The kinds of which a record of this id was shown."""
        return [kind for kind, known in self.records if known == id]

    def name_of(self, kind: Kind, id: str) -> str:
        """The stored name of a record; its id where that was not shown."""
        known = self.records.get((kind, id))
        return known.name if known and known.name else id

    @property
    def ids(self) -> set[str]:
        """Ids of all records, and what else was seen that looks like one."""
        return {known for _, known in self.records} | self.tokens


def _parts(answer: BaseModel) -> Iterator[BaseModel]:
    """The records in an answer, itself included."""
    yield answer
    for value in vars(answer).values():
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, BaseModel):
                yield from _parts(inner)


T = TypeVar("T")
Body = dict[str, object]


class _Shown(NamedTuple):
    """An answer that was read, with its request; "": it was none of its own."""

    answer: BaseModel
    path: str = ""
    body: Body | None = None


class Memory:
    """Of one task: a listing is kept until a change to its kind; the evidence is the strategy's.

    What a stage reads is no evidence. Where it is kept, it becomes evidence once the strategy is
    given it.
    """

    def __init__(self, seen: Callable[[str, Body], None] = lambda *_: None) -> None:
        """``seen`` is told path and body of a stage's read when the strategy gets its answer."""
        self.evidence = Evidence()
        self._seen = seen
        self._kept: dict[tuple[str, ...], tuple[object, list[_Shown]]] = {}
        """What was read, and the answers behind it that the strategy was not given yet."""
        self._aside: list[_Shown] | None = None
        """What a stage that reads now was shown, in order; None: the strategy reads."""

    @contextmanager
    def aside(self) -> Iterator[None]:
        """While it lasts nothing that is read is evidence."""
        before, self._aside = self._aside, []
        try:
            yield
        finally:
            self._aside = before

    def tell(self, told: Told) -> None:
        """Take as evidence what a stage tells the strategy."""
        self.evidence.listed |= told.listed
        for known in told.records:
            self.evidence.add(known)
        for id, note in told.notes.items():
            self.evidence.whole.add(("employee", id))
            if note.strip():
                self.evidence.texts[f"the notes of {id}", id] = note

    def note(self, answer: BaseModel, path: str = "", body: Body | None = None) -> None:
        """Take over what the answer to a request shows."""
        if self._aside is not None:
            self._aside.append(_Shown(answer, path, body))
        else:
            self.evidence.note(answer)

    def kept(self, key: tuple[str, ...], read: Callable[[], T]) -> T:
        """What ``read`` gives, asked once until a change to the kind that ``key`` begins with."""
        if key not in self._kept:
            begin = len(self._aside or ())
            value = read()
            self._kept[key] = value, (self._aside or [])[begin:]
            return value
        kept, owed = self._kept[key]
        for shown in owed:
            self.note(*shown)
            if self._aside is None and shown.path:
                self._seen(shown.path, shown.body or {})
        if self._aside is None:
            owed.clear()
        return kept  # type: ignore[return-value]

    def has(self, *key: str) -> bool:
        """Whether that is kept."""
        return key in self._kept

    def forget(self, kind: str) -> None:
        """Drop what a change to a kind makes old."""
        self._kept = {key: kept for key, kept in self._kept.items() if key[0] != kind}
