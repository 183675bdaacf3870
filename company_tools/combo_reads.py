"""Combo_* tools that read: whole listings, records by what they are called, sums. No verdicts."""

from __future__ import annotations

from typing import Any, Literal

from company_tools import listings
from company_tools.company_session import CompanySession, Record
from company_tools.customers import resolve_customer
from company_tools.hours import filters, sum_hours
from company_tools.people import resolve_person
from company_tools.profile import user_with_profile
from company_tools.projects import resolve_project
from company_tools.skills import match_skills
from company_tools.wiki_search import PageStore
from company_tools.workload import sum_workload
from ledger import Tool, tool

Status = Literal["idea", "exploring", "active", "paused", "archived"]


def user_tools(session: CompanySession) -> list[Tool]:
    """What tells of who asks; a guest has it too."""

    def Combo_Get_Current_User_With_Profile() -> dict[str, Any]:
        """{user, guest, profile, led, member_of, manages, today, wiki_sha1}"""
        return user_with_profile(session)

    return [tool("read", Combo_Get_Current_User_With_Profile)]


def listing_tools(session: CompanySession, wiki: PageStore) -> list[Tool]:
    """Whole listings and sums over them."""

    def Combo_List_All_Employees(details: bool = False) -> list[Record]:
        """[employee], without notes, skills, wills; details: with, slow"""
        return listings.whole_employees(session) if details else listings.employees(session)

    def Combo_List_All_Projects(teams: bool = True) -> list[Record]:
        """[project]; archived too"""
        return listings.whole_projects(session) if teams else listings.projects(session)

    def Combo_List_All_Customers(details: bool = True) -> list[Record]:
        """[company]"""
        return listings.whole_customers(session) if details else listings.customers(session)

    def Combo_List_All_Time_Entries(
        employee: str = "",
        project: str = "",
        customer: str = "",
        date_from: str = "",
        date_to: str = "",
    ) -> list[Record]:
        """[entry: {id, employee, customer, project, date, hours, billable, work_category, notes,
        status: draft, submitted, approved, invoiced or voided}]"""
        asked = filters(session, employee, project, customer, date_from, date_to)
        return listings.entries(session, **asked)

    def Combo_Sum_Workload_For_Employees(
        department: str = "",
        location: str = "",
        statuses: list[Status] = [],  # noqa: B006
    ) -> dict[str, Any]:
        """Of time slices: {people: [{id, name, workload, projects}] highest first, most: [ids],
        least}. statuses: of projects; none: all"""
        return sum_workload(session, department, location, list(statuses))

    def Combo_Match_Employees_For_Skills(
        skills: dict[str, int] = {},  # noqa: B006
        wills: dict[str, int] = {},  # noqa: B006
        location: str = "",
        department: str = "",
        not_in_project: str = "",
    ) -> dict[str, Any]:
        """Who has all, {name: least level}, 0: any: {people: [{id, name, skills, wills, sum}]
        highest first, most: [ids], least}"""
        return match_skills(session, wiki, skills, wills, location, department, not_in_project)

    def Combo_Sum_Hours_For_Period(
        date_from: str, date_to: str, project: str = "", employee: str = "", customer: str = ""
    ) -> dict[str, Any]:
        """{total, billable, other, by_status, by_employee, by_project, entries: [entry]}"""
        return sum_hours(session, date_from, date_to, project, employee, customer)

    return [
        tool("read", function)
        for function in (
            Combo_List_All_Employees,
            Combo_List_All_Projects,
            Combo_List_All_Customers,
            Combo_List_All_Time_Entries,
            Combo_Sum_Workload_For_Employees,
            Combo_Match_Employees_For_Skills,
            Combo_Sum_Hours_For_Period,
        )
    ]


def resolving_tools(session: CompanySession) -> list[Tool]:
    """Records by what a text calls them."""

    def Combo_Resolve_Person_For_Name(
        name: str, project: str = "", department: str = "", contacts: bool = True
    ) -> dict[str, Any]:
        """Name in any order, mail, id: {candidates: [{id, name, email, score 0-100, matched}],
        tied: how many share the best score}. A customer's contact has no id. project: of its
        team"""
        return resolve_person(session, name, project, department, contacts)

    def Combo_Resolve_Project_For_Phrase(
        phrase: str, member: str = "", lead: str = "", archived: bool = True
    ) -> dict[str, Any]:
        """Over name, description, customer; member, lead: employee ids: {candidates: [project,
        customer_name, score, matched], tied}. phrase "": all of theirs"""
        return resolve_project(session, phrase, member, lead, archived)

    def Combo_Resolve_Customer_For_Phrase(phrase: str) -> dict[str, Any]:
        """{candidates: [company, score, matched], tied}"""
        return resolve_customer(session, phrase)

    return [
        tool("read", Combo_Resolve_Person_For_Name),
        tool("read", Combo_Resolve_Project_For_Phrase),
        tool("read", Combo_Resolve_Customer_For_Phrase),
    ]
