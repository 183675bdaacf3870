"""Wishes that change records: hours, people, projects."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from workshop.generators.company.ask import (
    NOBODY,
    NOT_FOUND,
    Answer,
    Event,
    LinkKind,
    Links,
    Need,
    View,
    about,
    links,
    need,
    on_project,
)
from workshop.generators.company.policy import Right, Target

_AMOUNT = re.compile(r"\b\d{2,3},?\d{3}\b")


@dataclass(frozen=True, slots=True)
class LogDraft:
    """Record hours of somebody on a project, `days` from today; with `approved` not as a draft."""

    project: str
    person: str
    hours: float
    days: int
    billable: bool = True
    note: str | None = None
    approved: bool = False

    def needs(self, view: View) -> list[Need]:
        """Own hours, drafts of others, and what is approved are different rights."""
        project = view.firm.projects[self.project]
        if self.person not in project.members:
            return [(NOBODY, Target(project))]
        if self.approved:
            return on_project(view, project.id, "approved_hours")
        right: Right = "own_hours" if self.person == view.me else "draft_hours"
        return on_project(view, project.id, right)

    def answer(self, view: View) -> Answer:
        """One entry, with the customer and the category that the company's page wants."""
        firm, project = view.firm, view.firm.projects[self.project]
        day = view.today + timedelta(days=self.days)
        own = project.customer == firm.own
        event: Event = {
            "type": "Evt_TimeEntryLogged",
            "employee": self.person,
            "customer": "" if own else project.customer,
            "project": project.id,
            "date": day.isoformat(),
            "hours": self.hours,
            "work_category": "internal" if own else "customer_project",
            "billable": self.billable,
            "status": "approved" if self.approved else "draft",
            "logged_by": view.me,
        }
        ticketed = any(right and view.policy.needs_ticket(right) for right, _ in self.needs(view))
        notes = view.ticket if ticketed else self.note
        if notes:
            event["notes"] = notes if notes == view.ticket else {"contains": [notes]}
        who = firm.employees[self.person]
        return Answer(
            f"{who.name} is on {project.name}, led by {firm.employees[project.lead].name}; "
            f"the day is {day}, the customer {event['customer'] or 'none'}.",
            links={
                "employee": links([who.id] if who.id != view.me else [], [view.me]),
                "project": links([project.id]),
            },
            events=(event,),
        )


@dataclass(frozen=True, slots=True)
class VoidAndCopy:
    """Void an own entry and record it anew with other hours."""

    entry: str
    hours: float

    def needs(self, view: View) -> list[Need]:
        """One's own hours."""
        return need("own_hours")

    def answer(self, view: View) -> Answer:
        """A change of status alone, and a draft that repeats the rest."""
        old = view.firm.entries[self.entry]
        copy = {**old.as_json(), "hours": self.hours, "status": "draft", "logged_by": view.me}
        del copy["id"]
        return Answer(
            f"{old.id} has {old.hours:g} hours on {old.date}; it is voided with nothing else "
            f"touched, and the new one has {self.hours:g}.",
            links={"project": links([old.project])},
            events=(
                {
                    "type": "Evt_TimeEntryStatusChanged",
                    "id": old.id,
                    "status": "voided",
                    "changed_by": view.me,
                },
                {"type": "Evt_TimeEntryLogged", **copy},
            ),
        )


@dataclass(frozen=True, slots=True)
class ApplyRaises:
    """Change the pay of those of some people whose note states a decision of the right body."""

    people: tuple[str, ...]

    def needs(self, view: View) -> list[Need]:
        """Reading the notes, and changing pay."""
        return need("notes", "pay_write")

    def answer(self, view: View) -> Answer:
        """The amounts of the decisions; a note of anything else is none."""
        told, raised = [], {}
        for who in (view.firm.employees[one] for one in self.people):
            amount = _AMOUNT.search(who.notes)
            if amount and who.notes.startswith(f"Decision of the {view.policy.raise_from}"):
                raised[who.id] = int(amount[0].replace(",", ""))
                told.append(f"{who.name}: from {who.salary} to {raised[who.id]}")
            else:
                told.append(f"{who.name}: {f'only {who.notes!r}' if who.notes else 'no note'}")
        by = view.me
        return Answer(
            f"{'; '.join(told)}.",
            links={"employee": links(raised, self.people)},
            events=tuple(
                {
                    "type": "Evt_EmployeeSalaryUpdated",
                    "employee": who,
                    "salary": salary,
                    "changed_by": by,
                }
                for who, salary in raised.items()
            ),
            # That there is none is an answer, and nothing found as well.
            also=() if raised else (NOT_FOUND,),
        )


@dataclass(frozen=True, slots=True)
class RaisePay:
    """Change somebody's pay by so many euros, at the asker's own word."""

    person: str
    by: int

    def needs(self, view: View) -> list[Need]:
        """Changing pay."""
        return about(view, self.person, "pay_write")

    def answer(self, view: View) -> Answer:
        """Euros and no percentage; nothing else changes."""
        who = view.firm.employees[self.person]
        event = {"type": "Evt_EmployeeSalaryUpdated", "employee": who.id}
        return Answer(
            f"{who.name} earns {who.salary}, {self.by:+} is {who.salary + self.by}.",
            links={"employee": links([who.id], [view.me])},
            events=({**event, "salary": who.salary + self.by, "changed_by": view.me},),
        )


@dataclass(frozen=True, slots=True)
class SetRecord:
    """Set levels and the note of somebody; `project` where the asker acts as its Lead."""

    person: str
    levels: Mapping[str, int] = field(default_factory=dict)
    note: str | None = None
    project: str | None = None

    def needs(self, view: View) -> list[Need]:
        """Levels and notes are different rights."""
        found = about(view, self.person, "levels_write") if self.levels else []
        return [*found, *(about(view, self.person, "note_write") if self.note else [])]

    def answer(self, view: View) -> Answer:
        """One event for the note, one for the levels that change."""
        who = view.firm.employees[self.person]
        events = []
        if self.note:
            event: Event = {"type": "Evt_EmployeeNoteUpdated", "employee": who.id}
            events.append({**event, "notes": self.note, "changed_by": view.me})
        if self.levels:
            events.append(levels_event(view, who.id, self.levels))
        told = ", ".join(f"{n} {who.levels[n]} to {to}" for n, to in self.levels.items())
        note = f"note {self.note!r}" if self.note else ""
        found: dict[LinkKind, Links] = {"employee": links([who.id])}
        if self.project:
            found["project"] = links([self.project])
        proof = "; ".join(filter(None, (told, note)))
        return Answer(f"{who.name}: {proof}.", links=found, events=tuple(events))


@dataclass(frozen=True, slots=True)
class SelfReview:
    """Move some of the asker's own levels up or down."""

    steps: Mapping[str, int]

    def needs(self, view: View) -> list[Need]:
        """One's own levels."""
        return need("own_levels")

    def answer(self, view: View) -> Answer:
        """Never above the highest level, never below 1."""
        assert view.requester
        old = view.requester.levels
        new = {n: min(view.policy.highest, max(1, old[n] + by)) for n, by in self.steps.items()}
        told = ", ".join(f"{name} {old[name]} to {to}" for name, to in new.items())
        return Answer(
            f"{told}; {view.policy.highest} is the highest level.",
            links={"employee": links([view.me])},
            events=(levels_event(view, view.me, new),),
        )


def levels_event(view: View, person: str, levels: Mapping[str, int]) -> Event:
    """The event of levels set to these; those that have them already do not change."""
    old = view.firm.employees[person]
    changed = {name: to for name, to in levels.items() if old.levels[name] != to}
    event: Event = {"type": "Evt_EmployeeSkillsUpdated", "employee": person}
    event["skills"] = {name: to for name, to in changed.items() if name in old.skills}
    event["wills"] = {name: to for name, to in changed.items() if name in old.wills}
    return {**event, "changed_by": view.me}


@dataclass(frozen=True, slots=True)
class SetStatus:
    """Give a project a status."""

    project: str
    status: str

    def needs(self, view: View) -> list[Need]:
        """The Lead's, or of those who may it everywhere."""
        return on_project(view, self.project, "status")

    def answer(self, view: View) -> Answer:
        """One change of status, or none where it is so already."""
        project = view.firm.projects[self.project]
        lead = view.firm.employees[project.lead].name
        event = {"type": "Evt_ProjectStatusChanged", "id": project.id, "status": self.status}
        return Answer(
            f"{project.name}, led by {lead}, goes from {project.status} to {self.status}.",
            links={"project": links([project.id])},
            events=({**event, "changed_by": view.me},) * (project.status != self.status),
        )


@dataclass(frozen=True, slots=True)
class SwapSeats:
    """Exchange the roles and shares of two members."""

    project: str
    one: str
    other: str

    def needs(self, view: View) -> list[Need]:
        """Changing a team."""
        return on_project(view, self.project, "team")

    def answer(self, view: View) -> Answer:
        """The whole team as it is afterwards."""
        project = view.firm.projects[self.project]
        a, b = (project.seat(who) for who in (self.one, self.other))
        assert a
        assert b
        team = {seat.employee: seat.as_json() for seat in project.team}
        for mine, theirs in ((a, b), (b, a)):
            team[mine.employee]["time_slice"] = float(theirs.share)
            team[mine.employee]["role"] = theirs.role
        names = {seat.employee: view.firm.employees[seat.employee].name for seat in project.team}
        before = ", ".join(f"{names[s.employee]} {s.role} {s.share}" for s in project.team)
        after = ", ".join(f"{names[w]} {s['role']} {s['time_slice']}" for w, s in team.items())
        event = {"type": "Evt_ProjectTeamUpdated", "id": project.id, "team": list(team.values())}
        return Answer(
            f"{project.name}: {before}; afterwards {after}.",
            links={"employee": links([a.employee, b.employee]), "project": links([project.id])},
            events=({**event, "changed_by": view.me},),
        )


@dataclass(frozen=True, slots=True)
class AddMember:
    """Put somebody on a team."""

    project: str
    person: str
    role: str
    share: float

    def needs(self, view: View) -> list[Need]:
        """Changing a team."""
        return on_project(view, self.project, "team")

    def answer(self, view: View) -> Answer:
        """The whole team as it was, and the new member."""
        project, who = view.firm.projects[self.project], view.firm.employees[self.person]
        new = {"employee": who.id, "time_slice": self.share, "role": self.role}
        team = [*(seat.as_json() for seat in project.team), new]
        event = {"type": "Evt_ProjectTeamUpdated", "id": project.id, "team": team}
        return Answer(
            f"{who.name} joins the {len(project.team)} of {project.name} as {self.role} "
            f"with {self.share}.",
            links={"employee": links([who.id], [view.me]), "project": links([project.id])},
            events=({**event, "changed_by": view.me},),
        )
