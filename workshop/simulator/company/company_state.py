"""The company of one task: what was changed in it, what was done, and the routes that change it.

Permission is nobody's business here: every call of every user succeeds. `changed_by` and
`logged_by` are taken as they are sent. A call that changes nothing leaves no event; one that is
refused changes nothing. A null or an empty list for a field of an employee keeps it, unless the
scenario says that a null clears it. `choices.md` has what no recording tells.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from core.erc3_client.own import company_models as sent
from workshop.simulator.company import scoring
from workshop.simulator.company.expectation import ARTICLE, DIGEST, EventType
from workshop.simulator.company.pack import CompanyScenario
from workshop.simulator.company.records import (
    Company,
    Employee,
    Project,
    TimeEntry,
    part,
    plain,
)
from workshop.simulator.company.wiki import Wiki
from workshop.simulator.world import Evaluation, Refusal, Wire

CLEARED: Mapping[str, Any] = {"notes": "", "salary": 0, "location": "", "department": ""}
"""What a null makes of a field of an employee where it clears it."""
CHANGEABLE = ("date", "hours", "work_category", "notes", "billable", "status")
_ENTRY_ID = re.compile(r"te_([0-9]{1,18})")
_DIGITS = 3
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Event:
    """A change; `fields` hold exactly what the change was."""

    type: EventType
    fields: Wire


@dataclass(frozen=True, slots=True)
class Response:
    """An answer to the user; `links` are (kind, id) as they were sent."""

    outcome: str
    message: str
    links: tuple[tuple[str, str], ...]


class CompanyState:
    """The state of one task; every method raises `Refusal` where the platform refuses.

    The records are rows by id, which are shared with other tasks until one is replaced.
    """

    def __init__(self, scenario: CompanyScenario, company: Company) -> None:
        self.scenario = scenario
        self.page_limit = scenario.page_limit
        self.employees = {one.id: one.row for one in company.employees}
        self.customers = {one.id: one.row for one in company.customers}
        self.projects = {one.id: one.row for one in company.projects}
        self.time_entries = {one.id: one.row for one in company.time_entries}
        self.wiki = Wiki({path: text for path, text in company.wiki.items() if text})
        self.events: list[Event] = []
        self.responses: list[Response] = []
        self._done: list[Event | Response] = []

    @property
    def acts(self) -> tuple[Event | Response, ...]:
        """Changes and responses, oldest first; the digest after a page was written is no act."""
        return tuple(self._done)

    def evaluate(self, logged: bool) -> Evaluation:
        """Compare what was done with what the scenario expects."""
        return scoring.evaluate(self.scenario.expect, self.events, self.responses, logged)

    def respond(self, request: sent.Req_ProvideAgentResponse) -> Wire:
        """Answer the user; the task goes on."""
        links = tuple((link.kind, link.id) for link in request.links)
        response = Response(request.outcome, request.message, links)
        self.responses.append(response)
        self._done.append(response)
        return {}

    def update_employee(self, request: sent.Req_UpdateEmployeeInfo) -> Wire:
        """Change an employee: fields that are not None, lists that are not empty."""
        old, by = found(self.employees, request.employee).full, request.changed_by
        fields = {name: getattr(request, name) for name in CLEARED}
        if self.scenario.null_scalars == "clear":
            fields = {name: CLEARED[name] if one is None else one for name, one in fields.items()}
        for name, levels in (("skills", request.skills), ("wills", request.wills)):
            fields[name] = [dict(level) for level in levels] or None
        new = old | {name: one for name, one in fields.items() if one is not None}
        if new == old:
            return {"employee": old}
        self.employees[request.employee] = Employee.row_of(new)
        who = {"employee": request.employee}
        changed = {name: _changes(old[name], new[name]) for name in ("skills", "wills")}
        if any(changed.values()):
            self._emit("Evt_EmployeeSkillsUpdated", {**who, **changed}, by)
        moved = {name: new[name] for name in CLEARED if new[name] != old[name]}
        if "notes" in moved:
            self._emit("Evt_EmployeeNoteUpdated", {**who, "notes": moved.pop("notes")}, by)
        if "salary" in moved:
            self._emit("Evt_EmployeeSalaryUpdated", {**who, "salary": moved.pop("salary")}, by)
        if moved:
            self._emit("Evt_EmployeeInfoUpdated", {**who, "changes": moved}, by)
        return {"employee": self.employees[request.employee].full}

    def update_team(self, request: sent.Req_UpdateProjectTeam) -> Wire:
        """Put a team in place of the one that a project has."""
        old = found(self.projects, request.id).full
        for member in request.team:
            found(self.employees, member.employee)
        team = sorted(map(dict, request.team), key=lambda member: member["employee"])  # as recorded
        self.projects[request.id] = Project.row_of({**old, "team": team})
        new = self.projects[request.id].full["team"] or []
        if _members(new) != _members(old["team"] or []):
            fields = {"id": request.id, "team": new}
            self._emit("Evt_ProjectTeamUpdated", fields, request.changed_by)
        return {}

    def update_status(self, request: sent.Req_UpdateProjectStatus) -> Wire:
        """Change a project's status."""
        old = found(self.projects, request.id).full
        if request.status != old["status"]:
            self.projects[request.id] = Project.row_of({**old, "status": request.status})
            fields = {"id": request.id, "status": request.status}
            self._emit("Evt_ProjectStatusChanged", fields, request.changed_by)
        return {}

    def log_time(self, request: sent.Req_LogTimeEntry) -> Wire:
        """Book hours under the id that follows the highest one."""
        found(self.employees, request.employee)
        if request.customer:
            found(self.customers, request.customer)
        if request.project:
            found(self.projects, request.project)
        numbers = [match[1] for id_ in self.time_entries if (match := _ENTRY_ID.fullmatch(id_))]
        highest = max(numbers, key=int, default="0" * _DIGITS)
        id_ = f"te_{int(highest) + 1:0{len(highest)}}"
        entry = {
            "id": id_,
            "employee": request.employee,
            "customer": request.customer or "",
            "project": request.project or "",
            **{name: getattr(request, name) for name in CHANGEABLE},
            "status": request.status or "draft",
        }
        row = self.time_entries[id_] = TimeEntry.row_of(entry)
        self._emit("Evt_TimeEntryLogged", row.brief, request.logged_by, "logged_by")
        return row.brief

    def update_time(self, request: sent.Req_UpdateTimeEntry) -> Wire:
        """Put what is sent in place of what can change of an entry."""
        old = found(self.time_entries, request.id).brief
        entry = {name: getattr(request, name) for name in CHANGEABLE}
        entry |= {"hours": plain(request.hours), "status": request.status or old["status"]}
        changes = {name: new for name, new in entry.items() if new != old[name]}
        if not changes:
            return {}
        self.time_entries[request.id] = TimeEntry.row_of({**old, **changes})
        if list(changes) == ["status"]:
            fields = {"id": request.id, **changes}
            self._emit("Evt_TimeEntryStatusChanged", fields, request.changed_by)
        else:
            fields = {"id": request.id, "changes": changes}
            self._emit("Evt_TimeEntryUpdated", fields, request.changed_by)
        return {}

    def update_page(self, request: sent.Req_UpdateWiki) -> Wire:
        """Write a page of the wiki; empty content deletes it."""
        path, content, by = request.file, request.content, request.changed_by
        if content != self.wiki.pages.get(path, ""):
            self.wiki = self.wiki.with_page(path, content)
            self._emit(ARTICLE, {"file": path, "content": content}, by)
            self._emit(DIGEST, {"sha1": self.wiki.sha1}, by)
        return {}

    def _emit(
        self, type_: EventType, fields: Wire, by: str | None, by_field: str = "changed_by"
    ) -> None:
        event = Event(type_, {**fields, by_field: by or ""})
        self.events.append(event)
        if type_ != DIGEST:
            self._done.append(event)


def found(by_name: Mapping[str, T], name: str) -> T:
    """What has a name. Raises `Refusal` where nothing has it."""
    if name not in by_name:
        raise Refusal("Not found", 404)
    return by_name[name]


def levels_of(rows: Sequence[Wire] | None) -> dict[str, int]:
    """Levels by name, of skills or wills as the wire lists them."""
    return {row["name"]: row["level"] for row in rows or ()}


def _changes(old: Sequence[Wire] | None, new: Sequence[Wire] | None) -> dict[str, int | None]:
    """New levels by name, of those that are not as they were; None where one is gone."""
    before, after = levels_of(old), levels_of(new)
    names = [*before, *(name for name in after if name not in before)]
    return {name: after.get(name) for name in names if before.get(name) != after.get(name)}


def _members(team: Sequence[Wire]) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(part(one, "employee", "time_slice", "role").values()) for one in team)
