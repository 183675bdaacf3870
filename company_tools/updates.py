"""Changes of whole records: fetch, merge, send, fetch again.

The platform replaces lists and may clear what is left out (facts of the platform), so what is sent
is the whole record with the changes in it. Nothing is sent where nothing changes, and the same
change is never sent twice (``CompanySession.write``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from company_tools import listings
from company_tools.arguments import bare_id, day
from company_tools.change import RECORD
from company_tools.company_session import CompanySession, Record
from company_tools.fitting import twice
from company_tools.ids import employee_id, project_id
from company_tools.level_names import level_name
from company_tools.settling import levels_of, team_of
from company_tools.skills import with_levels
from company_tools.values import stored_value
from company_tools.wiki_pages import load, wiki_pages
from company_tools.wiki_store import WikiStore
from core.erc3_client import company
from core.ledger import ToolFault
from core.tools.api_session import body_of
from core.tools.collector import keeping
from core.tools.faults import Inconsistent, Refused

Role = Literal["Lead", "Engineer", "Designer", "QA", "Ops", "Other"]
EntryStatus = Literal["", "draft", "submitted", "approved", "invoiced", "voided"]
Levels = dict[str, int]
OF_CUSTOMER, INTERNAL = "customer_project", "internal"
"""Categories of work that entries have (facts of the platform)."""
_EMPLOYEE_FIELDS = ("notes", "salary", "location", "department", "skills", "wills")
_ENTRY_FIELDS = ("date", "hours", "work_category", "notes", "billable", "status")
LOWEST, HIGHEST = 1, 10
"""Of levels (facts of the platform); a 0 comes of a level that was left out."""


class Member(BaseModel):
    """One member of a team; what is left out stays as it is."""

    model_config = ConfigDict(extra="forbid")

    employee: str
    role: Role | None = None
    time_slice: float | None = None


CHANGED: Mapping[str, object] = {"before": None, "sent": None, "after": None}
"""Fields of a change where nothing is known; ``sent`` is what took effect."""
WRITTEN: Mapping[str, object] = {
    "written": [], "unchanged": [], "sha1_before": "", "sha1_after": "",
}  # fmt: skip


def unchanged(before: object) -> Record:
    """What is told where nothing was sent."""
    return {"before": before, "sent": None, "after": before}


def update_employee(
    session: CompanySession,
    wiki: WikiStore,
    employee: str,
    scalars: Mapping[str, Any],
    salary_delta: int | None,
    levels: Mapping[str, Levels],
    deltas: Mapping[str, Levels],
) -> Record:
    """Change one person; see the tool. Raises ToolFault where it is not clear to what."""
    id = employee_id(session, employee)
    if salary_delta is not None and scalars.get("salary") is not None:
        raise ToolFault("give salary or salary_delta, not both")
    now = listings.employee(session, id)
    set_ = _scalars(session, scalars)

    def request_of(record: Record) -> Any:
        after = _employee_after(session, wiki, record, set_, salary_delta, levels, deltas)
        if after == record:
            return None
        # A list that is empty is not sent: for the platform it stands for no change.
        sent = {field: after[field] for field in _EMPLOYEE_FIELDS}
        return company.Req_UpdateEmployeeInfo(employee=id, **sent, changed_by=session.actor())

    before = session.begun_from("/employees/update", id, now, request_of)
    if before is now and (salary_delta is not None or any(deltas.values())):
        _refuse_second_step(session, id)
    request = request_of(before)
    shown = with_levels(before)
    if request is None:
        return unchanged(shown)
    with keeping(before=shown):
        session.send(request, about={RECORD: before})
    sent = {field: value for field, value in body_of(request).items() if field in _EMPLOYEE_FIELDS}
    changes = {f: value for f, value in with_levels(sent).items() if value != shown[f]}
    made = {"before": shown, "sent": changes}
    with keeping(**made):
        return {**made, "after": with_levels(listings.employee(session, id))}


def _employee_after(
    session: CompanySession,
    wiki: WikiStore,
    before: Record,
    scalars: Mapping[str, Any],
    salary_delta: int | None,
    levels: Mapping[str, Levels],
    deltas: Mapping[str, Levels],
) -> Record:
    """A person's record with the changes in it. Raises ToolFault where one is impossible."""
    after = {**before, **scalars}
    if salary_delta is not None:
        after["salary"] = before["salary"] + salary_delta
    if after["salary"] < 0:
        raise ToolFault(f"a salary is not below 0: {after['salary']}")
    for kind in ("skills", "wills"):
        _refuse_twice(before["id"], kind, before[kind], "name")
        own = levels_of(before[kind])
        set_, moved = (
            {
                name if name in own else level_name(session, wiki, kind, name): n
                for name, n in g.items()
            }
            for g in (levels[kind], deltas[kind])
        )
        after[kind] = _merged(own, set_, moved)
    return after


def _scalars(session: CompanySession, scalars: Mapping[str, Any]) -> Record:
    """The single values that are given; a place that exists is spelled as it is stored."""
    given = {field: value for field, value in scalars.items() if value is not None}
    for field in ("location", "department"):
        if field in given:
            given[field] = stored_value(field, given[field], listings.employees(session))
    return given


def _refuse_twice(id: str, field: str, records: Sequence[Mapping[str, Any]], name: str) -> None:
    """Refuse to write a list back that says two things of one name: neither is known to hold."""
    if again := twice(records, name):
        raise Inconsistent(f"nothing was changed: {again!r} stands twice in the {field} of {id}")


def _refuse_second_step(session: CompanySession, id: str) -> None:
    """A step up or down that is repeated would be made twice; a level or a sum is not."""
    for change in session.changes:
        same = change.path == "/employees/update" and change.body.get("employee") == id
        if same and change.outcome not in ("refused", "lost"):
            raise ToolFault(
                f"nothing was sent: {id} was changed in this task already ({change.outcome}). "
                "Give levels and salary as they shall be, not by how much they move"
            )


def _merged(own: Levels, set_: Levels, moved: Levels) -> list[Record]:
    """Levels with the changes in them; a list that was in order by name stays so."""
    after = {**own, **set_}
    for name, delta in moved.items():
        if name not in own:
            raise ToolFault(f"{name} has no level yet that could be moved; set one")
        after[name] += delta
    for name, level in after.items():
        if level != own.get(name) and not LOWEST <= level <= HIGHEST:
            raise ToolFault(f"{name} would be {level}: levels go from {LOWEST} to {HIGHEST}")
    names = sorted(after) if list(own) == sorted(own) else list(after)
    return [{"name": name, "level": after[name]} for name in names]


def update_team(
    session: CompanySession,
    project: str,
    add: Sequence[Member],
    remove: Sequence[str],
    change: Sequence[Member],
) -> Record:
    """Change a project's team; see the tool. Raises ToolFault where a member does not fit."""
    id = project_id(session, project)
    now = {"team": listings.project(session, id)["team"]}

    def request_of(record: Record) -> Any:
        after = _team_after(session, id, record["team"], add, remove, change)
        if team_of(after) == team_of(record["team"]):
            return None
        asked = {"id": id, "team": after, "changed_by": session.actor()}
        return company.Req_UpdateProjectTeam.model_validate(asked)

    record = session.begun_from("/projects/team/update", id, now, request_of)
    request, before = request_of(record), record["team"]
    if request is None:
        return unchanged(before)
    with keeping(before=before):
        session.send(request, about={RECORD: record})
    made = {"before": before, "sent": body_of(request)["team"]}
    with keeping(**made):
        return {**made, "after": listings.project(session, id)["team"]}


def _team_after(
    session: CompanySession,
    id: str,
    before: Sequence[Record],
    add: Sequence[Member],
    remove: Sequence[str],
    change: Sequence[Member],
) -> list[Record]:
    """A team with the changes in it. Raises ToolFault where a member does not fit."""
    _refuse_twice(id, "team", before, "employee")
    team = {member["employee"]: dict(member) for member in before}
    for said in remove:
        who = employee_id(session, said)
        if team.pop(who, None) is None:
            raise ToolFault(f"{who} is not on the team of {id}")
    for member in change:
        who = employee_id(session, member.employee)
        if who not in team:
            raise ToolFault(f"{who} is not on the team of {id}; use add")
        team[who] |= _said(member)
    for member in add:
        who = employee_id(session, member.employee)
        if who in team:
            raise ToolFault(f"{who} is on the team of {id} already; use change")
        if member.role is None or member.time_slice is None:
            raise ToolFault(f"{who}: a new member needs role and time_slice")
        team[who] = {"employee": who, **_said(member)}
    return list(team.values())


def _said(member: Member) -> Record:
    """What is said of a member; a time slice above 1 is in percent."""
    told = member.model_dump(exclude={"employee"}, exclude_none=True)
    part = told.get("time_slice")
    if part is not None and not 0 <= part <= 1:
        if not 1 < part <= 100:
            raise ToolFault(f"{member.employee}: a time_slice is a part of 1, not {part}")
        told["time_slice"] = round(part / 100, 6)
    return told


def update_status(session: CompanySession, id: str, status: str) -> Record:
    """Change a project's status. Raises ToolFault where there is no such project."""
    now = {"status": listings.project(session, id)["status"]}

    def request_of(record: Record) -> Any:
        if record["status"] == status:
            return None
        asked = {"id": id, "status": status, "changed_by": session.actor()}
        return company.Req_UpdateProjectStatus.model_validate(asked)

    record = session.begun_from("/projects/status/update", id, now, request_of)
    request, before = request_of(record), record["status"]
    if request is None:
        return unchanged(before)
    session.send(request, about={RECORD: record})
    return {"before": before, "sent": status, "after": listings.project(session, id)["status"]}


def time_entry(session: CompanySession, id: str) -> Record:
    """One time entry. Raises ToolFault where there is none."""
    try:
        found = session.send(company.Req_GetTimeEntry(id=id)).get("entry") or {}
    except Refused as fault:
        text = f"{fault.text}: no time entry has the id {id[:80]!r}"
        text = f"{text}; Combo_List_All_Time_Entries shows ids"
        unknown = ToolFault(text).after(fault)
        unknown.request = fault.request and fault.request.model_copy(update={"text": text})
        raise unknown from None
    return {"customer": "", "project": "", **found}


def update_entry(session: CompanySession, id: str, changes: Mapping[str, Any]) -> Record:
    """Change a time entry; see the tool. Raises ToolFault where there is none."""
    id = bare_id(id)
    now = time_entry(session, id)
    wanted = {field: value for field, value in changes.items() if value is not None}
    if "date" in wanted:
        wanted["date"] = day(wanted["date"], session.user().get("today", ""))
    if wanted.get("hours", 0) < 0:
        raise ToolFault(f"hours must not be negative: {wanted['hours']}")

    def request_of(record: Record) -> Any:
        after = {**record, **wanted}
        if after == record:
            return None
        sent = {field: after[field] for field in _ENTRY_FIELDS}
        return company.Req_UpdateTimeEntry(id=id, **sent, changed_by=session.actor())

    before = session.begun_from("/time/update", id, now, request_of)
    request = request_of(before)
    if request is None:
        return unchanged(before)
    with keeping(before=before):
        session.send(request, about={RECORD: before})
    made = {"before": before, "sent": wanted}
    with keeping(**made):
        return {**made, "after": time_entry(session, id)}


def log_time(
    session: CompanySession,
    employee: str,
    project: str,
    entry: Mapping[str, Any],
    *,
    allow_non_member: bool,
) -> Record:
    """Log time on a project and its customer; see the tool. Raises ToolFault for a non-member."""
    who, where = employee_id(session, employee), project_id(session, project)
    if not entry["hours"] > 0:
        raise ToolFault(f"hours must be above 0, not {entry['hours']}")
    found = listings.project(session, where)
    roles = [m["role"] for m in found["team"] if m["employee"] == who]
    if not allow_non_member:
        check_member(session, who, where)
    by, customer = session.actor(), _customer_of(session, found)
    request = company.Req_LogTimeEntry(
        employee=who,
        customer=customer,
        project=where,
        logged_by=by,
        **{
            **entry,
            "date": day(entry["date"], session.user().get("today", "")),
            "work_category": entry["work_category"] or (OF_CUSTOMER if customer else INTERNAL),
        },
    )
    requester = [m["role"] for m in found["team"] if m["employee"] == by]
    with keeping(roles_of_employee=roles, roles_of_asker=requester):
        logged = session.send(request)
    return {"entry": logged, "roles_of_employee": roles, "roles_of_asker": requester}


def check_member(session: CompanySession, employee: str, project: str) -> None:
    """Refuse hours of somebody who is not on the project's team. Raises ToolFault."""
    team = [m["employee"] for m in listings.project(session, project)["team"]]
    if employee not in team:
        raise ToolFault(
            f"nothing was logged: {employee} is not on the team of {project} "
            f"({', '.join(team) or 'which is empty'}). Only where the wiki allows hours of others: "
            "Combo_Log_Time_For_Project with allow_non_member=True"
        )


def _customer_of(session: CompanySession, project: Record) -> str | None:
    """The project's customer, which the platform does not fill in; None for one that is none.

    A company's own projects have a customer that the platform refuses in an entry.
    """
    id = project.get("customer") or ""
    try:
        return str(listings.customer(session, id)["id"]) if id else None
    except ToolFault as fault:
        if fault.fatal:
            raise
        return None


def write_pages(session: CompanySession, wiki: WikiStore, pages: Mapping[str, str]) -> Record:
    """Write pages, byte for byte; empty ones are deleted; see the tool."""
    if not pages:
        raise ToolFault("pages must not be empty: {file: content}")
    if not all(file.strip() for file in pages):
        raise ToolFault("a page needs a name")
    who = session.actor()
    now = dict(wiki_pages(session, wiki))
    before = session.user().get("wiki_sha1", "")
    written: list[str] = []
    same: list[str] = []
    with keeping(written=written, unchanged=same, sha1_before=before):
        for file, content in pages.items():
            request = company.Req_UpdateWiki(file=file, content=content, changed_by=who)
            if now.get(file, "") == content and not session.was_made(request):
                same.append(file)
                continue
            session.send(request)
            written.append(file)
            now.pop(file, None)
            now |= {file: content} if content else {}
        after = session.user().get("wiki_sha1", "")
    if written and after != before:
        wiki.keep(after, now)
    return {"written": written, "unchanged": same, "sha1_before": before, "sha1_after": after}


def rename_page(session: CompanySession, wiki: WikiStore, old: str, new: str) -> Record:
    """Save a copy under the new name, then empty the old one; see the tool.

    Where the new page holds the very content already, as a renaming that was cut off leaves it,
    only the old one is emptied.

    Raises:
        ToolFault: there is no such page, or another one of the new name.
    """
    pages = wiki_pages(session, wiki)
    emptied = company.Req_UpdateWiki(file=old, content="", changed_by=session.actor())
    if old not in pages and new in pages and session.was_made(emptied):
        return write_pages(session, wiki, {new: load(session, new), old: ""})
    if old not in pages:
        raise ToolFault(f"the wiki has no page {old[:80]!r}; there are: {', '.join(pages)}")
    content = load(session, old)
    if new == old or (new in pages and load(session, new) != content):
        raise ToolFault(f"there is a page {new[:80]!r} already")
    return write_pages(session, wiki, {new: content, old: ""})
