"""Tasks that change people's records, projects and hours, or add up hours."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from core.erc3_client.own.company_shapes import TeamRole
from workshop.generators.company.policy import STATUSES, Right, table
from workshop.generators.company.records import Employee, Mention, Project
from workshop.generators.company.task import (
    ME,
    NOBODY,
    Answer,
    Draft,
    Event,
    LinkKind,
    TaskBuilder,
    Words,
    anywhere,
    kind,
)
from workshop.simulator.company.records import Workload


def _levels_event(who: Employee, levels: Mapping[str, int]) -> Event:
    """Levels set to these; what has such a level already does not change."""
    changed = {name: to for name, to in levels.items() if who.levels[name] != to}
    skills = {name: to for name, to in changed.items() if name in who.skill_levels}
    wills = {name: to for name, to in changed.items() if name in who.will_levels}
    event = {"type": "Evt_EmployeeSkillsUpdated", "employee": who.id}
    return {**event, "skills": skills, "wills": wills}


@kind("write-employee")
def raise_notes(t: TaskBuilder) -> Draft:
    """Of three people one has a decision; hopes and others' promises are no decision."""
    people = t.rng.sample(t.staff(), 3)
    a, b, c = people
    by, amount = t.policy.raise_from, b.salary + 4500
    t.note(
        {
            a.id: f"Hopes for {a.salary + 3000:,} and will talk to the {by} in autumn.",
            b.id: f"Decision of the {by}: pay becomes {amount:,}.",
            c.id: f"The head of the department promised {c.salary + 2000:,}.",
        }
    )
    t.twist("multi", "decoy", "note")
    answer = Answer(
        f"A decision is noted for {b.name}: {amount}.",
        {"employee": [b.id]},
        may_link={"employee": [a.id, c.id]},
        events=[{"type": "Evt_EmployeeSalaryUpdated", "employee": b.id, "salary": amount}],
    )
    words: Words = {key: t.called(one) for key, one in zip("abc", people, strict=True)}
    needs = anywhere("notes", "pay_write")
    return t.ask(needs, answer, lambda one: one not in people, by=by, **words)


@kind("write-employee", 4)
def set_note(t: TaskBuilder) -> Draft:
    """A note that replaces another, often with one will, and nothing else of the record."""
    top, note, both = t.policy.highest, t.pick(table("phrases")["asked"]["notes"]), t.chance(2)
    # With one will alone nothing could be lost.
    who = t.someone(lambda one: len(one.will_levels) > 1 and min(one.will_levels.values()) < top)
    will = t.pick([name for name, level in who.will_levels.items() if level < top])
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
def self_review(t: TaskBuilder) -> Draft:
    """One level up, never above the highest, and one down."""
    needs, top = anywhere("own_levels"), t.policy.highest
    who = t.someone(
        lambda one: len(one.skill_levels) > 1 and t.may(one, needs) == (t.mode == "may")
    )
    skill = t.pick(sorted(who.skill_levels))
    will = t.pick([name for name, level in who.will_levels.items() if level > 1])
    levels = {skill: min(top, who.skill_levels[skill] + 1), will: who.will_levels[will] - 1}
    t.twist("self", *["cap"] * (levels[skill] == who.skill_levels[skill]))
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


@kind("write-project")
def add_member(t: TaskBuilder) -> Draft:
    """One more on a team, the others as they are."""
    project = t.project(lambda one: one.status != "archived")
    who = t.someone(lambda one: not project.seat(one.id))
    roles: tuple[TeamRole, ...] = ("Engineer", "Designer", "QA", "Ops")
    role, tenths = t.pick(roles), t.pick((1, 2, 3, 4, 5))
    seat = Workload(employee=who.id, time_slice=tenths / 10, role=role)
    team = [one.model_dump() for one in (*project.team, seat)]
    t.twist("whole-list")
    answer = Answer(
        f"{who.name} joins {project.name} as {role} with 0.{tenths}.",
        {"employee": [who.id], "project": [project.id]},
        may_link={"employee": [ME]},
        events=[{"type": "Evt_ProjectTeamUpdated", "id": project.id, "team": team}],
    )
    words: Words = {"role": role, "share": f"0.{tenths}", "percent": f"{tenths}0%"}
    project_, person = t.thing(project), t.called(who)
    needs = t.on(project, "team")
    return t.ask(needs, answer, project=project_, person=person, **words)


_HOURS = (1, 1.5, 2, 3, 3.5, 4, 5, 6, 7.5)
_DAYS = {"today": 0, "yesterday": 1, "two days ago": 2, "three days ago": 3}


def _whose(t: TaskBuilder) -> tuple[str, Mention, LinkKind, str, list[tuple[str, Project]]]:
    """A project, a person or a customer, and whose entries on which projects are of them."""
    project = t.customers_project()
    customer = t.firm.customers[project.customer]
    kind_: LinkKind = t.pick(("project", "employee", "customer"))
    if kind_ == "project":
        return "on ", t.thing(project), kind_, project.id, [(w, project) for w in project.members]
    if kind_ == "customer":
        theirs = [(who, p) for p in t.firm.of_customer(customer.id) for who in p.members]
        return "for ", t.thing(customer), kind_, customer.id, theirs
    who = t.person(t.pick(project.members))
    return "by ", t.called(who), kind_, who.id, [(who.id, p) for p in t.firm.projects_of(who.id)]


@kind("hours", 6)
def hours_of(t: TaskBuilder) -> Draft:
    """Hours of a month: entries on its first and last day, in it, just outside, another's."""
    on, what, kind_, record, theirs = _whose(t)
    last = t.today.replace(day=1) - timedelta(1)
    first = last.replace(day=1)
    outside = t.pick((first - timedelta(1), last + timedelta(1)))
    hours = t.rng.sample(_HOURS, 5)
    rows = []
    for number, day in enumerate((first, first + timedelta(6), last, outside)):
        rows.append((*t.pick(theirs), day.isoformat(), hours[number], number != 1))
    others = [
        (who, p) for p in t.firm.projects.values() for who in p.members if (who, p) not in theirs
    ]
    others = [(who, p) for who, p in others if record not in (who, p.id) and record != p.customer]
    rows.append((*t.pick(others), (first + timedelta(8)).isoformat(), hours[4], True))
    t.record(rows)
    sums = tuple(f"{n:g}" for n in (sum(hours[:3]), hours[0] + hours[2], hours[1]))
    # Each is looked for in the message, so none may hide in another.
    t.insist(not any(a in b for a in sums for b in sums if a is not b))
    t.twist("period")
    proof = f"{first} to {last}, both included: total, billable, other hours are {sums}."
    may = [theirs[0][1].customer] if kind_ == "project" else []
    answer = Answer(proof, {kind_: [record]}, may_link={"customer": may}, contains=sums)
    words: Words = {"on": on, "what": what, "first": first.isoformat(), "last": last.isoformat()}
    return t.ask(anywhere("hours"), answer, lambda one: one.id != record, **words)


def _logged(
    t: TaskBuilder, project: Project, who: Employee, right: Right, billed: str, status: str
) -> Draft:
    """One new entry; nobody may record any for somebody who is not on the team."""
    hours, day, own = t.pick(_HOURS), t.pick(sorted(_DAYS)), project.customer == t.firm.own
    mine, member = right == "own_hours", project.seat(who.id) is not None
    needs = t.on(project, right) if member else NOBODY
    event = {
        "type": "Evt_TimeEntryLogged",
        "employee": who.id,
        "customer": "" if own else project.customer,
        "project": project.id,
        "date": t.ago(_DAYS[day]),
        "hours": hours,
        "work_category": "internal" if own else "customer_project",
        "billable": not billed.startswith("not"),
        "status": status,
        **({"notes": t.ticket} if t.ticketed(needs) else {}),
    }
    t.twist("relative-date")
    answer = Answer(
        f"{who.name} is {'' if member else 'not '}on {project.name}, led by "
        f"{t.names([project.lead])}; the day is {event['date']}, the customer {project.customer}.",
        {"project": [project.id], "employee": [] if mine else [who.id]},
        may_link={"employee": [ME]},
        events=[event],
    )
    words: Words = {"hours": f"{hours:g}", "day": day, "billed": billed}
    words["project"] = t.thing(project)
    if mine:
        return Draft(who, needs, answer, words)
    near = t.chance(2)
    # Whoever may record hours of members asks for a stranger's as well.
    requester = t.requester(
        t.on(project, right), lambda one: one != who and not (near and project.seat(one.id) is None)
    )
    return Draft(requester, needs, answer, {**words, "person": t.called(who)})


@kind("write-time", 6)
def log_member(t: TaskBuilder) -> Draft:
    """Hours for a member of a team, or for somebody who is none; as drafts, or to count at once."""
    project = t.project(lambda one: one.status in ("active", "exploring") and len(one.team) > 1)
    stranger, approved = t.chance(6), t.chance(4)
    outside = [one for one in t.people if not project.seat(one.id)]
    who = t.pick(outside if stranger else list(map(t.person, project.members[1:])))
    t.twist("not-on-team", when=stranger)
    t.twist("approved-hours", when=approved)
    if approved:
        billed = "billable and approved at once"
        return _logged(t, project, who, "approved_hours", billed, "approved")
    return _logged(t, project, who, "draft_hours", t.pick(("billable", "not billable")), "draft")


@kind("write-time", 3)
def log_own(t: TaskBuilder) -> Draft:
    """The requester's own hours."""
    project = t.project(lambda one: one.status in ("active", "exploring"))
    t.twist("self")
    who = t.person(t.pick(project.members))
    return _logged(t, project, who, "own_hours", t.pick(("billable", "not billable")), "draft")


@kind("write-time")
def void_copy(t: TaskBuilder) -> Draft:
    """The own entry of a day, beside one on another day: voided, and repeated as a draft."""
    # What stands in the note of a copy that needs a ticket is said nowhere.
    t.insist(not (t.policy.takeover and "own_hours" in t.policy.takeover.needs))
    project = t.project()
    who = t.person(t.pick(project.members))
    old, new, other = t.rng.sample(_HOURS, 3)
    rows = [(who.id, project, t.ago(6), old, True), (who.id, project, t.ago(5), other, True)]
    entry, _ = t.record(rows, status="submitted", notes="on site")
    copy = {**entry.model_dump(), "type": "Evt_TimeEntryLogged", "hours": new, "status": "draft"}
    del copy["id"]
    t.twist("correction", "self")
    void = {"type": "Evt_TimeEntryStatusChanged", "id": entry.id, "status": "voided"}
    proof = f"{entry.id} of {t.ago(6)} is voided with nothing else touched; a new one has {new:g}."
    answer = Answer(proof, {"project": [project.id]}, events=[void, copy])
    words: Words = {
        "day": t.ago(6),
        "old": f"{old:g}",
        "new": f"{new:g}",
        "project": t.thing(project),
    }
    return Draft(who, anywhere("own_hours"), answer, words)
