"""Combo_* tools that read: whole listings, records by what they are called, sums. No verdicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from company_tools import listings
from company_tools.company_session import CompanySession, Record
from company_tools.customers import resolve_customer
from company_tools.hours import filters, sum_hours
from company_tools.people import resolve_person
from company_tools.profile import user_with_profile
from company_tools.projects import resolve_project
from company_tools.skills import match_skills, with_levels
from company_tools.wiki_store import WikiStore
from company_tools.workload import sum_workload
from core.ledger import Tool, tool
from core.tools.collector import Collector

Status = Literal["idea", "exploring", "active", "paused", "archived"]


def user_tools(session: CompanySession) -> list[Tool]:
    """What tells of who asks; a guest has it too."""

    def Combo_Get_Current_User_With_Profile() -> dict[str, Any]:
        """{user: id, guest, profile: {fields of Req_GetEmployee}, led: [project id], member_of:
        [project id], manages: [customer id], today, wiki_sha1}"""
        return user_with_profile(session)

    fields = {"user": "", "guest": False, "profile": {}, "led": [], "member_of": []}
    fields |= {"manages": [], "today": "", "wiki_sha1": ""}
    return [tool("read", Combo_Get_Current_User_With_Profile, fields=fields)]


def listing_tools(session: CompanySession, wiki: WikiStore) -> list[Tool]:
    """Whole listings and sums over them."""

    def Combo_List_All_Employees(details: bool = False) -> dict[str, Any]:
        """{employees: [{id, name, email, salary, location, department}]}; details, slow: with
        notes, skills, wills"""
        read = listings.whole_employees if details else listings.employees
        found = _listed("employees", lambda: read(session))
        people = found["employees"]
        return {"employees": [with_levels(one) if "skills" in one else one for one in people]}

    def Combo_List_All_Projects(teams: bool = True) -> dict[str, Any]:
        """{projects: [fields of Req_GetProject]}, archived too; without teams no description"""
        read = listings.whole_projects if teams else listings.projects
        return _listed("projects", lambda: read(session))

    def Combo_List_All_Customers(details: bool = True) -> dict[str, Any]:
        """{customers: [fields of Req_GetCustomer]}; without details no brief, contact, manager"""
        read = listings.whole_customers if details else listings.customers
        return _listed("customers", lambda: read(session))

    def Combo_List_All_Time_Entries(
        employee: str = "",
        project: str = "",
        customer: str = "",
        date_from: str = "",
        date_to: str = "",
    ) -> dict[str, Any]:
        """{entries: [{id, employee, customer, project, date, hours, billable, work_category, notes,
        status: draft, submitted, approved, invoiced or voided}]}, voided ones too"""
        asked = filters(session, employee, project, customer, date_from, date_to)
        return _listed("entries", lambda: listings.entries(session, **asked))

    def Combo_Sum_Workload_For_Employees(
        department: str = "",
        location: str = "",
        statuses: list[Status] = [],  # noqa: B006
    ) -> dict[str, Any]:
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
    ) -> dict[str, Any]:
        """Who has all, {name: least level}, 0: any: {people: [{id, name, department, location,
        skills, wills, sum}] highest first, most: [id], least: [id], asked}; skills, wills: those
        asked for"""
        return match_skills(session, wiki, skills, wills, location, department, not_in_project)

    def Combo_Sum_Hours_For_Period(
        date_from: str, date_to: str, project: str = "", employee: str = "", customer: str = ""
    ) -> dict[str, Any]:
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


def _listed(field: str, read: Callable[[], list[Record]]) -> dict[str, list[Record]]:
    """The records under their name. Raises a fault that keeps those that came before it."""
    collected = Collector()
    return collected.result({field: collected.rows(read)})


def resolving_tools(session: CompanySession) -> list[Tool]:
    """Records by what a text calls them."""

    def Combo_Resolve_Person_For_Name(
        name: str, project: str = "", department: str = "", contacts: bool = True
    ) -> dict[str, Any]:
        """Name in any order, mail, id: {candidates: [{kind, id, name, email, department, location,
        score, matched}] best first, score 0-100, tied: how many share the best}. A customer's
        contact has customer in place of id. project: of its team, with role"""
        return resolve_person(session, name, project, department, contacts)

    def Combo_Resolve_Project_For_Phrase(
        phrase: str, member: str = "", lead: str = "", archived: bool = True
    ) -> dict[str, Any]:
        """Over name, description, customer; member, lead: employee ids: {candidates: [{fields of
        Req_GetProject, customer_name, score, matched}], tied}. phrase "": all of theirs"""
        return resolve_project(session, phrase, member, lead, archived)

    def Combo_Resolve_Customer_For_Phrase(phrase: str) -> dict[str, Any]:
        """{candidates: [{fields of Req_GetCustomer, score, matched}], tied}"""
        return resolve_customer(session, phrase)

    fields: dict[str, object] = {"candidates": [], "tied": 0}
    return [
        tool("read", Combo_Resolve_Person_For_Name, fields=fields),
        tool("read", Combo_Resolve_Project_For_Phrase, fields=fields),
        tool("read", Combo_Resolve_Customer_For_Phrase, fields=fields),
    ]
