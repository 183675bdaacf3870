"""Tasks that change people's records and projects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from workshop.generators.company.policy import STATUSES
from workshop.generators.company.records import Employee, Project, Seat
from workshop.generators.company.resolve import Mention
from workshop.generators.company.task import (
    ME,
    Answer,
    Draft,
    Event,
    TaskBuilder,
    Words,
    anywhere,
    kind,
)

_NOTES = (
    "back from parental leave in spring",
    "prefers mornings",
    "holds the spare key of the archive",
    "first-aid course done",
    "on the rota for the summer fair",
)


def _levels_event(who: Employee, levels: Mapping[str, int]) -> Event:
    """Levels set to these; what has such a level already does not change."""
    changed = {name: to for name, to in levels.items() if who.levels[name] != to}
    skills = {name: to for name, to in changed.items() if name in who.skills}
    wills = {name: to for name, to in changed.items() if name in who.wills}
    event = {"type": "Evt_EmployeeSkillsUpdated", "employee": who.id}
    return {**event, "skills": skills, "wills": wills}


def _pay_event(who: Employee, salary: int) -> Event:
    return {"type": "Evt_EmployeeSalaryUpdated", "employee": who.id, "salary": salary}


@kind("write-employee")
def raise_notes(t: TaskBuilder) -> Draft:
    """Of three people one has a decision, or none; hopes and others' promises are no decision."""
    people = t.rng.sample(t.staff(), 3)
    a, b, c = people
    by, amount, none = t.policy.raise_from, b.salary + 4500, t.chance(3)
    told = (
        "Asked the {by} for {n:,} a year." if none else "Decision of the {by}: pay becomes {n:,}."
    )
    t.note(
        {
            a.id: f"Hopes for {a.salary + 3000:,} and will talk to the {by} in autumn.",
            b.id: told.format(by=by, n=amount),
            c.id: f"The head of the department promised {c.salary + 2000:,}.",
        }
    )
    t.twist("multi", "decoy", "note", *["empty"] * none)
    t.reads("pay")
    answer = Answer(
        f"A decision is noted for {'nobody' if none else f'{b.name}: {amount}'}.",
        {"employee": [] if none else [b.id]},
        may_link={"employee": [one.id for one in people]},
        events=[] if none else [_pay_event(b, amount)],
        # That there is none is an answer, and nothing found as well.
        also=("ok_not_found",) if none else (),
    )
    words: Words = {key: t.called(one) for key, one in zip("abc", people, strict=True)}
    needs = anywhere("notes", "pay_write")
    return t.ask(needs, answer, lambda one: one.id not in {a.id, b.id, c.id}, by=by, **words)


@kind("write-employee")
def raise_by(t: TaskBuilder) -> Draft:
    """Euros, not per cent, at the word of those who decide; others who may would need a note."""
    decides = t.policy.raise_from
    who, by = t.someone(lambda one: one.department != decides), t.pick((10, 500, 1000, 2500))
    needs = t.on(who, "pay_write")
    t.twist("units")
    t.reads("pay")
    answer = Answer(
        f"{who.name} earns {who.salary}, {by:+} is {who.salary + by}.",
        {"employee": [who.id]},
        may_link={"employee": [ME]},
        events=[_pay_event(who, who.salary + by)],
    )

    def fits(one: Employee) -> bool:
        return one.id != who.id and (one.department == decides or not t.may(one, needs))

    return t.ask(needs, answer, fits, person=t.called(who), by=str(by))


@kind("write-employee", 4)
def set_note(t: TaskBuilder) -> Draft:
    """A note that replaces another, often with one will, and nothing else of the record."""
    top, note, both = t.policy.highest, t.pick(_NOTES), t.chance(2)
    # With one will alone nothing could be lost.
    who = t.someone(lambda one: len(one.wills) > 1 and min(one.wills.values()) < top)
    will = t.pick([name for name, level in who.wills.items() if level < top])
    t.note({who.id: "to be filled in"})
    t.twist("note", *["two-events"] * both)
    events = [{"type": "Evt_EmployeeNoteUpdated", "employee": who.id, "notes": note}]
    events += [_levels_event(who, {will: top})] * both
    proof = f"The note is {note!r}" + f", {will} {top}" * both
    answer = Answer(proof, {"employee": [who.id]}, events=events)
    needs = t.on(who, "note_write") + t.on(who, "levels_write") * both
    level = f"set '{t.firm.wills[will]}' to {top} and " * both
    words: Words = {"person": t.called(who), "level": level, "note": note}
    return t.ask(needs, answer, lambda one: one.id != who.id, **words)


@kind("write-employee")
def lead_sets_levels(t: TaskBuilder) -> Draft:
    """A member by the first name, which nobody else on the team has; the Lead asks, or anybody."""
    project = t.project(lambda one: len(one.team) > 1)
    who, lead = t.person(t.pick(project.members[1:])), t.person(project.lead)
    first = who.name.split()[0]
    parts = [part for one in project.members for part in t.person(one).name.split(" ", 1)]
    t.insist(parts.count(first) == 1 and len(who.skills) > 1)
    skill = t.pick([name for name, level in who.skills.items() if level < t.policy.highest])
    level = who.skills[skill] + 1
    needs = t.on(who, "levels_write")
    may = t.may(lead, needs)
    t.twist("first-name", *["lead"] * (may and t.mode == "may"))
    answer = Answer(
        f"{who.name}: {skill} {who.skills[skill]} to {level}.",
        {"employee": [who.id], "project": [project.id]},
        events=[_levels_event(who, {skill: level})],
    )
    words: Words = {"skill": t.firm.skills[skill], "level": str(level), "project": t.thing(project)}
    person = Mention("employee", who.id, first, project.id)

    def fits(one: Employee) -> bool:
        return one == lead if may and t.mode == "may" else one.id != who.id

    return t.ask(needs, answer, fits, person=person, **words)


@kind("write-employee")
def self_review(t: TaskBuilder) -> Draft:
    """One level up, never above the highest, and one down."""
    needs, top = anywhere("own_levels"), t.policy.highest
    who = t.someone(lambda one: len(one.skills) > 1 and t.may(one, needs) == (t.mode == "may"))
    skill = t.pick(sorted(who.skills))
    will = t.pick([name for name, level in who.wills.items() if level > 1])
    levels = {skill: min(top, who.skills[skill] + 1), will: who.wills[will] - 1}
    t.reads("review")
    t.twist("self", *["cap"] * (levels[skill] == who.skills[skill]))
    events = [_levels_event(who, levels)]
    answer = Answer(f"{levels}; {top} is the highest.", {"employee": [who.id]}, events=events)
    words: Words = {"up": t.firm.skills[skill], "down": t.firm.wills[will]}
    return Draft(who, needs, answer, {"word": t.policy.self_word, **words})


@kind("write-project", 5)
def set_status(t: TaskBuilder) -> Draft:
    """Another status, or the one that it has already; mostly somebody of the team asks."""
    project, status = t.project(), t.pick(STATUSES[1:])
    needs = t.on(project, "status")
    members = [t.person(who) for who in project.members]
    fitting = [one for one in members if t.may(one, needs) == (t.mode == "may")]
    near = bool(fitting) and t.mode != "guest" and not t.chance(3)
    requester = t.pick(fitting) if near else t.requester(needs)
    t.twist("lead" if requester == members[0] else "not-lead", when=near)
    t.twist("already-so", when=status == project.status)
    event = {"type": "Evt_ProjectStatusChanged", "id": project.id, "status": status}
    proof = f"{project.name}, led by {members[0].name}, is {project.status}, shall be {status}."
    events = [event] * (status != project.status)
    answer = Answer(proof, {"project": [project.id]}, events=events)
    return Draft(requester, needs, answer, {"project": t.thing(project), "status": status})


def _team_event(project: Project, team: Iterable[Seat]) -> Event:
    """The whole team as it is afterwards."""
    seats = [seat.as_json() for seat in team]
    return {"type": "Evt_ProjectTeamUpdated", "id": project.id, "team": seats}


@kind("write-project")
def swap_seats(t: TaskBuilder) -> Draft:
    """Two members change roles and shares."""
    project = t.project(lambda one: len(one.team) > 2)
    lead, a, b, *rest = project.team
    t.insist((a.share, a.role) != (b.share, b.role))
    team = [lead, Seat(a.employee, b.share, b.role), Seat(b.employee, a.share, a.role), *rest]
    t.twist("whole-list")
    answer = Answer(
        f"{project.name}: {t.names([a.employee])} becomes {b.role} with {b.share}, "
        f"{t.names([b.employee])} {a.role} with {a.share}.",
        {"employee": [a.employee, b.employee], "project": [project.id]},
        events=[_team_event(project, team)],
    )
    one, other = (t.called(t.person(seat.employee)) for seat in (a, b))
    needs = t.on(project, "team")
    return t.ask(needs, answer, project=t.thing(project), one=one, other=other)


@kind("write-project")
def add_member(t: TaskBuilder) -> Draft:
    """One more on a team, the others as they are."""
    project = t.project(lambda one: one.status != "archived")
    who = t.someone(lambda one: not project.seat(one.id))
    role, tenths = t.pick(("Engineer", "Designer", "QA", "Ops")), t.pick((1, 2, 3, 4, 5))
    team = [*project.team, Seat(who.id, Decimal(tenths) / 10, role)]
    t.twist("whole-list")
    answer = Answer(
        f"{who.name} joins {project.name} as {role} with 0.{tenths}.",
        {"employee": [who.id], "project": [project.id]},
        may_link={"employee": [ME]},
        events=[_team_event(project, team)],
    )
    words: Words = {"role": role, "share": f"0.{tenths}", "percent": f"{tenths}0%"}
    project_, person = t.thing(project), t.called(who)
    needs = t.on(project, "team")
    return t.ask(needs, answer, project=project_, person=person, **words)
