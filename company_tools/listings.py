"""The company's records as the tools share them: read once a task, kept until a change to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from pydantic import BaseModel

from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.ledger import ToolFault
from core.tools.ahead import one
from core.tools.faults import Refused, failed_request

if TYPE_CHECKING:
    from company_tools.reading_session import ListRequest, ReadingSession
T = TypeVar("T")
Brief: TypeAlias = wire.EmployeeBrief | wire.ProjectBrief | wire.CompanyBrief
Entry = TypeVar("Entry", bound=wire.TimeEntry)


def ahead(session: ReadingSession, *kinds: str) -> None:
    """Read listings side by side that are about to be asked for."""
    lists: dict[str, tuple[ListRequest, type[BaseModel]]] = {
        "employees": (company.Req_ListEmployees, wire.EmployeeBrief),
        "projects": (company.Req_ListProjects, wire.ProjectBrief),
        "customers": (company.Req_ListCustomers, wire.CompanyBrief),
    }
    session.read_pages_ahead(*(lists[kind] for kind in kinds if not session.memory.has(kind)))


def employees(session: ReadingSession) -> list[wire.EmployeeBrief]:
    """Everybody, as lists show them. Raises as ReadingSession.page."""
    return session.kept(
        ("employees",), lambda: session.pages(company.Req_ListEmployees, wire.EmployeeBrief)
    )


def employee(session: ReadingSession, id: str) -> wire.EmployeeView:
    """One person with notes, skills and wills. Raises ToolFault where nobody has the id."""

    def read() -> wire.EmployeeView:
        request, finder = company.Req_GetEmployee(id=id), "Combo_Resolve_Person_For_Name"
        try:
            return session.send(request, wire.Resp_GetEmployee).employee
        except Refused as fault:
            raise _unknown("employee", request, id, finder, fault) from None

    return session.kept(("employees", id), read)


def whole_employees(session: ReadingSession) -> list[wire.EmployeeView]:
    """Everybody with notes, skills and wills. Raises as ReadingSession.page."""
    return employees_of(session, _ids(employees, session))


def employees_of(session: ReadingSession, ids: list[str]) -> list[wire.EmployeeView]:
    """The people of these ids with notes, skills and wills. Raises as :func:`employee`."""
    return _each(employee, session, "employees", company.Req_GetEmployee, ids)


def projects(session: ReadingSession) -> list[wire.ProjectBrief]:
    """Every project, archived ones too, as lists show them. Raises as ReadingSession.page."""
    return session.kept(
        ("projects",), lambda: session.pages(company.Req_ListProjects, wire.ProjectBrief)
    )


def project(session: ReadingSession, id: str) -> wire.ProjectDetail:
    """One project with description and team. Raises ToolFault where there is none."""

    def read() -> wire.ProjectDetail:
        request = company.Req_GetProject(id=id)
        answer = session.send(request, wire.Resp_GetProject)
        if answer.project is None:
            raise _unknown("project", request, id, "Combo_Resolve_Project_For_Phrase")
        return answer.project

    return session.kept(("projects", id), read)


def whole_projects(session: ReadingSession) -> list[wire.ProjectDetail]:
    """Every project with description and team. Raises as ReadingSession.page."""
    return projects_of(session, _ids(projects, session))


def projects_of(session: ReadingSession, ids: list[str]) -> list[wire.ProjectDetail]:
    """The projects of these ids with description and team. Raises as :func:`project`."""
    return _each(project, session, "projects", company.Req_GetProject, ids)


def customers(session: ReadingSession) -> list[wire.CompanyBrief]:
    """Every customer, as lists show them. Raises as ReadingSession.page."""
    return session.kept(
        ("customers",), lambda: session.pages(company.Req_ListCustomers, wire.CompanyBrief)
    )


def customer(session: ReadingSession, id: str) -> wire.CompanyDetail:
    """One customer with brief, contact and account manager. Raises ToolFault: there is none."""

    def read() -> wire.CompanyDetail:
        request = company.Req_GetCustomer(id=id)
        finder = "Combo_Resolve_Customer_For_Phrase"
        try:
            answer = session.send(request, wire.Resp_GetCustomer)
        except Refused as fault:
            raise _unknown("customer", request, id, finder, fault) from None
        if answer.company is None:
            raise _unknown("customer", request, id, finder)
        return answer.company

    return session.kept(("customers", id), read)


def account_manager(session: ReadingSession, customer_id: str) -> str | None:
    """Who manages a customer; None where it is none, as that of a company's own projects.

    Raises ToolFault: the system does not answer.
    """
    try:
        return customer(session, customer_id).account_manager if customer_id else None
    except ToolFault as fault:
        if fault.fatal:
            raise
        return None


def whole_customers(session: ReadingSession) -> list[wire.CompanyDetail]:
    """Every customer with brief, contact and account manager. Raises as ReadingSession.page."""
    ids = _ids(customers, session)
    return _each(customer, session, "customers", company.Req_GetCustomer, ids)


def _ids(read: Callable[[ReadingSession], Sequence[Brief]], session: ReadingSession) -> list[str]:
    """The ids of a listing, for whole records: a fault keeps none of those. Raises ToolFault."""
    try:
        return [one.id for one in read(session)]
    except ToolFault as fault:
        fault.rows = []
        raise


def _each(
    read: Callable[[ReadingSession, str], T],
    session: ReadingSession,
    kind: str,
    model: ListRequest,
    ids: list[str],
) -> list[T]:
    """The records of these ids; a fault keeps those that were read before it. Raises ToolFault."""
    session.read_ahead(one(model(id=id)) for id in ids if not session.memory.has(kind, id))
    records: list[T] = []
    for id in ids:
        try:
            records.append(read(session, id))
        except ToolFault as fault:
            fault.rows = records
            raise
    return records


def entries(session: ReadingSession, **filters: str) -> list[wire.TimeEntryWithID]:
    """The time entries that fit, every filter named as in the request; "" filters nothing.

    Raises as ReadingSession.page.
    """
    wanted = {name: value for name, value in filters.items() if value}
    key = ("entries", *(f"{name}={wanted[name]}" for name in sorted(wanted)))

    def read() -> list[wire.TimeEntryWithID]:
        listed = session.pages(company.Req_SearchTimeEntries, wire.TimeEntryWithID, **wanted)
        return [with_texts(entry) for entry in listed]

    return session.kept(key, read)


def entry(session: ReadingSession, id: str) -> wire.TimeEntry:
    """One time entry, which the wire shows without its id. Raises ToolFault where there is none."""
    request = company.Req_GetTimeEntry(id=id)
    try:
        return with_texts(session.send(request, wire.Resp_GetTimeEntry).entry)
    except Refused as fault:
        text = f"{fault.text}: no time entry has the id {id[:80]!r}"
        text = f"{text}; Combo_List_All_Time_Entries shows ids"
        unknown = ToolFault(text).after(fault)
        unknown.request = fault.request and fault.request.model_copy(update={"text": text})
        raise unknown from None


def with_texts(entry: Entry) -> Entry:
    """An entry whose customer and project are "" where the wire leaves them out."""
    ids = {"customer": entry.customer or "", "project": entry.project or ""}
    return entry.model_copy(update=ids)


def _unknown(
    kind: str, request: BaseModel, id: str, finder: str, fault: Refused | None = None
) -> ToolFault:
    """What is raised where no record has an id; a refusal is told in the API's words first."""
    refusal = f"{fault.text}: " if fault else ""
    text = f"{refusal}no {kind} has the id {id[:80]!r}; {finder} finds ids"
    unknown = ToolFault(text)
    unknown.request = (
        fault.request.model_copy(update={"text": text})
        if fault and fault.request
        else failed_request(request, text, status=200)
    )
    return unknown
