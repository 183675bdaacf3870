"""The company of one task: what it shares with others, what was changed in it, what was done.

Permission is nobody's business here: every call of every user succeeds. `changed_by` and
`logged_by` are taken as they are sent. A call that changes nothing leaves no event; one that is
refused changes nothing. A null or an empty list for a field of an employee keeps it, unless the
scenario says that a null clears it. `choices.md` has what no recording tells.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from workshop.simulator.company import scoring
from workshop.simulator.company.expectation import ARTICLE, DIGEST
from workshop.simulator.company.registry import employee_row, entry_row, part, plain, project_row
from workshop.simulator.world import Evaluation, Refusal

if TYPE_CHECKING:
    from workshop.simulator.company.expectation import EventType
    from workshop.simulator.company.pack import CompanyScenario
    from workshop.simulator.company.registry import Registry, Row
    from workshop.simulator.company.wiki import Wiki
    from workshop.simulator.world import Wire

CLEARED: Mapping[str, Any] = {"notes": "", "salary": 0, "location": "", "department": ""}
"""What a null makes of a field of an employee where it clears it."""
CHANGEABLE = ("date", "hours", "work_category", "notes", "billable", "status")
_ENTRY_ID = re.compile(r"te_([0-9]{1,18})")
_DIGITS = 3


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


class Records:
    """Rows by id; shared with other tasks until one is put in."""

    __slots__ = ("_own", "rows")

    def __init__(self, rows: dict[str, Row]) -> None:
        self.rows = rows
        self._own = False

    def __getitem__(self, id_: str) -> Row:
        """The row of an id; `Refusal` for an unknown one."""
        row = self.rows.get(id_)
        if row is None:
            raise Refusal("Not found", 404)
        return row

    def put(self, id_: str, row: Row) -> None:
        """Replace a row, or add one behind the others."""
        if not self._own:
            self.rows, self._own = dict(self.rows), True
        self.rows[id_] = row


class CompanyState:
    """The state of one task; every method raises `Refusal` where the platform refuses."""

    def __init__(self, scenario: CompanyScenario, registry: Registry) -> None:
        self.scenario = scenario
        self.registry = registry
        self.employees = Records(registry.employees)
        self.customers = Records(registry.customers)
        self.projects = Records(registry.projects)
        self.time_entries = Records(registry.time_entries)
        self.wiki: Wiki = registry.wiki
        self.events: list[Event] = []
        self.responses: list[Response] = []
        self._done: list[Event | Response] = []
        self._ids: Iterator[str] | None = None
        """Of new time entries; looked for at the first one."""

    @property
    def acts(self) -> tuple[Event | Response, ...]:
        """Changes and responses, oldest first; the digest after a page was written is no act."""
        return tuple(self._done)

    def evaluate(self, logged: bool) -> Evaluation:
        """Compare what was done with what the scenario expects."""
        return scoring.evaluate(self.scenario.expect, self.events, self.responses, logged)

    def respond(self, outcome: str, message: str, links: Sequence[tuple[str, str]]) -> None:
        """Answer the user; the task goes on."""
        response = Response(outcome, message, tuple(links))
        self.responses.append(response)
        self._done.append(response)

    def update_employee(
        self, id_: str, scalars: Wire, skills: list[Wire], wills: list[Wire], by: str
    ) -> Row:
        """Change an employee: `scalars` that are not None, lists that are not empty."""
        row = self.employees[id_]
        if self.scenario.null_scalars == "clear":
            scalars = {name: CLEARED[name] if one is None else one for name, one in scalars.items()}
        sent = {"skills": skills or None, "wills": wills or None, **scalars}
        new = {**row.full, **{name: one for name, one in sent.items() if one is not None}}
        if new == row.full:
            return row
        changed = employee_row(new, row.text)
        self.employees.put(id_, changed)
        levels = {name: _changes(row.levels[name], changed.levels[name]) for name in row.levels}
        who = {"employee": id_}
        if any(levels.values()):
            self._emit("Evt_EmployeeSkillsUpdated", {**who, **levels}, by)
        moved = {name: new[name] for name in CLEARED if new[name] != row.full[name]}
        if "notes" in moved:
            self._emit("Evt_EmployeeNoteUpdated", {**who, "notes": moved.pop("notes")}, by)
        if "salary" in moved:
            self._emit("Evt_EmployeeSalaryUpdated", {**who, "salary": moved.pop("salary")}, by)
        if moved:
            self._emit("Evt_EmployeeInfoUpdated", {**who, "changes": moved}, by)
        return changed

    def update_team(self, id_: str, team: list[Wire], by: str) -> None:
        """Put a team in place of the one that a project has."""
        row = self.projects[id_]
        for member in team:
            self.employees[member["employee"]]
        team = sorted(team, key=lambda member: member["employee"])  # as recorded
        changed = project_row({**row.full, "team": team}, row.text)
        new = changed.full["team"] or []
        self.projects.put(id_, changed)
        if _members(new) != _members(row.full["team"] or []):
            self._emit("Evt_ProjectTeamUpdated", {"id": id_, "team": new}, by)

    def update_status(self, id_: str, status: str, by: str) -> None:
        """Change a project's status."""
        row = self.projects[id_]
        if status != row.full["status"]:
            self.projects.put(id_, project_row({**row.full, "status": status}, row.text))
            self._emit("Evt_ProjectStatusChanged", {"id": id_, "status": status}, by)

    def log_time(self, entry: Wire, by: str) -> Row:
        """Book hours under the next free id."""
        self.employees[entry["employee"]]
        for name, records in (("customer", self.customers), ("project", self.projects)):
            if entry[name]:
                records[entry[name]]
        if self._ids is None:
            self._ids = _fresh_ids(self.registry.time_entries)
        id_ = next(self._ids)
        row = entry_row({**entry, "id": id_, "status": entry["status"] or "draft"})
        self.time_entries.put(id_, row)
        self._emit("Evt_TimeEntryLogged", row.brief, by, "logged_by")
        return row

    def update_time(self, id_: str, entry: Wire, by: str) -> None:
        """Put `entry` in place of what can change of one."""
        row = self.time_entries[id_]
        sent = {**entry, "hours": plain(entry["hours"])}
        sent["status"] = entry["status"] or row.full["status"]
        changes = {name: sent[name] for name in CHANGEABLE if sent[name] != row.full[name]}
        if not changes:
            return
        self.time_entries.put(id_, entry_row({**row.brief, **changes}))
        if list(changes) == ["status"]:
            self._emit("Evt_TimeEntryStatusChanged", {"id": id_, **changes}, by)
        else:
            self._emit("Evt_TimeEntryUpdated", {"id": id_, "changes": changes}, by)

    def update_page(self, path: str, content: str, by: str) -> None:
        """Write a page of the wiki; empty content deletes it."""
        if content == self.wiki.pages.get(path, ""):
            return
        self.wiki = self.wiki.with_page(path, content)
        self._emit(ARTICLE, {"file": path, "content": content}, by)
        self._emit(DIGEST, {"sha1": self.wiki.sha1}, by)

    def _emit(self, type_: EventType, fields: Wire, by: str, by_field: str = "changed_by") -> None:
        event = Event(type_, {**fields, by_field: by})
        self.events.append(event)
        if type_ != DIGEST:
            self._done.append(event)


def _changes(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int | None]:
    """New levels by name, of those that are not as they were; None where one is gone."""
    names = [*before, *(name for name in after if name not in before)]
    return {name: after.get(name) for name in names if before.get(name) != after.get(name)}


def _members(team: list[Wire]) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(part(one, "employee", "time_slice", "role").values()) for one in team)


def _fresh_ids(rows: Mapping[str, Row]) -> Iterator[str]:
    numbers = [match[1] for id_ in rows if (match := _ENTRY_ID.fullmatch(id_))]
    highest = max(numbers, key=int, default="0" * _DIGITS)
    return (f"te_{number:0{len(highest)}}" for number in count(int(highest) + 1))
