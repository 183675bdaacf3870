"""The company's records as the tools share them: read once a task, kept until a change to them."""

from __future__ import annotations

from typing import Any

from company_tools.company_session import CompanySession, Record
from erc3_compat import company
from ledger import ToolFault
from tooling.ahead import one
from tooling.faults import Refused

_LISTS = {
    "employees": (company.Req_ListEmployees, "employees"),
    "projects": (company.Req_ListProjects, "projects"),
    "customers": (company.Req_ListCustomers, "companies"),
}
"""By kind: what lists it, and the field of its records."""


def ahead(session: CompanySession, *kinds: str) -> None:
    """Read listings side by side that are about to be asked for."""
    session.read_pages_ahead(*(_LISTS[kind] for kind in kinds if not session.memory.has(kind)))


def employees(session: CompanySession) -> list[Record]:
    """Everybody, as lists show them. Raises as CompanySession.page."""
    return session.kept(("employees",), lambda: session.pages(*_LISTS["employees"]))


def employee(session: CompanySession, id: str) -> Record:
    """One person with notes, skills and wills. Raises ToolFault where nobody has the id."""

    def read() -> Record:
        try:
            found = session.send(company.Req_GetEmployee(id=id))["employee"]
        except Refused as fault:
            raise _unknown("employee", id, "Combo_Resolve_Person_For_Name", fault) from None
        return {**found, **{f: found.get(f) or [] for f in ("skills", "wills")}}

    return session.kept(("employees", id), read)


def whole_employees(session: CompanySession) -> list[Record]:
    """Everybody with notes, skills and wills. Raises as CompanySession.page."""
    return employees_of(session, [found["id"] for found in employees(session)])


def employees_of(session: CompanySession, ids: list[str]) -> list[Record]:
    """The people of these ids with notes, skills and wills. Raises as :func:`employee`."""
    _records_ahead(session, "employees", company.Req_GetEmployee, ids)
    return [employee(session, id) for id in ids]


def projects(session: CompanySession) -> list[Record]:
    """Every project, archived ones too, as lists show them. Raises as CompanySession.page."""
    return session.kept(("projects",), lambda: session.pages(*_LISTS["projects"]))


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
    return projects_of(session, [found["id"] for found in projects(session)])


def projects_of(session: CompanySession, ids: list[str]) -> list[Record]:
    """The projects of these ids with description and team. Raises as :func:`project`."""
    _records_ahead(session, "projects", company.Req_GetProject, ids)
    return [project(session, id) for id in ids]


def customers(session: CompanySession) -> list[Record]:
    """Every customer, as lists show them. Raises as CompanySession.page."""
    return session.kept(("customers",), lambda: session.pages(*_LISTS["customers"]))


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
    ids = [found["id"] for found in customers(session)]
    _records_ahead(session, "customers", company.Req_GetCustomer, ids)
    return [customer(session, id) for id in ids]


def _records_ahead(session: CompanySession, kind: str, model: Any, ids: list[str]) -> None:
    session.read_ahead(one(model(id=id)) for id in ids if not session.memory.has(kind, id))


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
