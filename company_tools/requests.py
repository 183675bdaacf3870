"""The Req_* tools: one API call each, page limits and who acts filled in by us."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pydantic import BaseModel

from company_tools import listings
from company_tools.arguments import bare_id, day, loosened
from company_tools.company_session import CompanySession, Record
from company_tools.skills import with_levels
from company_tools.updates import check_member, update_employee, update_status
from company_tools.wiki_store import WikiStore
from core.erc3_client import company
from core.ledger import Tool, ToolFault
from core.ledger.calls import Kind
from core.tools.paging import END
from core.tools.requests import request_tool

PUBLIC = frozenset({"Req_WhoAmI", "Req_ListWiki", "Req_LoadWiki", "Req_SearchWiki"})
"""What a guest may have."""
_TOLD = {
    "Req_GetEmployee": (
        "{employee: {id, name, email, salary, location, department, notes, skills, wills: "
        "{name: level}}}"
    ),
    "Req_GetProject": (
        "{project: {id, name, description, customer, status, team: [{employee, role, time_slice}]}}"
    ),
    "Req_GetCustomer": (
        "{company: {id, name, brief, location, primary_contact_name, primary_contact_email, "
        "deal_phase, high_level_status, account_manager}}"
    ),
    "Req_UpdateProjectStatus": "{before: status, sent, after}",
}
"""What no Combo tool covers, and what prompts say of it."""
_ACTORS = ("changed_by", "logged_by")
_LISTS: tuple[tuple[str, str], ...] = (
    ("Req_ListEmployees", "employees"),
    ("Req_SearchEmployees", "employees"),
    ("Req_ListCustomers", "companies"),
    ("Req_SearchCustomers", "companies"),
    ("Req_ListProjects", "projects"),
    ("Req_SearchProjects", "projects"),
    ("Req_SearchTimeEntries", "entries"),
)
_KEPT = {
    "employees": "employees",
    "companies": "customers",
    "projects": "projects",
    "entries": "entries",
}
"""What records of a list are kept as."""
_READS = {
    "Req_TimeSummaryByProject": "summaries",
    "Req_TimeSummaryByEmployee": "summaries",
    "Req_ListWiki": "paths",
    "Req_LoadWiki": "",
    "Req_SearchWiki": "results",
    "Req_GetTimeEntry": "",
}
"""Answers as they are, with the list that the wire may leave out."""
_WRITES = (
    "Req_UpdateProjectTeam", "Req_LogTimeEntry", "Req_UpdateTimeEntry", "Req_UpdateWiki",
)  # fmt: skip
_IDS = frozenset({"id", "employee", "project", "customer", "customer_id", "manager"})
_DAYS = frozenset({"date", "date_from", "date_to"})


def request_tools(session: CompanySession, wiki: WikiStore) -> list[Tool]:
    """The Req_* tools of one company, but for the answer to the user."""
    one_record: dict[str, Callable[[str], Record]] = {
        "Req_GetEmployee": lambda id: {"employee": with_levels(listings.employee(session, id))},
        "Req_GetProject": lambda id: {"project": listings.project(session, id), "found": True},
        "Req_GetCustomer": lambda id: {"company": listings.customer(session, id), "found": True},
    }
    return [
        _made(session, "read", "Req_WhoAmI", session.user),
        *(_made(session, "read", name, act) for name, act in one_record.items()),
        *(_listing(session, name, field) for name, field in _LISTS),
        *(_made(session, "read", name, _reading(session, name)) for name in _READS),
        *(_made(session, "write", name, _writing(session, name)) for name in _WRITES),
        _made(session, "write", "Req_UpdateProjectStatus", partial(update_status, session)),
        _made(session, "write", "Req_UpdateEmployeeInfo", partial(_update_info, session, wiki)),
    ]


def _made(
    session: CompanySession,
    kind: Kind,
    name: str,
    act: Callable[..., object],
    defaults: dict[str, object] | None = None,
) -> Tool:
    def acts(**arguments: Any) -> object:
        return act(**_certain(session, arguments))

    model: type[BaseModel] = getattr(company, name)
    unsaid = [field for field in _ACTORS if field in model.model_fields]
    made = request_tool(kind, model, acts, _TOLD.get(name, ""), unsaid=unsaid, defaults=defaults)
    return replace(loosened(made), told=name in _TOLD)


def _certain(session: CompanySession, arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments with bare ids and with dates as the platform writes them."""
    found = {}
    for name, value in arguments.items():
        if name in _IDS and isinstance(value, str):
            value = bare_id(value)
        elif name in _DAYS and value:
            value = day(value, session.user().get("today", ""))
        found[name] = value
    return found


def _update_info(
    session: CompanySession,
    wiki: WikiStore,
    employee: str,
    skills: Sequence[company.SkillLevel] = (),
    wills: Sequence[company.SkillLevel] = (),
    **scalars: Any,
) -> Record:
    """As the Combo tool does it: what is left out stays, which the request does not promise."""
    levels = {
        kind: {one.name: one.level for one in given}
        for kind, given in (("skills", skills), ("wills", wills))
    }
    nothing: dict[str, dict[str, int]] = {"skills": {}, "wills": {}}
    made = update_employee(session, wiki, employee, scalars, None, levels, nothing)
    return {"employee": made["after"]}


def _listing(session: CompanySession, name: str, field: str) -> Tool:
    """A page, however large a one is asked for.

    What stands behind the first page is cut from the whole, which is kept: to ask for an offset
    behind the end is a failure of the platform, which looks like an outage.
    """
    model, kind = getattr(company, name), _KEPT[field]

    def act(offset: int, limit: int, **asked: Any) -> Record:
        if offset <= 0:
            return session.page(model, field, limit, **asked)
        key = (kind, name, repr(asked)) if asked else (kind,)
        whole = session.kept(key, lambda: session.pages(model, field, **asked))
        if offset >= len(whole):
            raise ToolFault(f"offset {offset} is behind the last of {len(whole)}")
        used = session.within_limit(limit)
        end = offset + used
        following = end if end < len(whole) else END
        return {field: whole[offset:end], "next_offset": following, "limit": used}

    return _made(session, "read", name, act, {"offset": 0, "limit": 0})


def _reading(session: CompanySession, name: str) -> Callable[..., Record]:
    model, listed = getattr(company, name), _READS[name]

    def act(**arguments: Any) -> Record:
        answer = session.send(model(**arguments))
        return {**answer, listed: answer.get(listed) or []} if listed else answer

    return act


def _writing(session: CompanySession, name: str) -> Callable[..., Record]:
    model: Any = getattr(company, name)
    actor = [field for field in _ACTORS if field in model.model_fields]

    def act(**arguments: Any) -> Record:
        if name == "Req_LogTimeEntry" and arguments.get("project"):
            check_member(session, arguments["employee"], arguments["project"])
        return session.send(model(**arguments, **dict.fromkeys(actor, session.actor())))

    return act
