"""Reads a record again to see whether a change whose answer is lost took effect."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pydantic import BaseModel

from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.tools.api_session import ApiSession
from core.tools.faults import Refused

if TYPE_CHECKING:
    from company_tools.change import ChangeRequest
_ENTRY = ("date", "hours", "work_category", "notes", "billable")


def answer_shown(session: ApiSession, request: ChangeRequest) -> BaseModel | None:
    """The answer of a change that the company shows; None where it does not show it.

    Raises:
        ToolFault: it cannot be read.
    """
    match request:
        case company.Req_UpdateEmployeeInfo():
            return _employee(session, request)
        case company.Req_UpdateProjectTeam():
            team = _project(session, request.id).team
            return _if(team_of(team) == team_of(request.team), wire.Resp_UpdateProjectTeam())
        case company.Req_UpdateProjectStatus():
            same = _project(session, request.id).status == request.status
            return _if(same, wire.Resp_UpdateProjectStatus())
        case company.Req_UpdateTimeEntry():
            asked = company.Req_GetTimeEntry(id=request.id)
            entry = session.send(asked, wire.Resp_GetTimeEntry).entry
            same = all(getattr(entry, field) == getattr(request, field) for field in _ENTRY)
            same = same and request.status in ("", entry.status)
            return _if(same, wire.Resp_TimeEntryUpdated())
        case company.Req_UpdateWiki():
            return _if(_page(session, request.file) == request.content, wire.Resp_UpdateWiki())
    return None


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


def _if(shown: bool, answer: BaseModel) -> BaseModel | None:
    return answer if shown else None


def _employee(session: ApiSession, request: company.Req_UpdateEmployeeInfo) -> BaseModel | None:
    asked = company.Req_GetEmployee(id=request.employee)
    employee = session.send(asked, wire.Resp_GetEmployee).employee
    for field in ("notes", "salary", "location", "department"):
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
