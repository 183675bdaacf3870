"""Tasks that record hours."""

from __future__ import annotations

from workshop.generators.company.endless.desk import RequestHandler
from workshop.generators.company.questions import writes
from workshop.generators.company.records import Employee
from workshop.generators.company.tasks.bench import Draft

_HOURS = (1, 1.5, 2, 3, 3.5, 4, 5, 6, 7.5)
_DAYS = {"today": 0, "yesterday": -1, "two days ago": -2, "three days ago": -3}


def _spent(b: RequestHandler) -> tuple[float, str, int]:
    day = b.pick(sorted(_DAYS), "day")
    return b.pick(_HOURS, "hours"), day, _DAYS[day]


def log_member(b: RequestHandler) -> Draft:
    """Draft hours for a member of a team, with a note or without."""
    b = b.maybe_bought()
    project = b.project(lambda p: p.status in ("active", "exploring"))
    who = b.pick((w for w in project.members if w != project.lead), "member")
    hours, day, days = _spent(b)
    billable = bool(b.rng("billable").randrange(2))
    question = writes.LogDraft(project.id, who, hours, days, billable)
    b.twist("relative-date")

    def near(one: Employee) -> bool:
        return one.id != who and (b.mode == "may" or one.id in project.members)

    return b.draft(
        b.requester(question, near),
        question,
        hours=f"{hours:g}",
        day=day,
        billed="billable" if billable else "not billable",
        person=b.called(b.person(who)),
        project=b.thing(project),
    )


def log_own(b: RequestHandler) -> Draft:
    """The asker's own hours."""
    b = b.maybe_bought()
    project, who = b.pick(
        (p, w) for p in b.firm.projects for w in p.members if p.status in ("active", "exploring")
    )
    hours, day, days = _spent(b)
    question = writes.LogDraft(project.id, who, hours, days)
    b.twist("self", "relative-date")
    return b.draft(b.person(who), question, hours=f"{hours:g}", day=day, project=b.thing(project))


def log_approved(b: RequestHandler) -> Draft:
    """Hours that count at once."""
    project = b.project(lambda p: p.status == "active")
    who = b.pick((w for w in project.members), "member")
    hours, day, days = _spent(b)
    question = writes.LogDraft(project.id, who, hours, days, approved=True)
    b.twist("approved-hours")
    return b.draft(
        b.requester(question, lambda one: one.id != who),
        question,
        hours=f"{hours:g}",
        day=day,
        person=b.called(b.person(who)),
        project=b.thing(project),
    )


def log_stranger(b: RequestHandler) -> Draft:
    """The Lead, for somebody who is not on the team."""
    project = b.project(lambda p: p.status == "active")
    who = b.someone(lambda one: one.id not in project.members)
    hours, day, days = _spent(b)
    b.twist("not-on-team", "lead")
    return b.draft(
        b.person(project.lead),
        writes.LogDraft(project.id, who.id, hours, days),
        hours=f"{hours:g}",
        day=day,
        billed="billable",
        person=b.called(who),
        project=b.thing(project),
    )


def void_copy(b: RequestHandler) -> Draft:
    """The own entry of a day, beside one on another day."""
    if b.policy.needs_ticket("own_hours"):
        raise LookupError(f"{b.spec_id}: hours take a ticket")
    project, who = b.pick((p, w) for p in b.firm.projects for w in p.members)
    rng = b.rng("rows")
    old, new, other = rng.sample(_HOURS, 3)
    rows = [
        (who, project, b.ago(6), old, True),
        (who, project, b.ago(5), other, True),
    ]
    b.twist("correction", "self")
    return b.draft(
        b.person(who),
        writes.VoidAndCopy("te_001", new),
        firm=b.recorded_to(rows, status="submitted", notes="on site"),
        day=b.ago(6),
        old=f"{old:g}",
        new=f"{new:g}",
        project=b.thing(project),
    )
