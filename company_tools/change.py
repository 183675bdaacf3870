"""The company's requests by what they do, and a change with what is known of its effect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Protocol, TypeAlias, TypeGuard

from pydantic import BaseModel

from core.erc3_client import company, switch
from core.erc3_client.own import company_models as wire
from core.tools.api_session import ApiSession, body_of
from core.tools.faults import Refused

LOG_TIME = "/time/log"
WHOAMI, RESPOND, WIKI_UPDATE = "/whoami", "/respond", "/wiki/update"
TOUCHED = {
    "/employees/update": "employees",
    "/projects/team/update": "projects",
    "/projects/status/update": "projects",
    LOG_TIME: "entries",
    "/time/update": "entries",
    WIKI_UPDATE: "wiki",
}
"""The kept records that a change makes old."""
CHANGES = frozenset(TOUCHED)
READS = frozenset(
    {
        WHOAMI, "/employees/list", "/employees/search", "/employees/get", "/customers/list",
        "/customers/get", "/customers/search", "/projects/list", "/projects/get",
        "/projects/search", "/time/get", "/time/search", "/time/summary/by-project",
        "/time/summary/by-employee", "/wiki/list", "/wiki/load", "/wiki/search",
    }
)  # fmt: skip
BEFORE = "entries before"
"""What the intent of logging time keeps: the entries like it that there were."""
RECORD = "record before"
"""What the intent of changing a record keeps: the record as it was."""


class Request(Protocol):
    """A request of the client."""

    @property
    def tool(self) -> str:
        """The path that it is sent to."""


ChangeRequest: TypeAlias = (
    "company.Req_UpdateEmployeeInfo | company.Req_UpdateProjectTeam"
    "| company.Req_UpdateProjectStatus | company.Req_LogTimeEntry"
    "| company.Req_UpdateTimeEntry | company.Req_UpdateWiki"
)
"""As text: which client is chosen is known late."""


def is_change(request: Request) -> TypeGuard[ChangeRequest]:
    """Whether a request changes the company."""
    return request.tool in CHANGES


class Change:
    """A write to the company, and what is known of its effect."""

    def __init__(self, request: ChangeRequest) -> None:
        self.request = request
        self.path: str = request.tool
        self.body = body_of(request)
        self.outcome = "sent"
        """sent, done, refused, lost or unknown"""
        self.error = ""
        self.taken_over = False
        """Whether earlier work has made it, and who goes on has not been given its record."""
        self.before: dict[str, object] | None = None
        """The record as it was before, where that is known of a change that was taken over."""

    @property
    def target(self) -> str:
        """The id of the record, or the name of the page."""
        fields = ("employee", "id", "file")
        return next((str(self.body[field]) for field in fields if self.body.get(field)), "")

    @property
    def summary(self) -> str:
        """The change in a line: path, target, what became of it."""
        became = f"{self.outcome}: {self.error}" if self.error else self.outcome
        return f"{self.path} {self.target} ({became})"

    def repeats(self, other: Change) -> bool:
        """Whether it is the very change that the other is."""
        return (self.path, self.body) == (other.path, other.body)


@cache
def _models() -> dict[str, type[BaseModel]]:
    """The request of each path, as the chosen client has it."""
    names = vars(switch.load("company"))
    models = [model for name, model in names.items() if name.startswith("Req_")]
    return {model.model_fields["tool"].default: model for model in models}


def request_at(path: str, body: dict[str, object]) -> ChangeRequest:
    """A recorded request as the chosen client has it. Raises ValidationError."""
    return _models()[path].model_validate(body)  # type: ignore[return-value]


def is_visible(request: ChangeRequest, pages: Mapping[str, str]) -> bool:
    """Whether the company looks otherwise once a change is made, as far as that is known.

    An update that names no field changes nothing, and a page that is to be emptied may be one that
    never was. ``pages``: those that were read.
    """
    match request:
        case company.Req_UpdateEmployeeInfo():
            fields = (getattr(request, field) for field in _SCALARS)
            return any(one is not None for one in fields) or bool(request.skills or request.wills)
        case company.Req_UpdateWiki():
            return bool(request.content or pages.get(request.file))
    return True


_SCALARS = ("notes", "salary", "location", "department")
_ENTRY = ("date", "hours", "work_category", "notes", "billable")


def answer_shown(session: ApiSession, request: ChangeRequest) -> BaseModel | None:
    """The answer of a change that the company shows; None where it does not show it.

    Raises ToolFault: it cannot be read.
    """
    match request:
        case company.Req_UpdateEmployeeInfo():
            return _employee(session, request)
        case company.Req_UpdateProjectTeam():
            shown = team_of(_project(session, request.id).team) == team_of(request.team)
        case company.Req_UpdateProjectStatus():
            shown = _project(session, request.id).status == request.status
        case company.Req_UpdateTimeEntry():
            asked = company.Req_GetTimeEntry(id=request.id)
            entry = session.send(asked, wire.Resp_GetTimeEntry).entry
            shown = all(getattr(entry, field) == getattr(request, field) for field in _ENTRY)
            shown = shown and request.status in ("", entry.status)
        case company.Req_UpdateWiki():
            shown = _page(session, request.file) == request.content
        case _:
            return None
    return wire.RESPONSES[request.tool]() if shown else None


def matching_entries(
    entries: Iterable[wire.TimeEntryWithID], request: company.Req_LogTimeEntry
) -> list[wire.TimeEntryWithID]:
    """The time entries that a request to log time could have made."""
    fields = ("employee", "customer", "project", *_ENTRY)
    return [
        entry
        for entry in entries
        if all((getattr(entry, f) or None) == (getattr(request, f) or None) for f in fields)
    ]


def _employee(session: ApiSession, request: company.Req_UpdateEmployeeInfo) -> BaseModel | None:
    asked = company.Req_GetEmployee(id=request.employee)
    employee = session.send(asked, wire.Resp_GetEmployee).employee
    for field in _SCALARS:
        wanted = getattr(request, field)
        if wanted is not None and getattr(employee, field) != wanted:
            return None
    for wanted, levels in ((request.skills, employee.skills), (request.wills, employee.wills)):
        if wanted and levels_of(wanted) != levels_of(levels):
            return None
    return wire.Resp_UpdateEmployeeInfo(employee=employee)


def _project(session: ApiSession, id: str) -> wire.ProjectDetail:
    project = session.send(company.Req_GetProject(id=id), wire.Resp_GetProject).project
    if project is None:
        raise Refused(f"no project has the id {id[:80]!r}")
    return project


def _page(session: ApiSession, file: str) -> str:
    try:
        return session.send(company.Req_LoadWiki(file=file), wire.Resp_LoadWiki).content
    except Refused:
        return ""


def levels_of(levels: Iterable[wire.SkillLevel]) -> dict[str, int]:
    """Levels by name."""
    return {one.name: one.level for one in levels}


def team_of(team: Iterable[wire.Workload]) -> list[tuple[str, float, str]]:
    """A team to compare, whatever its order."""
    return sorted((m.employee, float(m.time_slice), m.role) for m in team)
