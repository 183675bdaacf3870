"""The company's records as the tools share them: read once a task, kept until a change to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from company_tools.company_session import CompanySession, Record
from core.erc3_client import company
from core.ledger import ToolFault
from core.tools.ahead import one
from core.tools.faults import Refused, failed_request

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
        request = company.Req_GetEmployee(id=id)
        try:
            found = session.send(request)["employee"]
        except Refused as fault:
            raise _unknown("employee", request, "Combo_Resolve_Person_For_Name", fault) from None
        return {**found, **{f: found.get(f) or [] for f in ("skills", "wills")}}

    return session.kept(("employees", id), read)


def whole_employees(session: CompanySession) -> list[Record]:
    """Everybody with notes, skills and wills. Raises as CompanySession.page."""
    return employees_of(session, [found["id"] for found in employees(session)])


def employees_of(session: CompanySession, ids: list[str]) -> list[Record]:
    """The people of these ids with notes, skills and wills. Raises as :func:`employee`."""
    _records_ahead(session, "employees", company.Req_GetEmployee, ids)
    return _each(employee, session, ids)


def projects(session: CompanySession) -> list[Record]:
    """Every project, archived ones too, as lists show them. Raises as CompanySession.page."""
    return session.kept(("projects",), lambda: session.pages(*_LISTS["projects"]))


def project(session: CompanySession, id: str) -> Record:
    """One project with description and team. Raises ToolFault where there is none."""

    def read() -> Record:
        request = company.Req_GetProject(id=id)
        found = session.send(request).get("project")
        if not found:
            raise _unknown("project", request, "Combo_Resolve_Project_For_Phrase")
        return {**found, "team": found.get("team") or []}

    return session.kept(("projects", id), read)


def whole_projects(session: CompanySession) -> list[Record]:
    """Every project with description and team. Raises as CompanySession.page."""
    return projects_of(session, [found["id"] for found in projects(session)])


def projects_of(session: CompanySession, ids: list[str]) -> list[Record]:
    """The projects of these ids with description and team. Raises as :func:`project`."""
    _records_ahead(session, "projects", company.Req_GetProject, ids)
    return _each(project, session, ids)


def customers(session: CompanySession) -> list[Record]:
    """Every customer, as lists show them. Raises as CompanySession.page."""
    return session.kept(("customers",), lambda: session.pages(*_LISTS["customers"]))


def customer(session: CompanySession, id: str) -> Record:
    """One customer with brief, contact and account manager. Raises ToolFault: there is none."""

    def read() -> Record:
        request = company.Req_GetCustomer(id=id)
        finder = "Combo_Resolve_Customer_For_Phrase"
        try:
            found: Record | None = session.send(request).get("company")
        except Refused as fault:
            raise _unknown("customer", request, finder, fault) from None
        if not found:
            raise _unknown("customer", request, finder)
        return found

    return session.kept(("customers", id), read)


def whole_customers(session: CompanySession) -> list[Record]:
    """Every customer with brief, contact and account manager. Raises as CompanySession.page."""
    ids = [found["id"] for found in customers(session)]
    _records_ahead(session, "customers", company.Req_GetCustomer, ids)
    return _each(customer, session, ids)


def _each(
    read: Callable[[CompanySession, str], Record], session: CompanySession, ids: list[str]
) -> list[Record]:
    """The records of these ids; a fault keeps those that were read before it. Raises ToolFault."""
    found: list[Record] = []
    for id in ids:
        try:
            found.append(read(session, id))
        except ToolFault as fault:
            fault.rows = found
            raise
    return found


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


def _unknown(kind: str, request: Any, finder: str, fault: Refused | None = None) -> ToolFault:
    """What is raised where no record has an id; a refusal is told in the API's words first."""
    said = f"{fault.text}: " if fault else ""
    text = f"{said}no {kind} has the id {request.id[:80]!r}; {finder} finds ids"
    unknown = ToolFault(text)
    unknown.request = (
        fault.request.model_copy(update={"text": text})
        if fault and fault.request
        else failed_request(request, text, status=200)
    )
    return unknown
