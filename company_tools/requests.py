"""The Req_* tools: one API call each, page limits and who acts filled in by us."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from pydantic import BaseModel

from company_tools import listings
from company_tools.arguments import bare_id, day, loosened
from company_tools.change import levels_of
from company_tools.company_session import CompanySession
from company_tools.profile import person_of
from company_tools.reading_session import FIELDS
from company_tools.updates import Combo_Update_Employee_For_Changes, check_member, update_status
from company_tools.wiki_store import WikiStore
from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.ledger import Tool, ToolFault
from core.ledger.calls import Kind
from core.tools.paging import END
from core.tools.requests import request_tool

PUBLIC = frozenset({"Req_WhoAmI", "Req_ListWiki", "Req_LoadWiki", "Req_SearchWiki"})
_DOCS = {
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
    "Req_UpdateProjectStatus": "{id, before: status, sent, after}",
}
"""What no Combo tool covers, and what prompts say of it."""
_ACTORS = ("changed_by", "logged_by")
_LISTS: dict[str, tuple[type[BaseModel], str]] = {
    "Req_ListEmployees": (wire.EmployeeBrief, "employees"),
    "Req_SearchEmployees": (wire.EmployeeBrief, "employees"),
    "Req_ListCustomers": (wire.CompanyBrief, "customers"),
    "Req_SearchCustomers": (wire.CompanyBrief, "customers"),
    "Req_ListProjects": (wire.ProjectBrief, "projects"),
    "Req_SearchProjects": (wire.ProjectBrief, "projects"),
    "Req_SearchTimeEntries": (wire.TimeEntryWithID, "entries"),
}
"""The records that a request lists, and what they are kept as."""
_READS = (
    "Req_TimeSummaryByProject", "Req_TimeSummaryByEmployee", "Req_ListWiki", "Req_LoadWiki",
    "Req_SearchWiki", "Req_GetTimeEntry",
)  # fmt: skip
_WRITES = (
    "Req_UpdateProjectTeam", "Req_LogTimeEntry", "Req_UpdateTimeEntry", "Req_UpdateWiki",
)  # fmt: skip
_IDS = frozenset({"id", "employee", "project", "customer", "customer_id", "manager"})
_DAYS = frozenset({"date", "date_from", "date_to"})


def request_tools(session: CompanySession, wiki: WikiStore) -> list[Tool]:
    """The Req_* tools of one company, but for the answer to the user."""
    one_record: dict[str, Callable[[str], object]] = {
        "Req_GetEmployee": lambda id: {"employee": person_of(listings.employee(session, id))},
        "Req_GetProject": lambda id: {"project": listings.project(session, id), "found": True},
        "Req_GetCustomer": lambda id: {"company": listings.customer(session, id), "found": True},
    }
    return [
        _made(session, "read", "Req_WhoAmI", session.user),
        *(_made(session, "read", name, act) for name, act in one_record.items()),
        *(_listing(session, name) for name in _LISTS),
        *(_made(session, "read", name, partial(_read, session, name)) for name in _READS),
        *(_made(session, "write", name, partial(_write, session, name)) for name in _WRITES),
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
    def run(**arguments: object) -> object:
        return act(**{name: _certain(session, name, value) for name, value in arguments.items()})

    model: type[BaseModel] = getattr(company, name)
    omitted = [field for field in _ACTORS if field in model.model_fields]
    made = request_tool(kind, model, run, _DOCS.get(name, ""), unsaid=omitted, defaults=defaults)
    return replace(loosened(made), told=name in _DOCS)


def _certain(session: CompanySession, name: str, value: object) -> object:
    """An argument with a bare id, or a date as the platform writes it."""
    if isinstance(value, str) and name in _IDS:
        return bare_id(value)
    if isinstance(value, str) and value and name in _DAYS:
        return day(value, session.user().today)
    return value


def _update_info(
    session: CompanySession,
    wiki: WikiStore,
    employee: str,
    skills: list[wire.SkillLevel] | None = None,
    wills: list[wire.SkillLevel] | None = None,
    **scalars: Any,
) -> dict[str, object]:
    """As the Combo tool does it: what is left out stays, which the request does not promise."""
    update = Combo_Update_Employee_For_Changes
    levels = levels_of(skills or ()), levels_of(wills or ())
    made = update(session, wiki, employee, **scalars, skills=levels[0], wills=levels[1])
    return {"employee": person_of(listings.employee(session, str(made["id"])))}


def _listing(session: CompanySession, name: str) -> Tool:
    """A page, however large a one is asked for.

    What stands behind the first page is cut from the whole, which is kept: to ask for an offset
    beyond the end is a failure of the platform, which looks like an outage.
    """
    model, (kind, kept_as) = getattr(company, name), _LISTS[name]

    def act(offset: int, limit: int, **filters: object) -> dict[str, object]:
        if offset <= 0:
            page = session.page(model, kind, limit, **filters)
            return {
                FIELDS[kind]: page.records,
                "next_offset": page.next_offset,
                "limit": page.limit,
            }
        key = (kept_as, name, repr(filters)) if filters else (kept_as,)
        records = session.memory.kept(key, lambda: session.pages(model, kind, **filters))
        if offset > len(records):
            raise ToolFault(f"offset {offset} is beyond the end, {len(records)}")
        used = session.within_limit(limit)
        end = offset + used
        following = end if end < len(records) else END
        return {FIELDS[kind]: records[offset:end], "next_offset": following, "limit": used}

    return _made(session, "read", name, act, {"offset": 0, "limit": 0})


def _read(session: CompanySession, name: str, **arguments: object) -> object:
    return session.send(getattr(company, name)(**arguments))


def _write(session: CompanySession, name: str, **arguments: Any) -> object:
    model = getattr(company, name)
    if name == "Req_LogTimeEntry" and arguments.get("project"):
        check_member(session, arguments["employee"], arguments["project"])
    actor = [field for field in _ACTORS if field in model.model_fields]
    return session.send(model(**arguments, **dict.fromkeys(actor, session.actor())))
