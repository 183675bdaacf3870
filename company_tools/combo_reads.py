"""Combo_* tools that read: whole listings, records by what they are called, sums. No verdicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeVar

from company_tools import listings
from company_tools.profile import person_of, user_with_profile
from company_tools.reading_session import ReadingSession
from company_tools.resolving import resolve_customer, resolve_person, resolve_project
from company_tools.skills import match_skills
from company_tools.sums import filters, sum_hours, sum_workload
from company_tools.wiki_store import WikiStore
from core.ledger import Tool, tool
from core.tools.collector import Collector

T = TypeVar("T")
Status = Literal["idea", "exploring", "active", "paused", "archived"]


def user_tools(session: ReadingSession) -> list[Tool]:
    """What tells of who asks; a guest has it too."""

    def Combo_Get_Current_User_With_Profile() -> dict[str, object]:
        """{user: id, guest, profile: {fields of Req_GetEmployee}, led: [project id], member_of:
        [project id], manages: [customer id], today, wiki_sha1}"""
        return user_with_profile(session)

    fields = {"user": "", "guest": False, "profile": {}, "led": [], "member_of": []}
    fields |= {"manages": [], "today": "", "wiki_sha1": ""}
    return [tool("read", Combo_Get_Current_User_With_Profile, fields=fields)]


def listing_tools(session: ReadingSession, wiki: WikiStore) -> list[Tool]:
    """Whole listings and sums over them."""

    def Combo_List_All_Employees(details: bool = False) -> dict[str, object]:
        """{employees: [{id, name, email, salary, location, department}]}; details, slow: with
        notes, skills, wills"""
        if not details:
            return _listed("employees", lambda: listings.employees(session))
        collected = Collector()
        people = collected.rows(lambda: listings.whole_employees(session))
        return collected.result({"employees": [person_of(one) for one in people]})

    def Combo_List_All_Projects(teams: bool = True) -> dict[str, object]:
        """{projects: [fields of Req_GetProject]}, archived too; without teams no description"""
        if not teams:
            return _listed("projects", lambda: listings.projects(session))
        return _listed("projects", lambda: listings.whole_projects(session))

    def Combo_List_All_Customers(details: bool = True) -> dict[str, object]:
        """{customers: [fields of Req_GetCustomer]}; without details no brief, contact, manager"""
        if not details:
            return _listed("customers", lambda: listings.customers(session))
        return _listed("customers", lambda: listings.whole_customers(session))

    def Combo_List_All_Time_Entries(
        employee: str = "",
        project: str = "",
        customer: str = "",
        date_from: str = "",
        date_to: str = "",
    ) -> dict[str, object]:
        """{entries: [{id, employee, customer, project, date, hours, billable, work_category, notes,
        status: draft, submitted, approved, invoiced or voided}]}, voided ones too"""
        asked = filters(session, employee, project, customer, date_from, date_to)
        return _listed("entries", lambda: listings.entries(session, **asked))

    def Combo_Sum_Workload_For_Employees(
        department: str = "",
        location: str = "",
        statuses: list[Status] = [],  # noqa: B006
    ) -> dict[str, object]:
        """Of time slices: {people: [{id, name, department, location, workload, projects: [{id,
        name, status, role, time_slice}]}] highest first, most: [id], least: [id]}. statuses: of
        projects; none: all"""
        return sum_workload(session, department, location, list(statuses))

    def Combo_Match_Employees_For_Skills(
        skills: dict[str, int] = {},  # noqa: B006
        wills: dict[str, int] = {},  # noqa: B006
        location: str = "",
        department: str = "",
        not_in_project: str = "",
    ) -> dict[str, object]:
        """Who has all, {name: least level}, 0: any: {people: [{id, name, department, location,
        skills, wills, sum}] highest first, most: [id], least: [id], asked}; skills, wills: those
        asked for"""
        return match_skills(session, wiki, skills, wills, location, department, not_in_project)

    def Combo_Sum_Hours_For_Period(
        date_from: str, date_to: str, project: str = "", employee: str = "", customer: str = ""
    ) -> dict[str, object]:
        """{total, billable, other, by_status, by_employee, by_project, by_customer: {name: hours},
        entries: [entry], asked}. Voided hours count; by_status tells how many"""
        return sum_hours(session, date_from, date_to, project, employee, customer)

    ranked: dict[str, object] = {"people": [], "most": [], "least": []}
    sums: dict[str, object] = {"total": 0.0, "billable": 0.0, "other": 0.0, "by_status": {}}
    sums |= {"by_employee": {}, "by_project": {}, "by_customer": {}, "entries": [], "asked": {}}
    return [
        tool("read", function, fields=fields)
        for function, fields in (
            (Combo_List_All_Employees, {"employees": []}),
            (Combo_List_All_Projects, {"projects": []}),
            (Combo_List_All_Customers, {"customers": []}),
            (Combo_List_All_Time_Entries, {"entries": []}),
            (Combo_Sum_Workload_For_Employees, ranked),
            (Combo_Match_Employees_For_Skills, {**ranked, "asked": {}}),
            (Combo_Sum_Hours_For_Period, sums),
        )
    ]


def _listed(field: str, read: Callable[[], list[T]]) -> dict[str, object]:
    """The records under their name. Raises a fault that keeps those that came before it."""
    collected = Collector()
    return collected.result({field: collected.rows(read)})


def resolving_tools(session: ReadingSession) -> list[Tool]:
    """Records by what a text calls them."""

    def Combo_Resolve_Person_For_Name(
        name: str, project: str = "", department: str = "", contacts: bool = True
    ) -> dict[str, object]:
        """Name in any order, mail, id: {candidates: [{kind, id, name, email, department, location,
        score, matched}] best first, score 0-100, tied: how many share the best}. A customer's
        contact has customer in place of id. project: of its team, with role"""
        return resolve_person(session, name, project, department, contacts)

    def Combo_Resolve_Project_For_Phrase(
        phrase: str, member: str = "", lead: str = "", archived: bool = True
    ) -> dict[str, object]:
        """Over name, description, customer; member, lead: employee ids: {candidates: [{fields of
        Req_GetProject, customer_name, score, matched}], tied}. phrase "": all of theirs"""
        return resolve_project(session, phrase, member, lead, archived)

    def Combo_Resolve_Customer_For_Phrase(phrase: str) -> dict[str, object]:
        """{candidates: [{fields of Req_GetCustomer, score, matched}], tied}"""
        return resolve_customer(session, phrase)

    fields: dict[str, object] = {"candidates": [], "tied": 0}
    return [
        tool("read", Combo_Resolve_Person_For_Name, fields=fields),
        tool("read", Combo_Resolve_Project_For_Phrase, fields=fields),
        tool("read", Combo_Resolve_Customer_For_Phrase, fields=fields),
    ]
