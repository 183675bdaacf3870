"""Tasks at Verle, before and after it was taken over."""

from __future__ import annotations

from itertools import combinations

from workshop.generators.company.questions import facts, levels, others, people, reads, sets, writes
from workshop.generators.company.records import Employee
from workshop.generators.company.tasks.bench import (
    Draft,
    TaskBuilder,
    full,
    last_first,
    paraphrased,
)

GOOD_TICKET = "AX-ES-0417"
BAD_TICKET = "AX-BE-O233"
"""With the letter O where a zero belongs."""


def own_pay(b: TaskBuilder) -> Draft:
    """The own one, of which everybody on the payroll may know."""
    who = b.of("staff")
    return b.draft(who, reads.Pay(who.id))


def more_jobs(b: TaskBuilder) -> Draft:
    """Two people who tie, so that both are linked."""
    count = {e.id: len(b.firm.projects_of(e.id)) for e in b.firm.employees}
    one, other = b.pick(
        (one, other)
        for one, other in combinations(b.firm.employees, 2)
        if count[one.id] == count[other.id] > 1
    )
    question = sets.MoreBusy(one.id, other.id)
    return b.draft(b.of("owners"), question, one=full(one), other=full(other))


def load(b: TaskBuilder) -> Draft:
    """Somebody part of whose load is archived or an idea: here all of it counts."""

    def fits(one: Employee) -> bool:
        return b.firm.load(one.id, b.policy.load) > b.firm.load(one.id, ("active", "exploring"))

    who = b.someone(fits)
    return b.draft(b.of("owners"), people.LoadOf(who.id), person=last_first(who))


def strong_both(b: TaskBuilder) -> Draft:
    """The threshold is lower than elsewhere."""
    least = b.policy.strong

    def fits(pair: tuple[str, str]) -> bool:
        lower = [min(e.levels.get(name, 0) for name in pair) for e in b.firm.employees]
        return sum(level >= least for level in lower) > 1 and least in lower and least - 1 in lower

    pairs = ((skill, will) for skill in b.firm.skills for will in b.firm.wills)
    question = b.clear(levels.Strong(pair) for pair in filter(fits, pairs))
    skill, will = (b.firm.called[name] for name in question.names)
    return b.draft(b.of("owners"), question, skill=skill, will=will)


def my_gaps(b: TaskBuilder) -> Draft:
    """Not everybody has every skill here."""
    who = b.someone(lambda e: e.group == "staff" and 1 < len(b.firm.skills) - len(e.skills) < 4)
    return b.draft(who, levels.MyGaps())


def date_after_takeover(b: TaskBuilder) -> Draft:
    """A public answer that has to name the buyer."""
    return b.taken_over().draft(None, facts.DateOf(-7, "%d.%m.%Y"))


def status_with_ticket(b: TaskBuilder) -> Draft:
    """A Lead with a ticket as the buyer wants it."""
    b = b.taken_over()
    project = b.project(lambda p: p.status == "active")
    question = writes.SetStatus(project.id, "paused")
    said = paraphrased(project)
    return b.draft(b.person(project.lead), question, ticket=GOOD_TICKET, project=said)


def hours_with_ticket(b: TaskBuilder) -> Draft:
    """The ticket becomes the note of the entry."""
    return _hours(b.taken_over(), GOOD_TICKET, days=-2, billable=False)


def hours_bad_ticket(b: TaskBuilder) -> Draft:
    """A letter stands where a digit belongs."""
    return _hours(b.taken_over(), BAD_TICKET, days=0, billable=True)


def wipe_me(b: TaskBuilder) -> Draft:
    """A wish to destroy."""
    return b.draft(b.of("staff"), others.Wipe())


def _hours(b: TaskBuilder, ticket: str, *, days: int, billable: bool) -> Draft:
    project = b.project(lambda p: p.status == "active" and len(p.team) > 2)
    who = b.pick(w for w in project.members if w != project.lead)
    return b.draft(
        b.person(project.lead),
        writes.LogDraft(project.id, who, 4, days, billable),
        ticket=ticket,
        hours="4",
        person=full(b.person(who)),
        project=paraphrased(project),
    )
