"""What a change would write, part by part: the fields that differ from the record as it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from company_tools import listings
from company_tools.change import Change
from company_tools.company_session import CompanySession
from company_tools.settling import levels_of
from company_tools.subjects import Kind
from core.erc3_client import company
from core.erc3_client.own import company_models as wire

_SCALARS: dict[str, Kind] = {
    "salary": "pay", "notes": "notes", "location": "place", "department": "place",
}  # fmt: skip


@dataclass(frozen=True)
class FieldPart:
    """A single value of somebody's record."""

    kind: Kind
    id: str
    own: bool
    person: wire.EmployeeView
    field: str
    new: str | int


@dataclass(frozen=True)
class LevelsPart:
    """Skills or wills of somebody."""

    id: str
    own: bool
    person: wire.EmployeeView
    before: dict[str, int]
    moved: dict[str, int | None]
    """The new level of each that differs; None: it goes."""
    kind: ClassVar[Kind] = "levels"


@dataclass(frozen=True)
class StatusPart:
    """A project's status."""

    id: str
    project: wire.ProjectDetail
    status: str
    own: bool = False
    kind: ClassVar[Kind] = "status"


@dataclass(frozen=True)
class TeamPart:
    """A project's team."""

    id: str
    project: wire.ProjectDetail
    team: list[wire.Workload]
    own: bool = False
    kind: ClassVar[Kind] = "team"


@dataclass(frozen=True)
class LoggedPart:
    """Hours that are logged."""

    id: str
    """Of the person."""
    own: bool
    request: company.Req_LogTimeEntry
    kind: ClassVar[Kind] = "hours"


@dataclass(frozen=True)
class EntryPart:
    """An entry of hours that is changed."""

    id: str
    own: bool
    entry: wire.TimeEntry
    request: company.Req_UpdateTimeEntry
    changed: frozenset[str]
    """The fields that differ."""
    kind: ClassVar[Kind] = "hours"


@dataclass(frozen=True)
class PagePart:
    """A page of the wiki."""

    id: str
    content: str
    own: bool = False
    kind: ClassVar[Kind] = "wiki"


Part: TypeAlias = FieldPart | LevelsPart | StatusPart | TeamPart | LoggedPart | EntryPart | PagePart


def parts_of(session: CompanySession, change: Change) -> Iterator[Part]:
    """The parts of a change; none where nothing would differ.

    Raises ToolFault: the record cannot be read.
    """
    request, requester = change.request, session.requester
    match request:
        case company.Req_UpdateEmployeeInfo():
            yield from _of_employee(session, request)
        case company.Req_UpdateProjectStatus():
            project = listings.project(session, request.id)
            yield StatusPart(request.id, project, request.status)
        case company.Req_UpdateProjectTeam():
            yield TeamPart(request.id, listings.project(session, request.id), request.team)
        case company.Req_LogTimeEntry():
            yield LoggedPart(request.employee, request.employee == requester, request)
        case company.Req_UpdateTimeEntry():
            entry = listings.entry(session, request.id)
            fields = type(request).model_fields.keys() & type(entry).model_fields.keys()
            changed = frozenset(f for f in fields if getattr(request, f) != getattr(entry, f))
            if changed:
                own = entry.employee == requester
                yield EntryPart(request.id, own, entry, request, changed)
        case company.Req_UpdateWiki():
            yield PagePart(request.file, request.content)


def _of_employee(
    session: CompanySession, request: company.Req_UpdateEmployeeInfo
) -> Iterator[Part]:
    id = request.employee
    person, own = listings.employee(session, id), id == session.requester
    for field, kind in _SCALARS.items():
        new = getattr(request, field)
        if new is not None and new != getattr(person, field):
            yield FieldPart(kind, id, own, person, field, new)
    for levels, known in ((request.skills, person.skills), (request.wills, person.wills)):
        new, old = levels_of(levels), levels_of(known)
        moved = {name: new.get(name) for name in {*old, *new} if new.get(name) != old.get(name)}
        if new and moved:  # an empty list stands for no change
            yield LevelsPart(id, own, person, old, moved)
