"""The company's endpoints: what is known before each write, and how its effect is looked up.

A change is looked up by reading its record again. An update that arrives twice, or late, changes
nothing more than once did: the platform notes only real changes (facts of the platform). Logged
time is another matter: there, the entries of that day are read before it is sent, and what is new
afterwards is what arrived. An answer to the user stands in the platform's log of the task.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from company_tools.answering import shown_answer
from company_tools.change import (
    BEFORE,
    CHANGES,
    ENTRY_FIELDS,
    LOG_TIME,
    READS,
    RECORD,
    RESPOND,
    SCALARS,
    Request,
    is_visible,
    levels_of,
    matching_entries,
    team_of,
)
from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.ledger import ToolFault
from core.tools.endpoints import Endpoint
from core.tools.faults import OutOfReach, Refused
from core.tools.paging import END
from core.tools.requests import request_at

if TYPE_CHECKING:
    from company_tools.company_session import CompanySession

LATE_SECONDS = 3.0
"""Least pause before an answer or hours are sent again."""
_UNKNOWN = "whether it took effect is not known: it is not sent again"
_RECORDS = {
    "/employees/get": "employee", "/projects/get": "project", "/customers/get": "company",
}  # fmt: skip
"""What is asked for by its id, and the field of the answer that holds it."""
_FILTERS = ("employee", "customer", "project")
"""Of time entries; all three compare whole ids (facts of the platform)."""


# -- how a change shows


def read_employee(session: CompanySession, request: Any) -> wire.EmployeeView:
    """The record that an update of a person changes. Raises ToolFault."""
    asked = company.Req_GetEmployee(id=request.employee)
    return session.read(asked, wire.Resp_GetEmployee).employee


def read_project(session: CompanySession, request: Any) -> wire.ProjectDetail:
    """The record that an update of a project changes. Raises ToolFault."""
    asked = company.Req_GetProject(id=request.id)
    project = session.read(asked, wire.Resp_GetProject).project
    if project is None:
        raise Refused(f"no project has the id {request.id[:80]!r}")
    return project


def read_entry(session: CompanySession, request: Any) -> wire.TimeEntry:
    """The entry that an update of logged time changes. Raises ToolFault."""
    return session.read(company.Req_GetTimeEntry(id=request.id), wire.Resp_GetTimeEntry).entry


def read_page(session: CompanySession, request: Any) -> wire.Resp_LoadWiki:
    """The page that is written; one that does not exist is empty. Raises OutOfReach."""
    try:
        return session.read(company.Req_LoadWiki(file=request.file), wire.Resp_LoadWiki)
    except Refused:
        return wire.Resp_LoadWiki(file=request.file, content="")


def shows_employee(request: Any, record: wire.EmployeeView) -> bool:
    """Whether a person's record is as an update wants it."""
    wanted = {field: getattr(request, field) for field in SCALARS}
    same = all(v is None or getattr(record, field) == v for field, v in wanted.items())
    levels = ((request.skills, record.skills), (request.wills, record.wills))
    return same and all(not want or levels_of(want) == levels_of(has) for want, has in levels)


def shows_entry(request: Any, record: wire.TimeEntry) -> bool:
    """Whether an entry is as an update wants it."""
    same = all(getattr(record, field) == getattr(request, field) for field in ENTRY_FIELDS)
    return same and request.status in ("", record.status)


def shown_change(
    session: CompanySession,
    request: Any,
    before: Any,
    read: Callable[[CompanySession, Any], BaseModel],
    shows: Callable[[Any, Any], bool],
) -> BaseModel | None:
    """The answer of an update that its record shows; None: it had no effect. Raises ToolFault.

    Of one that was refused nothing is shown by a record that was, or may have been, so before.
    """
    try:
        record = read(session, request)
    except OutOfReach as fault:
        raise OutOfReach(f"{_UNKNOWN}: {fault.text}") from None
    if not shows(request, record):
        return None
    write = session.facts.open_at(request.tool)
    was_refused = write is not None and write.was_refused
    if was_refused and (
        not is_visible(request, session.evidence.pages) or _was_so(request, record, before, shows)
    ):
        return None
    if isinstance(record, wire.EmployeeView):
        return wire.Resp_UpdateEmployeeInfo(employee=record)
    return wire.RESPONSES[request.tool]()


def _was_so(
    request: Any, record: BaseModel, before: Any, shows: Callable[[Any, Any], bool]
) -> bool:
    """Whether the record before, as far as it is known, was as an update wants it."""
    known = before.get(RECORD) if isinstance(before, dict) else None
    if not isinstance(known, dict):
        return False
    try:
        return shows(request, type(record).model_validate({**record.model_dump(), **known}))
    except ValidationError:
        return False


def page_before(session: CompanySession, request: Any, before: Any) -> Any:
    """The page as it is, where the caller does not know it. Raises OutOfReach."""
    if before:
        return before
    with session.memory.aside():
        return {RECORD: {"content": read_page(session, request).content}}


def entries_before(session: CompanySession, request: Any, before: Any) -> dict[str, list[str]]:
    """The ids of the entries like one that is to be logged. Raises ToolFault."""
    return before or {BEFORE: sorted(_entries_like(session, request))}


def shown_entry(
    session: CompanySession, request: Any, before: Any
) -> wire.Resp_LogTimeEntry | None:
    """The entry that logging time has made; None: there is none. Raises ToolFault."""
    known = before.get(BEFORE) if isinstance(before, dict) else None
    try:
        same = _entries_like(session, request)
    except ToolFault as fault:
        raise OutOfReach(f"{_UNKNOWN}: {fault.text}") from None
    fresh = (entry for id, entry in same.items() if known is not None and id not in known)
    return next((wire.Resp_LogTimeEntry(**dict(entry)) for entry in fresh), None)


def _entries_like(session: CompanySession, request: Any) -> dict[str, wire.TimeEntryWithID]:
    day = {"employee": request.employee, "date_from": request.date, "date_to": request.date}
    entries = session.pages(company.Req_SearchTimeEntries, wire.TimeEntryWithID, **day)
    return {entry.id: entry for entry in matching_entries(entries, request)}


# -- what an answer is


def misfit(request: Request, answer: Any) -> str | None:
    """Why an answer belongs to another question; None where nothing says so."""
    body: dict[str, Any] = request.model_dump(exclude={"tool"})  # type: ignore[attr-defined]
    pairs: list[tuple[str, object, object]] = []
    if field := _RECORDS.get(request.tool):
        record = getattr(answer, field)
        if record is None and getattr(answer, "found", False):
            return f"the answer says that {str(body['id'])[:80]!r} was found, and holds no record"
        pairs = [("id", body["id"], record.id)] if record else []
    match answer:
        case wire.Resp_LoadWiki():
            pairs = [("page", _page_name(body["file"]), _page_name(answer.file))]
        case wire.Resp_SearchTimeEntries():
            asked = [field for field in _FILTERS if body[field]]
            pairs = [(f, body[f], getattr(entry, f)) for entry in answer.entries for f in asked]
    for what, wanted, shown in pairs:
        if wanted != shown:
            shown = str(shown)[:80]
            return f"asked for the {what} {str(wanted)[:80]!r}, the answer is of {shown!r}"
    return None


def _page_name(file: str) -> str:
    # Whether the platform completes a page's name is not known.
    return file.casefold().strip("/").removesuffix(".md")


def _own(model: type[BaseModel], response: BaseModel) -> BaseModel:
    """A response in our own models, whichever client it comes from."""
    if isinstance(response, model):
        return response
    return model.model_validate(response.model_dump(mode="json"))


def _reading(path: str) -> Endpoint:
    model = wire.RESPONSES[path]
    return Endpoint(
        answer=partial(_own, model),
        misfit=misfit,
        empty=partial(model.model_construct, next_offset=END),
        request=partial(request_at, "company"),
    )


def _writing(path: str, **row: Any) -> Endpoint:
    return Endpoint(
        writes=True,
        answer=partial(_own, wire.RESPONSES[path]),
        durable=True,
        request=partial(request_at, "company"),
        **row,
    )


_SHOWN: dict[str, tuple[Callable[[Any, Any], BaseModel], Callable[[Any, Any], bool]]] = {
    "/employees/update": (read_employee, shows_employee),
    "/projects/team/update": (
        read_project,
        lambda wanted, has: team_of(has.team) == team_of(wanted.team),
    ),
    "/projects/status/update": (
        read_project,
        lambda wanted, has: bool(has.status == wanted.status),
    ),
    "/time/update": (read_entry, shows_entry),
    "/wiki/update": (read_page, lambda wanted, has: bool(has.content == wanted.content)),
}
_BEFORE: dict[str, dict[str, Any]] = {path: {} for path in _SHOWN}
_BEFORE["/wiki/update"] = {"before": page_before}
ENDPOINTS = {
    **{path: _reading(path) for path in READS},
    **{
        path: _writing(path, look=partial(shown_change, read=read, shows=shows), **_BEFORE[path])
        for path, (read, shows) in _SHOWN.items()
    },
    LOG_TIME: _writing(
        LOG_TIME, before=entries_before, look=shown_entry, late_seconds=LATE_SECONDS
    ),
    RESPOND: _writing(
        RESPOND, look=shown_answer, once=True, doubts_refusals=True, late_seconds=LATE_SECONDS
    ),
}
assert CHANGES | READS | {RESPOND} == ENDPOINTS.keys()
