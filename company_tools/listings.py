"""The company's records as the tools share them: read once a task, kept until a change to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from company_tools.company_session import CompanySession, ListRequest, unless_refused
from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.ledger import ToolFault
from core.tools.ahead import one
from core.tools.faults import Refused, failed_request

Brief = TypeVar("Brief", wire.EmployeeBrief, wire.ProjectBrief, wire.CompanyBrief)
Whole = TypeVar("Whole", wire.EmployeeView, wire.ProjectDetail, wire.CompanyDetail)
Entry = TypeVar("Entry", bound=wire.TimeEntry)


@dataclass(frozen=True)
class Table(Generic[Brief, Whole]):
    """A kind of records."""

    kind: str
    """What they are kept as."""
    singular: str
    brief: type[Brief]
    field: str
    """Of the answer to a request for one record."""
    finder: str

    @property
    def listing(self) -> ListRequest:
        """The request of a page; looked up late, as the client is chosen late."""
        request: ListRequest = getattr(company, f"Req_List{self.kind.capitalize()}")
        return request

    def all(self, session: CompanySession) -> list[Brief]:
        """Every record, archived ones too, as lists show them. Raises ToolFault."""
        return session.memory.kept((self.kind,), lambda: session.pages(self.listing, self.brief))

    def one(self, session: CompanySession, id: str) -> Whole:
        """One record with all its fields. Raises ToolFault where none has the id."""

        def read() -> Whole:
            request = self._get(id)
            unknown = f"no {self.singular} has the id {id[:80]!r}; {self.finder} finds ids"
            try:
                record: Whole | None = getattr(session.read(request), self.field)
            except Refused as fault:
                raise _unknown(fault, unknown) from None
            if record is None:
                missing = ToolFault(unknown)
                missing.request = failed_request(request, unknown, status=200)
                raise missing
            return record

        return session.memory.kept((self.kind, id), read)

    def whole(self, session: CompanySession) -> list[Whole]:
        """Every record with all its fields. Raises ToolFault."""
        try:
            ids = [one.id for one in self.all(session)]
        except ToolFault as fault:
            fault.rows = []  # those that a fault keeps are no whole records
            raise
        return self.of(session, ids)

    def of(self, session: CompanySession, ids: list[str]) -> list[Whole]:
        """The whole records of these ids; a fault keeps those read before it. Raises as one."""
        missing = (id for id in ids if not session.memory.has(self.kind, id))
        session.read_ahead(one(self._get(id)) for id in missing)
        records: list[Whole] = []
        for id in ids:
            try:
                records.append(self.one(session, id))
            except ToolFault as fault:
                fault.rows = records
                raise
        return records

    def _get(self, id: str) -> BaseModel:
        request: BaseModel = getattr(company, f"Req_Get{self.singular.capitalize()}")(id=id)
        return request


def _unknown(refusal: Refused, text: str) -> ToolFault:
    """What is raised where no record has an id: the refusal in the API's words, then the text."""
    unknown = ToolFault(f"{refusal.text}: {text}").after(refusal)
    request = refusal.request
    unknown.request = request and request.model_copy(update={"text": unknown.text})
    return unknown


EMPLOYEES: Table[wire.EmployeeBrief, wire.EmployeeView] = Table(
    "employees", "employee", wire.EmployeeBrief, "employee", "Combo_Resolve_Person_For_Name"
)
PROJECTS: Table[wire.ProjectBrief, wire.ProjectDetail] = Table(
    "projects", "project", wire.ProjectBrief, "project", "Combo_Resolve_Project_For_Phrase"
)
CUSTOMERS: Table[wire.CompanyBrief, wire.CompanyDetail] = Table(
    "customers", "customer", wire.CompanyBrief, "company", "Combo_Resolve_Customer_For_Phrase"
)
employees, employee = EMPLOYEES.all, EMPLOYEES.one
whole_employees, employees_of = EMPLOYEES.whole, EMPLOYEES.of
projects, project = PROJECTS.all, PROJECTS.one
whole_projects, projects_of = PROJECTS.whole, PROJECTS.of
customers, customer = CUSTOMERS.all, CUSTOMERS.one
whole_customers = CUSTOMERS.whole


def read_ahead(session: CompanySession, *tables: Table[Any, Any]) -> None:
    """Read listings side by side that are about to be asked for."""
    missing = [table for table in tables if not session.memory.has(table.kind)]
    session.read_pages_ahead(*((table.listing, table.brief) for table in missing))


def departments(session: CompanySession) -> tuple[str, ...]:
    """Of the whole company; none where the system refuses its list. Raises OutOfReach."""
    people = unless_refused(lambda: employees(session), [])
    return tuple(sorted({one.department for one in people} - {""}))


def account_manager(session: CompanySession, customer_id: str) -> str | None:
    """Who manages a customer; None where it is none, as that of a company's own projects.

    Raises ToolFault: the system does not answer.
    """
    try:
        return customer(session, customer_id).account_manager if customer_id else None
    except ToolFault as fault:
        if fault.fatal:
            raise
        return None


def entries(session: CompanySession, **filters: str) -> list[wire.TimeEntryWithID]:
    """The time entries that fit, every filter named as in the request; "" filters nothing.

    Raises ToolFault.
    """
    wanted = {name: value for name, value in filters.items() if value}
    key = ("entries", *(f"{name}={wanted[name]}" for name in sorted(wanted)))

    def read() -> list[wire.TimeEntryWithID]:
        listed = session.pages(company.Req_SearchTimeEntries, wire.TimeEntryWithID, **wanted)
        return [_with_texts(entry) for entry in listed]

    return session.memory.kept(key, read)


def entry(session: CompanySession, id: str) -> wire.TimeEntry:
    """One time entry, which the wire shows without its id. Raises ToolFault where there is none."""
    request = company.Req_GetTimeEntry(id=id)
    try:
        return _with_texts(session.read(request, wire.Resp_GetTimeEntry).entry)
    except Refused as fault:
        text = f"no time entry has the id {id[:80]!r}; Combo_List_All_Time_Entries shows ids"
        raise _unknown(fault, text) from None


def _with_texts(entry: Entry) -> Entry:
    """An entry whose customer and project are "" where the wire leaves them out."""
    ids = {"customer": entry.customer or "", "project": entry.project or ""}
    return entry.model_copy(update=ids)


def leads_of(project: wire.ProjectDetail) -> list[str]:
    """Who leads a project."""
    return [member.employee for member in project.team if member.role == "Lead"]
