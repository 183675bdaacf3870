"""The tools of one task, as far as who asks may have them.

A ``Req_`` tool is one API call, with page limits and who acts filled in by us.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from company_tools import ids, listings, profile, sums, updates, wiki_pages, wiki_search
from company_tools.arguments import bare_id, day, loosened
from company_tools.change import is_change, levels_of
from company_tools.company_session import FIELDS, Collected, CompanySession
from company_tools.final_answer import final_answer_tool
from company_tools.profile import person_of
from company_tools.wiki_store import WikiStore
from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.ledger import ComboRow, Rows, Tool, ToolFault, combo_tool
from core.ledger.calls import Kind
from core.tools.faults import OutOfReach
from core.tools.nowhere import Nowhere
from core.tools.paging import END
from core.tools.requests import bound, request_tool

COMBO_READS: tuple[Callable[..., Rows], ...] = (
    profile.Combo_Get_Current_User_With_Profile,
    sums.Combo_List_All_Employees,
    sums.Combo_List_All_Projects,
    sums.Combo_List_All_Customers,
    sums.Combo_List_All_Time_Entries,
    sums.Combo_Sum_Workload_For_Employees,
    sums.Combo_Match_Employees_For_Skills,
    sums.Combo_Sum_Hours_For_Period,
    ids.Combo_Resolve_Person_For_Name,
    ids.Combo_Resolve_Project_For_Phrase,
    ids.Combo_Resolve_Customer_For_Phrase,
    wiki_search.Combo_Search_Wiki_For_Words,
    wiki_pages.Combo_Read_Wiki_Pages,
)
"""Each takes the session, and where it has such an argument the wiki, before all others."""
COMBO_WRITES: tuple[Callable[..., Rows], ...] = (
    updates.Combo_Update_Employee_For_Changes,
    updates.Combo_Update_Team_For_Changes,
    updates.Combo_Update_Time_Entry_For_Changes,
    updates.Combo_Log_Time_For_Project,
    wiki_pages.Combo_Write_Wiki_Pages,
    wiki_pages.Combo_Rename_Wiki_Page,
)
PUBLIC = frozenset(
    {
        "Req_WhoAmI", "Req_ListWiki", "Req_LoadWiki", "Req_SearchWiki",
        "Combo_Get_Current_User_With_Profile", "Combo_Search_Wiki_For_Words",
        "Combo_Read_Wiki_Pages",
    }
)  # fmt: skip
"""What everybody has, a guest too."""


def offered(tools: list[Tool], session: CompanySession) -> list[Tool]:
    """Those of all tools that who asks may have; of a guest, and of nobody known, the public ones.

    Raises OutOfReach: the system does not answer who asks.
    """
    return tools if known(session) else [tool for tool in tools if tool.name in PUBLIC]


def known(session: CompanySession) -> bool:
    """Whether somebody known asks. Raises OutOfReach."""
    if session.identity_fault is None:
        try:
            session.user()
        except OutOfReach:
            raise
        except ToolFault:
            return False
    return bool(session.requester)


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


def all_tools(session: CompanySession, wiki: WikiStore) -> list[Tool]:
    """What a known user has; the answer to the user is none of them."""
    given = {"session": session, "wiki": wiki}
    combos = [
        *(combo_tool("read", bound(one, given)) for one in COMBO_READS),
        *(combo_tool("write", bound(one, given)) for one in COMBO_WRITES),
    ]
    one_record: dict[str, Callable[[str], object]] = {
        "Req_GetEmployee": lambda id: {"employee": person_of(listings.employee(session, id))},
        "Req_GetProject": lambda id: {"project": listings.project(session, id), "found": True},
        "Req_GetCustomer": lambda id: {"company": listings.customer(session, id), "found": True},
    }
    tools = [
        _made("read", "Req_WhoAmI", session.user),
        *(_made("read", name, act) for name, act in one_record.items()),
        *(_listing(session, name) for name in _LISTS),
        *(_made("read", name, partial(_sent, session, name)) for name in _READS),
        *(_made("write", name, partial(_sent, session, name)) for name in _WRITES),
        _made("write", "Req_UpdateProjectStatus", partial(updates.update_status, session)),
        _made("write", "Req_UpdateEmployeeInfo", partial(_update_info, session)),
        *map(loosened, combos),
    ]
    return [*tools, _of_list(session, {one.name: one for one in tools})]


class ListedChange(BaseModel):
    """One change of a list: the tool that makes it, and its arguments."""

    model_config = ConfigDict(extra="forbid")

    tool: Literal[
        "Combo_Update_Employee_For_Changes",
        "Combo_Update_Team_For_Changes",
        "Combo_Update_Time_Entry_For_Changes",
        "Combo_Log_Time_For_Project",
        "Req_UpdateProjectStatus",
    ]
    arguments: dict[str, Any]


def _of_list(session: CompanySession, tools: Mapping[str, Tool]) -> Tool:
    """The tool that makes several changes, which are judged together before the first is sent."""

    def Combo_Make_Changes_For_List(changes: list[ListedChange]) -> Rows:
        """ListedChange: {tool: name, arguments: {...}}; of Combo_Update_ and Combo_Log_ tools and
        Req_UpdateProjectStatus. All or none is allowed; made in order: [{primary: tool,
        secondary: arguments, data: as there}, ...]"""
        calls = [(tools[one.tool], tools[one.tool].bind([], one.arguments)) for one in changes]
        if not calls:
            raise ToolFault("changes must not be empty")
        with session.collecting() as requests:
            for one, arguments in calls:
                with suppress(Collected):
                    one.run(**arguments)
        with session.change_set(requests):
            for one, arguments in calls:
                row = ComboRow(primary=one.name, secondary=arguments)
                yield row
                try:
                    row.data = _data_of(one.run(**arguments))
                except ToolFault as fault:
                    row.data = fault.found[0].data if fault.found else None
                    raise

    return combo_tool("write", Combo_Make_Changes_For_List)


def _data_of(result: Any) -> object:
    """The data of a tool that makes one change, whether it is a Combo tool or not."""
    return result["results"][0]["data"] if "results" in result else result


def shown_tools() -> list[Tool]:
    """Every tool of a known user, without a company, and the one that closes a task."""
    return [*all_tools(CompanySession(Nowhere("company")), WikiStore()), final_answer_tool()]


def _made(
    kind: Kind,
    name: str,
    act: Callable[..., object],
    defaults: dict[str, object] | None = None,
) -> Tool:
    def run(**arguments: object) -> object:
        for field, value in arguments.items():
            if isinstance(value, str) and field in _IDS:
                arguments[field] = bare_id(value)
            elif isinstance(value, str) and value and field in _DAYS:
                arguments[field] = day(value)
        return act(**arguments)

    model: type[BaseModel] = getattr(company, name)
    omitted = [field for field in _ACTORS if field in model.model_fields]
    made = request_tool(kind, model, run, _DOCS.get(name, ""), unsaid=omitted, defaults=defaults)
    return replace(loosened(made), told=name in _DOCS)


def _update_info(
    session: CompanySession,
    employee: str,
    skills: list[wire.SkillLevel] | None = None,
    wills: list[wire.SkillLevel] | None = None,
    **scalars: Any,
) -> dict[str, object]:
    """As the Combo tool does it: what is left out stays, which the request does not promise."""
    update = updates.Combo_Update_Employee_For_Changes
    levels = levels_of(skills or ()), levels_of(wills or ())
    (row,) = update(session, employee, **scalars, skills=levels[0], wills=levels[1])
    return {"employee": person_of(listings.employee(session, row.primary))}


def _listing(session: CompanySession, name: str) -> Tool:
    """A page, however large a one is asked for, cut from the whole, which is kept.

    To ask for an offset beyond the end is a failure of the platform, which looks like an outage.
    """
    model, (kind, kept_as) = getattr(company, name), _LISTS[name]

    def act(offset: int, limit: int, **filters: object) -> dict[str, object]:
        key = (kept_as, name, repr(filters)) if filters else (kept_as,)
        records = session.memory.kept(key, lambda: session.pages(model, kind, **filters))
        start = max(offset, 0)
        if start > len(records):
            raise ToolFault(f"offset {offset} is beyond the end, {len(records)}")
        used = session.within_limit(limit)
        end = start + used
        following = end if end < len(records) else END
        return {FIELDS[kind]: records[start:end], "next_offset": following, "limit": used}

    return _made("read", name, act, {"offset": 0, "limit": 0})


def _sent(session: CompanySession, name: str, **arguments: Any) -> object:
    model: type[BaseModel] = getattr(company, name)
    if name == "Req_LogTimeEntry" and arguments.get("project"):
        updates.check_member(session, arguments["employee"], arguments["project"])
    for field in _ACTORS:
        if field in model.model_fields:
            arguments[field] = session.actor()
    request: Any = model(**arguments)
    return session.write(request) if is_change(request) else session.read(request)
