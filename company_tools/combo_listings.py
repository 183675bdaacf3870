"""Combo_* tools that list whole kinds of records."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from company_tools import listings
from company_tools.profile import person_of
from company_tools.reading_session import ReadingSession
from company_tools.sums import filters
from core.tools.collector import Collector

T = TypeVar("T")


def Combo_List_All_Employees(session: ReadingSession, details: bool = False) -> dict[str, object]:
    """{employees: [{id, name, email, salary, location, department}]}; details, slow: with
    notes, skills, wills"""
    if not details:
        return _listed("employees", lambda: listings.employees(session))
    collected = Collector()
    people = collected.rows(lambda: listings.whole_employees(session))
    return collected.result({"employees": [person_of(one) for one in people]})


def Combo_List_All_Projects(session: ReadingSession, teams: bool = True) -> dict[str, object]:
    """{projects: [fields of Req_GetProject]}, archived too; without teams no description"""
    if not teams:
        return _listed("projects", lambda: listings.projects(session))
    return _listed("projects", lambda: listings.whole_projects(session))


def Combo_List_All_Customers(session: ReadingSession, details: bool = True) -> dict[str, object]:
    """{customers: [fields of Req_GetCustomer]}; without details no brief, contact, manager"""
    if not details:
        return _listed("customers", lambda: listings.customers(session))
    return _listed("customers", lambda: listings.whole_customers(session))


def Combo_List_All_Time_Entries(
    session: ReadingSession,
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


def _listed(field: str, read: Callable[[], list[T]]) -> dict[str, object]:
    """The records under their name. Raises a fault that keeps those that came before it."""
    collected = Collector()
    return collected.result({field: collected.rows(read)})
