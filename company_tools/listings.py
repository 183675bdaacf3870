"""The company's records as the tools share them: read once a task, kept until a change to them."""

from __future__ import annotations

from typing import Any

from company_tools.company_session import CompanySession, Record
from erc3_compat import company
from ledger import ToolFault
from tooling.faults import Refused


def employees(session: CompanySession) -> list[Record]:
    """Everybody, as lists show them. Raises as CompanySession.page."""
    return session.kept(
        ("employees",), lambda: session.pages(company.Req_ListEmployees, "employees")
    )


def employee(session: CompanySession, id: str) -> Record:
    """One person with notes, skills and wills. Raises ToolFault where nobody has the id."""

    def read() -> Record:
        try:
            found = session.send(company.Req_GetEmployee(id=id))["employee"]
        except Refused as fault:
            raise _unknown("employee", id, "Combo_Resolve_Person_For_Name", fault) from None
        return {**found, **{f: found.get(f) or [] for f in ("skills", "wills")}}

    return session.kept(("employees", id), read)


def projects(session: CompanySession) -> list[Record]:
    """Every project, archived ones too, as lists show them. Raises as CompanySession.page."""
    return session.kept(("projects",), lambda: session.pages(company.Req_ListProjects, "projects"))


def project(session: CompanySession, id: str) -> Record:
    """One project with description and team. Raises ToolFault where there is none."""

    def read() -> Record:
        found = session.send(company.Req_GetProject(id=id)).get("project")
        if not found:
            raise _unknown("project", id, "Combo_Resolve_Project_For_Phrase")
        return {**found, "team": found.get("team") or []}

    return session.kept(("projects", id), read)


def whole_projects(session: CompanySession) -> list[Record]:
    """Every project with description and team. Raises as CompanySession.page."""
    return [project(session, one["id"]) for one in projects(session)]


def customers(session: CompanySession) -> list[Record]:
    """Every customer, as lists show them. Raises as CompanySession.page."""
    return session.kept(
        ("customers",), lambda: session.pages(company.Req_ListCustomers, "companies")
    )


def customer(session: CompanySession, id: str) -> Record:
    """One customer with brief, contact and account manager. Raises ToolFault: there is none."""

    def read() -> Record:
        try:
            found: Record | None = session.send(company.Req_GetCustomer(id=id)).get("company")
        except Refused as fault:
            raise _unknown("customer", id, "Combo_Resolve_Customer_For_Phrase", fault) from None
        if not found:
            raise _unknown("customer", id, "Combo_Resolve_Customer_For_Phrase")
        return found

    return session.kept(("customers", id), read)


def whole_customers(session: CompanySession) -> list[Record]:
    """Every customer with brief, contact and account manager. Raises as CompanySession.page."""
    return [customer(session, one["id"]) for one in customers(session)]


def entries(session: CompanySession, **asked: Any) -> list[Record]:
    """The time entries that fit, every filter named as in the request.

    Raises as CompanySession.page.
    """
    wanted = {name: value for name, value in asked.items() if value}
    key = ("entries", *(f"{name}={wanted[name]}" for name in sorted(wanted)))

    def read() -> list[Record]:
        found = session.pages(company.Req_SearchTimeEntries, "entries", **wanted)
        return [{"customer": "", "project": "", **entry} for entry in found]

    return session.kept(key, read)


def _unknown(kind: str, id: str, finder: str, fault: Refused | None = None) -> ToolFault:
    said = f"{fault.text}: " if fault else ""
    return ToolFault(f"{said}no {kind} has the id {id[:80]!r}; {finder} finds ids")
