"""Changes of logged time: an entry updated, hours logged for a member of a project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from company_tools import listings
from company_tools.arguments import bare_id, day
from company_tools.company_session import CompanySession
from company_tools.ids import employee_id, project_id
from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.ledger import ToolFault
from core.tools.collector import keeping

if TYPE_CHECKING:
    from company_tools.change import ChangeRequest
EntryStatus = Literal["", "draft", "submitted", "approved", "invoiced", "voided"]
OF_CUSTOMER, INTERNAL = "customer_project", "internal"
"""Categories of work that entries have (facts of the platform)."""


_CHANGED = ("date", "hours", "work_category", "notes", "billable", "status")
"""Fields of an entry that can be changed."""


def Combo_Update_Time_Entry_For_Changes(
    session: CompanySession,
    id: str,
    date: str | None = None,
    hours: float | None = None,
    work_category: str | None = None,
    notes: str | None = None,
    billable: bool | None = None,
    status: EntryStatus | None = None,
) -> dict[str, object]:
    """An entry by its id"""
    id = bare_id(id)
    given = (date, hours, work_category, notes, billable, status)
    wanted = {f: v for f, v in zip(_CHANGED, given, strict=True) if v is not None}
    if date is not None:
        wanted["date"] = day(date, session.user().today)
    if hours is not None and hours < 0:
        raise ToolFault(f"hours must not be negative: {hours}")

    def request(after: wire.TimeEntry) -> ChangeRequest:
        fields = {field: getattr(after, field) for field in _CHANGED}
        return company.Req_UpdateTimeEntry(id=id, **fields, changed_by=session.actor())

    return session.make_change(
        "/time/update",
        id,
        lambda: listings.entry(session, id),
        lambda record: record.model_copy(update=wanted),
        request,
        lambda record, *_: {field: getattr(record, field) for field in wanted},
    )


def Combo_Log_Time_For_Project(
    session: CompanySession,
    employee: str,
    project: str,
    date: str,
    hours: float,
    billable: bool,
    notes: str = "",
    status: EntryStatus = "draft",
    work_category: str = "",
    allow_non_member: bool = False,
) -> dict[str, object]:
    """On its customer too: {entry, roles_of_employee: [role], roles_of_asker: [role]}. For
    members of the team; allow_non_member: only where the wiki allows others. work_category "":
    customer_project, on an own project internal"""
    who, where = employee_id(session, employee), project_id(session, project)
    if not hours > 0:
        raise ToolFault(f"hours must be above 0, not {hours}")
    record = listings.project(session, where)
    if not allow_non_member:
        check_member(session, who, where)
    by = session.actor()
    # A company's own projects have a customer that the platform refuses in an entry, and it does
    # not fill in one that is left out.
    manager = listings.account_manager(session, record.customer)
    customer = None if manager is None else record.customer
    request = company.Req_LogTimeEntry(
        employee=who,
        customer=customer,
        project=where,
        date=day(date, session.user().today),
        hours=hours,
        work_category=work_category or (OF_CUSTOMER if customer else INTERNAL),
        notes=notes,
        billable=billable,
        status=status,
        logged_by=by,
    )
    roles = {
        f"roles_of_{whose}": [m.role for m in record.team if m.employee == id]
        for whose, id in (("employee", who), ("asker", by))
    }
    with keeping(**roles):
        return {"entry": session.send(request, wire.Resp_LogTimeEntry), **roles}


def check_member(session: CompanySession, employee: str, project: str) -> None:
    """Refuse hours of somebody who is not on the project's team. Raises ToolFault."""
    team = [member.employee for member in listings.project(session, project).team]
    if employee not in team:
        raise ToolFault(
            f"nothing was logged: {employee} is not on the team of {project} "
            f"({', '.join(team) or 'which is empty'}). Only where the wiki allows hours of others: "
            "Combo_Log_Time_For_Project with allow_non_member=True"
        )
