"""Changes of records and of logged time: fetch, merge, send, fetch again.

The platform replaces lists and may clear what is left out (facts of the platform), so what is sent
is the whole record with the changes in it. Nothing is sent where nothing changes, and the same
change is never sent twice (``CompanySession.write``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from company_tools import listings
from company_tools.arguments import bare_id, day
from company_tools.change import RECORD, ChangeRequest, levels_of, team_of
from company_tools.company_session import CompanySession, twice
from company_tools.endpoints import ENDPOINTS
from company_tools.ids import PLACES, employee_id, project_id, stored_value
from company_tools.profile import Person, person_of
from company_tools.sums import KINDS, LevelKind, Levels, level_name
from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.ledger import ComboRow, Rows, ToolFault
from core.tools.faults import Inconsistent
from core.tools.task_api import body_of

Role = Literal["Lead", "Engineer", "Designer", "QA", "Ops", "Other"]

_EMPLOYEE_FIELDS = ("notes", "salary", "location", "department", "skills", "wills")
R = TypeVar("R", bound=BaseModel)
LOWEST, HIGHEST = 1, 10
"""Of levels (facts of the platform); a 0 comes of a level that was left out."""


@dataclass
class Effect:
    """What a change moved: the values before, those sent and those afterwards; None: not known.

    All are None where everything was so already.
    """

    before: object = None
    sent: object = None
    after: object = None


@dataclass(frozen=True)
class RecordChange(Generic[R]):
    """A change of one record."""

    id: str
    read: Callable[[], R]
    after: Callable[[R], R]
    """The record with the changes in it."""
    request: Callable[[R], ChangeRequest]
    """Makes such a record of the one that there is."""
    shown: Callable[[R, R, R], object]
    """What a result has of a record, given that before and that wanted."""
    check: Callable[[], None] = lambda: None
    """Called where no earlier work has made the change."""

    def from_record(self, record: R) -> ChangeRequest | None:
        """The request that makes the change from a record; None: it is so already."""
        wanted = self.after(record)
        return None if wanted == record else self.request(wanted)


def make_change(session: CompanySession, change: RecordChange[R], row: ComboRow) -> None:
    """Change a record; the row tells of it as far as it went. Raises ToolFault."""
    row.primary = change.id
    now = change.read()
    before = _begun_from(session, change, now)
    if before is now:
        change.check()
    request, wanted = change.from_record(before), change.after(before)
    row.data = effect = Effect()
    if request is None:
        return
    effect.before = change.shown(before, before, wanted)
    session.write(request, {RECORD: before.model_dump(mode="json", exclude_none=True)})
    effect.sent = change.shown(wanted, before, wanted)
    effect.after = change.shown(change.read(), before, wanted)


def _begun_from(session: CompanySession, change: RecordChange[R], now: R) -> R:
    """The record that a change begins from.

    Where earlier work has made this very change, it is the record as it was before; else ``now``.
    """
    for made in session.facts.changed:
        if not made.made_earlier or made.target != change.id or made.before is None:
            continue
        with suppress(ToolFault):
            before = type(now).model_validate({**now.model_dump(), **made.before})
            request = change.from_record(before)
            same = request is not None and made.is_same(request.tool, body_of(request))
            look = ENDPOINTS[made.path].look
            if same and look and look(session, made.request, made.about) is not None:
                return before
    return now


class Member(BaseModel):
    """One member of a team; what is left out stays as it is."""

    model_config = ConfigDict(extra="forbid")

    employee: str
    role: Role | None = None
    time_slice: float | None = None


def Combo_Update_Employee_For_Changes(
    session: CompanySession,
    employee: str,
    salary: int | None = None,
    salary_delta: int | None = None,
    notes: str | None = None,
    location: str | None = None,
    department: str | None = None,
    skills: dict[str, int] = {},  # noqa: B006
    wills: dict[str, int] = {},  # noqa: B006
    skill_deltas: dict[str, int] = {},  # noqa: B006
    will_deltas: dict[str, int] = {},  # noqa: B006
) -> Rows:
    """Keeps the rest; notes replace. Every update: [{primary: id, data: {before, sent,
    after: {field: value} of what changed; null where all was so}}]"""
    if salary_delta is not None and salary is not None:
        raise ToolFault("give salary or salary_delta, not both")
    row = ComboRow(primary=employee)
    yield row
    id = employee_id(session, employee)
    given = {"notes": notes, "salary": salary, "location": location, "department": department}
    scalars = {field: value for field, value in given.items() if value is not None}
    for field in [place for place in PLACES if place in scalars]:
        scalars[field] = stored_value(field, str(scalars[field]), listings.employees(session))
    levels = {"skills": (skills, skill_deltas), "wills": (wills, will_deltas)}
    steps = salary_delta is not None or skill_deltas or will_deltas

    def request(after: wire.EmployeeView) -> ChangeRequest:
        # A list that is empty is not sent: for the platform it stands for no change.
        fields = after.model_dump(include={*_EMPLOYEE_FIELDS})
        return company.Req_UpdateEmployeeInfo(employee=id, **fields, changed_by=session.actor())

    change = RecordChange(
        id,
        partial(listings.employee, session, id),
        partial(_employee_after, session, scalars, salary_delta, levels),
        request,
        lambda *records: _changed(*map(person_of, records)),
        check=partial(_refuse_second_step, session, id) if steps else lambda: None,
    )
    make_change(session, change, row)


def _changed(record: Person, before: Person, wanted: Person) -> dict[str, object]:
    """The values of a record in what a change moves; of skills and wills the levels that move."""
    values: dict[str, object] = {}
    for field in _EMPLOYEE_FIELDS:
        old, new, value = (getattr(one, field) for one in (before, wanted, record))
        if old != new and isinstance(value, dict):
            values[field] = {k: v for k, v in value.items() if old.get(k) != new.get(k)}
        elif old != new:
            values[field] = value
    return values


def _employee_after(
    session: CompanySession,
    scalars: Mapping[str, object],
    salary_delta: int | None,
    levels: Mapping[str, tuple[Levels, Levels]],
    before: wire.EmployeeView,
) -> wire.EmployeeView:
    """A person's record with the changes in it. Raises ToolFault where one is impossible."""
    after = before.model_copy(update=dict(scalars))
    if salary_delta is not None:
        if before.salary is None:
            raise ToolFault("the platform shows no salary to change by an amount; give salary")
        after.salary = before.salary + salary_delta
    if after.salary is not None and after.salary < 0:
        raise ToolFault(f"a salary is not below 0: {after.salary}")
    for kind in KINDS:
        setattr(after, kind, _levels_after(session, before, kind, *levels[kind]))
    return after


def _levels_after(
    session: CompanySession,
    before: wire.EmployeeView,
    kind: LevelKind,
    levels: Levels,
    deltas: Levels,
) -> list[wire.SkillLevel]:
    """Somebody's levels with the changes in them; a list in order by name stays so."""
    listed: list[wire.SkillLevel] = getattr(before, kind)
    _check_once(before.id, kind, (one.name for one in listed))
    own = levels_of(listed)

    def stored(given: Levels) -> Levels:
        names = (n if n in own else level_name(session, kind, n) for n in given)
        return dict(zip(names, given.values(), strict=True))

    after = {**own, **stored(levels)}
    for name, delta in stored(deltas).items():
        if name not in own:
            raise ToolFault(f"{name} has no level yet that could be moved; set one")
        after[name] += delta
    for name, level in after.items():
        if level != own.get(name) and not LOWEST <= level <= HIGHEST:
            raise ToolFault(f"{name} would be {level}: levels go from {LOWEST} to {HIGHEST}")
    names = sorted(after) if list(own) == sorted(own) else list(after)
    return [wire.SkillLevel(name=name, level=after[name]) for name in names]


def _check_once(id: str, field: str, names: Iterable[str]) -> None:
    """Refuse to write a list back that says two things of one name: neither is known to hold."""
    if again := twice(names):
        raise Inconsistent(f"nothing was changed: {again!r} stands twice in the {field} of {id}")


def _refuse_second_step(session: CompanySession, id: str) -> None:
    """A step up or down that is repeated would be made twice; a level or a sum is not."""
    for change in session.facts.changes:
        same = change.path == "/employees/update" and change.target == id
        if same and change.outcome not in ("refused", "lost"):
            raise ToolFault(
                f"nothing was sent: {id} was changed in this task already ({change.outcome}). "
                "Give levels and salary as they shall be, not by how much they move"
            )


def Combo_Update_Team_For_Changes(
    session: CompanySession,
    project: str,
    add: list[Member] = [],  # noqa: B006
    remove: list[str] = [],  # noqa: B006
    change: list[Member] = [],  # noqa: B006
) -> Rows:
    """Member: {employee, role: Lead, Engineer, Designer, QA, Ops or Other, time_slice: 0 to 1};
    change: only what is to be otherwise. data: {before, sent, after: [member] of whom it moves}"""
    row = ComboRow(primary=project)
    yield row
    id = project_id(session, project)

    def after(record: wire.ProjectDetail) -> wire.ProjectDetail:
        team = _team_after(session, record, add, remove, change)
        same = team_of(team) == team_of(record.team)
        return record if same else record.model_copy(update={"team": team})

    def request(record: wire.ProjectDetail) -> ChangeRequest:
        members = [dict(member) for member in record.team]
        asked = {"id": id, "team": members, "changed_by": session.actor()}
        return company.Req_UpdateProjectTeam.model_validate(asked)

    def shown(
        record: wire.ProjectDetail, before: wire.ProjectDetail, wanted: wire.ProjectDetail
    ) -> list[wire.Workload]:
        other = wanted if record is before else before
        return [member for member in record.team if member not in other.team]

    read = partial(listings.project, session, id)
    make_change(session, RecordChange(id, read, after, request, shown), row)


def _team_after(
    session: CompanySession,
    project: wire.ProjectDetail,
    add: list[Member],
    remove: list[str],
    change: list[Member],
) -> list[wire.Workload]:
    """A team with the changes in it. Raises ToolFault where a member does not fit."""
    id = project.id
    _check_once(id, "team", (member.employee for member in project.team))
    team = {member.employee: member for member in project.team}
    for name in remove:
        who = employee_id(session, name)
        if team.pop(who, None) is None:
            raise ToolFault(f"{who} is not on the team of {id}")
    for member in change:
        who = employee_id(session, member.employee)
        if who not in team:
            raise ToolFault(f"{who} is not on the team of {id}; use add")
        team[who] = team[who].model_copy(update=_given(member))
    for member in add:
        who = employee_id(session, member.employee)
        if who in team:
            raise ToolFault(f"{who} is on the team of {id} already; use change")
        given = _given(member)
        if len(given) < 2:
            raise ToolFault(f"{who}: a new member needs role and time_slice")
        team[who] = wire.Workload.model_validate({"employee": who, **given})
    return list(team.values())


def _given(member: Member) -> dict[str, object]:
    """What is given of a member; a time slice above 1 is in percent."""
    share = member.time_slice
    if share is not None and not 0 <= share <= 1:
        if not 1 < share <= 100:
            raise ToolFault(f"{member.employee}: a time_slice is a part of 1, not {share}")
        share = round(share / 100, 6)
    given = {"role": member.role, "time_slice": share}
    return {field: value for field, value in given.items() if value is not None}


def update_status(session: CompanySession, id: str, status: str) -> dict[str, object]:
    """Change a project's status. Raises ToolFault where there is no such project."""

    asked = {"id": id, "status": status, "changed_by": session.actor()}
    change = RecordChange(
        id,
        lambda: listings.project(session, id),
        lambda record: record.model_copy(update={"status": status}),
        lambda _: company.Req_UpdateProjectStatus.model_validate(asked),
        lambda record, *_: record.status,
    )
    row = ComboRow()
    make_change(session, change, row)
    return {"id": id, **vars(row.data)}


EntryStatus = Literal["", "draft", "submitted", "approved", "invoiced", "voided"]
OF_CUSTOMER, INTERNAL = "customer_project", "internal"
"""Categories of work that entries have (facts of the platform)."""
_ENTRY_FIELDS = ("date", "hours", "work_category", "notes", "billable", "status")


def Combo_Update_Time_Entry_For_Changes(
    session: CompanySession,
    id: str,
    date: str | None = None,
    hours: float | None = None,
    work_category: str | None = None,
    notes: str | None = None,
    billable: bool | None = None,
    status: EntryStatus | None = None,
) -> Rows:
    """An entry by its id"""
    id = bare_id(id)
    row = ComboRow(primary=id)
    yield row
    given = (date, hours, work_category, notes, billable, status)
    wanted = {f: v for f, v in zip(_ENTRY_FIELDS, given, strict=True) if v is not None}
    if date is not None:
        wanted["date"] = day(date)
    if hours is not None and hours < 0:
        raise ToolFault(f"hours must not be negative: {hours}")

    def request(after: wire.TimeEntry) -> ChangeRequest:
        fields = {field: getattr(after, field) for field in _ENTRY_FIELDS}
        return company.Req_UpdateTimeEntry(id=id, **fields, changed_by=session.actor())

    change = RecordChange(
        id,
        lambda: listings.entry(session, id),
        lambda record: record.model_copy(update=wanted),
        request,
        lambda record, *_: {field: getattr(record, field) for field in wanted},
    )
    make_change(session, change, row)


@dataclass
class Logged:
    """Hours as they were logged, and the roles in the project of whose they are and of who logs."""

    roles_of_employee: list[str]
    roles_of_asker: list[str]
    entry: wire.Resp_LogTimeEntry | None = None


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
) -> Rows:
    """On its customer too. [{data: {entry, roles_of_employee: [role], roles_of_asker:
    [role]}}]. For members of the team; allow_non_member: only where the wiki allows others.
    work_category "": customer_project, on an own project internal"""
    if not hours > 0:
        raise ToolFault(f"hours must be above 0, not {hours}")
    row = ComboRow(primary=employee, secondary=project)
    yield row
    who, where = employee_id(session, employee), project_id(session, project)
    row.primary, row.secondary = who, where
    record = listings.project(session, where)
    if not allow_non_member:
        check_member(session, who, where)
    by = session.actor()
    managed = listings.account_manager(session, record.customer) is not None
    customer = record.customer if managed else None  # a company's own projects have none
    request = company.Req_LogTimeEntry(
        employee=who,
        customer=customer,
        project=where,
        date=day(date),
        hours=hours,
        work_category=work_category or (OF_CUSTOMER if customer else INTERNAL),
        notes=notes,
        billable=billable,
        status=status,
        logged_by=by,
    )
    whose = [[str(m.role) for m in record.team if m.employee == id] for id in (who, by)]
    row.data = logged = Logged(roles_of_employee=whose[0], roles_of_asker=whose[1])
    logged.entry = session.write(request)


def check_member(session: CompanySession, employee: str, project: str) -> None:
    """Refuse hours of somebody who is not on the project's team. Raises ToolFault."""
    team = [member.employee for member in listings.project(session, project).team]
    if employee not in team:
        raise ToolFault(
            f"nothing was logged: {employee} is not on the team of {project} "
            f"({', '.join(team) or 'which is empty'}). Only where the wiki allows hours of others: "
            "Combo_Log_Time_For_Project with allow_non_member=True"
        )
