"""Tasks at Vinterhage whose answer is a set of projects or customers."""

from __future__ import annotations

from itertools import combinations

from workshop.generators.company.questions import sets
from workshop.generators.company.records import Employee
from workshop.generators.company.tasks.bench import (
    Draft,
    TaskBuilder,
    full,
    last_first,
    named,
    paraphrased,
)


def projects_of(b: TaskBuilder) -> Draft:
    """Somebody who is on several projects in several roles or states, one of them archived."""

    def fits(one: Employee) -> bool:
        states = [p.status for p in b.firm.projects_of(one.id)]
        return "archived" in states and len(states) > 2

    who = b.someone(fits)
    return b.draft(b.of("board"), sets.ProjectsOf(who.id), person=last_first(who))


def my_projects_with(b: TaskBuilder) -> Draft:
    """Somebody who is on one of several led projects and on others of other Leads."""

    def fits(pair: tuple[str, str]) -> bool:
        lead, who = pair
        theirs = b.firm.projects_of(who)
        mine = sum(p.lead == lead for p in theirs)
        return mine == 1 and len(theirs) > 1 and len(b.firm.led_by(lead)) > 1

    pairs = sorted({(p.lead, who) for p in b.firm.projects for who in p.members if who != p.lead})
    lead, who = b.pick(filter(fits, pairs))
    return b.draft(b.person(lead), sets.MyProjectsWith(who), person=full(b.person(who)))


def my_projects_without_them(b: TaskBuilder) -> Draft:
    """Both are on a project that somebody else leads, and on none that the asker leads."""
    leads = {p.lead for p in b.firm.projects}
    pairs = sorted(
        (me, who)
        for p in b.firm.projects
        for me in p.members
        for who in p.members
        if me in leads and me != p.lead and who != me
        if not any(mine.seat(who) for mine in b.firm.led_by(me))
    )
    lead, who = b.pick(pairs)
    return b.draft(b.person(lead), sets.MyProjectsWith(who), person=last_first(b.person(who)))


def my_projects_without_qa(b: TaskBuilder) -> Draft:
    """A Lead with projects of both sorts."""

    def fits(one: Employee) -> bool:
        has = [any(s.role == "QA" for s in p.team) for p in b.firm.led_by(one.id)]
        return len(has) > 2 and any(has) and has.count(False) > 1

    return b.draft(b.someone(fits), sets.MyProjectsWithout("QA"))


def key_account_explorations(b: TaskBuilder) -> Draft:
    """Key account is a standing, exploring is a status, and two tie."""
    return b.draft(b.of("finance"), sets.MostProjects("Key account", "exploring"))


def tied_customers(b: TaskBuilder) -> Draft:
    """As many projects with us, so that none is linked."""
    count = {c.id: len(b.firm.of_customer(c.id)) for c in b.firm.customers}
    one, other = b.pick(
        (one, other)
        for one, other in combinations(b.firm.customers, 2)
        if count[one.id] == count[other.id] > 1
    )
    question = sets.MoreProjects(one.id, other.id)
    return b.draft(b.of("board"), question, one=paraphrased(one), other=named(other))


def both_on_nothing(b: TaskBuilder) -> Draft:
    """Both are on several projects, some of them for the same customer, none the same."""
    busy = [one.id for one in b.firm.employees if len(b.firm.projects_of(one.id)) > 1]

    def customers(who: str) -> set[str]:
        return {p.customer for p in b.firm.projects_of(who)}

    one, other = b.pick(
        (one, other)
        for one, other in combinations(busy, 2)
        if customers(one) & customers(other)
        and not any(p.seat(other) for p in b.firm.projects_of(one))
    )
    names = last_first(b.person(one)), last_first(b.person(other))
    return b.draft(b.of("board"), sets.Shared(one, other), one=names[0], other=names[1])


def managed_by_either(b: TaskBuilder) -> Draft:
    """Two account managers with several customers each."""
    accounts = [c.account_manager for c in b.firm.customers]
    many = sorted(who for who in set(accounts) if accounts.count(who) > 1)
    one, other = b.pick(combinations(many, 2))
    question = sets.ManagedBy((one, other))
    names = last_first(b.person(one)), last_first(b.person(other))
    return b.draft(b.of("board"), question, one=names[0], other=names[1])
