"""The tools of one task, as far as who asks may have them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from company_tools.arguments import loosened
from company_tools.company_session import CompanySession
from company_tools.listings import (
    Combo_List_All_Customers,
    Combo_List_All_Employees,
    Combo_List_All_Projects,
    Combo_List_All_Time_Entries,
)
from company_tools.permissions import Combo_Get_Permission_Facts_For_Action
from company_tools.profile import Combo_Get_Current_User_With_Profile
from company_tools.requests import PUBLIC, request_tools
from company_tools.resolving import (
    Combo_Resolve_Customer_For_Phrase,
    Combo_Resolve_Person_For_Name,
    Combo_Resolve_Project_For_Phrase,
)
from company_tools.skills import Combo_Match_Employees_For_Skills
from company_tools.sums import Combo_Sum_Hours_For_Period, Combo_Sum_Workload_For_Employees
from company_tools.time_entries import (
    Combo_Log_Time_For_Project,
    Combo_Update_Time_Entry_For_Changes,
)
from company_tools.updates import (
    Combo_Update_Employee_For_Changes,
    Combo_Update_Team_For_Changes,
)
from company_tools.wiki_pages import (
    Combo_Read_Wiki_Pages,
    Combo_Rename_Wiki_Page,
    Combo_Write_Wiki_Pages,
)
from company_tools.wiki_search import Combo_Search_Wiki_For_Words
from company_tools.wiki_store import WikiStore
from core.ledger import Tool, ToolFault, tool
from core.ledger.calls import Kind
from core.tools.faults import OutOfReach
from core.tools.requests import bound


class Combo(NamedTuple):
    """A tool of several requests, before it is one of a task."""

    kind: Kind
    function: Callable[..., object]
    """Takes the session, and where it has such an argument the wiki, before all others."""
    fields: dict[str, object]
    """Its result where nothing was found."""
    public: bool = False
    """Whether a guest has it."""


_RANKED: dict[str, object] = {"people": [], "most": [], "least": []}
_CANDIDATES: dict[str, object] = {"candidates": [], "tied": 0}
_CHANGED: dict[str, object] = {"id": "", "before": None, "sent": None, "after": None}
_WRITTEN: dict[str, object] = {"written": [], "unchanged": [], "sha1_before": "", "sha1_after": ""}
_PROFILE: dict[str, object] = {
    "user": "", "guest": False, "profile": {}, "led": [], "member_of": [], "manages": [],
    "today": "", "wiki_sha1": "",
}  # fmt: skip
_HOURS: dict[str, object] = {
    "total": 0.0, "billable": 0.0, "other": 0.0, "by_status": {}, "by_employee": {},
    "by_project": {}, "by_customer": {}, "entries": [], "asked": {},
}  # fmt: skip
_LOGGED: dict[str, object] = {"entry": None, "roles_of_employee": [], "roles_of_asker": []}
_FACTS: dict[str, object] = {"asker": {}, "target": None, "rules": []}
COMBOS = (
    Combo("read", Combo_Get_Current_User_With_Profile, _PROFILE, public=True),
    Combo("read", Combo_List_All_Employees, {"employees": []}),
    Combo("read", Combo_List_All_Projects, {"projects": []}),
    Combo("read", Combo_List_All_Customers, {"customers": []}),
    Combo("read", Combo_List_All_Time_Entries, {"entries": []}),
    Combo("read", Combo_Sum_Workload_For_Employees, _RANKED),
    Combo("read", Combo_Match_Employees_For_Skills, {**_RANKED, "asked": {}}),
    Combo("read", Combo_Sum_Hours_For_Period, _HOURS),
    Combo("read", Combo_Resolve_Person_For_Name, _CANDIDATES),
    Combo("read", Combo_Resolve_Project_For_Phrase, _CANDIDATES),
    Combo("read", Combo_Resolve_Customer_For_Phrase, _CANDIDATES),
    Combo("read", Combo_Get_Permission_Facts_For_Action, _FACTS),
    Combo("read", Combo_Search_Wiki_For_Words, {"chunks": []}, public=True),
    Combo("read", Combo_Read_Wiki_Pages, {"pages": {}}, public=True),
    Combo("write", Combo_Update_Employee_For_Changes, _CHANGED),
    Combo("write", Combo_Update_Team_For_Changes, _CHANGED),
    Combo("write", Combo_Update_Time_Entry_For_Changes, _CHANGED),
    Combo("write", Combo_Log_Time_For_Project, _LOGGED),
    Combo("write", Combo_Write_Wiki_Pages, _WRITTEN),
    Combo("write", Combo_Rename_Wiki_Page, _WRITTEN),
)
"""In the order in which prompts list them."""


def tools_of(session: CompanySession, wiki: WikiStore) -> list[Tool]:
    """The tools of who asks; of a guest, and where nobody can tell who asks, the public ones.

    The answer to the user is none of them: a FINISH gives it. Raises OutOfReach: the system does
    not answer who asks.
    """
    tools = all_tools(session, wiki)
    if known(session):
        return tools
    public = PUBLIC | {combo.function.__name__ for combo in COMBOS if combo.public}
    return [tool for tool in tools if tool.name in public]


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


def all_tools(session: CompanySession, wiki: WikiStore) -> list[Tool]:
    """What a known user has."""
    return [*request_tools(session, wiki), *_combo_tools(session, wiki)]


def _combo_tools(session: CompanySession, wiki: WikiStore) -> Iterable[Tool]:
    given = {"session": session, "wiki": wiki}
    for combo in COMBOS:
        function = bound(combo.function, given)
        yield loosened(tool(combo.kind, function, fields=combo.fields))
