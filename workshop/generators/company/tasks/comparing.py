"""Tasks at Vinterhage that rank people: load, levels, pay."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from workshop.generators.company.questions import levels, people
from workshop.generators.company.records import Employee
from workshop.generators.company.tasks.bench import Draft, TaskBuilder, last_first, named, plain

_MANY = 12
"""A department of so many people cannot be seen through at a glance."""


def busiest_department(b: TaskBuilder) -> Draft:
    """Who would be on top if archived projects and ideas counted is another one."""

    def top(department: str, statuses: Iterable[str]) -> tuple[Decimal, list[str]]:
        load = {
            one.id: b.firm.load(one.id, [*statuses])
            for one in b.firm.employees
            if one.department == department
        }
        most = max(load.values())
        return most, [who for who, one in load.items() if one == most]

    everything = {p.status for p in b.firm.projects}
    department = b.pick(
        d.name
        for d in b.plan.departments
        if top(d.name, b.policy.load) != top(d.name, everything) and d.people >= _MANY
    )
    question = people.LoadRank(True, department=department)
    return b.draft(b.of("finance"), question, department=department)


def least_busy_site(b: TaskBuilder) -> Draft:
    """Several people with nothing to do, at a site that the text calls by its town."""
    site, names = b.pick(
        (site, names)
        for site, names in b.firm.places.items()
        if 4 <= sum(not b.firm.load(one.id, b.policy.load) for one in _at(b, site)) <= 9
    )
    return b.draft(b.of("finance"), people.LoadRank(False, location=site), town=names[0])


def best_to_send(b: TaskBuilder) -> Draft:
    """Somebody as good is there already, and of the others several tie."""
    highest = b.policy.highest

    def ties(skill: str, site: str) -> bool:
        best = [one for one in b.firm.employees if one.skills[skill] == highest]
        there = [one for one in best if one.location == site]
        return bool(there) and 1 < len(best) - len(there) < 6

    question = b.clear(
        levels.BestToSend(skill, site)
        for skill in b.firm.skills
        for site in b.firm.places
        if ties(skill, site)
    )
    town = b.firm.places[question.location][0]
    return b.draft(b.of("finance"), question, town=town, skill=b.firm.skills[question.skill])


def strong_at_site(b: TaskBuilder) -> Draft:
    """Some there are one level short."""
    least = b.policy.strong

    def fits(pair: tuple[str, str]) -> bool:
        have = [one.wills[pair[1]] for one in _at(b, pair[0])]
        return 2 <= sum(level >= least for level in have) <= 8 and least - 1 in have

    site, will = b.pick(filter(fits, ((s, w) for s in b.firm.places for w in b.firm.wills)))
    question = levels.Strong((will,), site)
    # Typed as one types it: with a hyphen, where the register has a dash.
    location = site.replace("–", "-")
    return b.draft(b.of("board"), question, location=location, will=b.firm.wills[will])


def expert_outside(b: TaskBuilder) -> Draft:
    """A member is as good as the best outside, of whom there are few."""

    def fits(pair: tuple[str, str]) -> bool:
        project = b.firm.projects[pair[0]]
        best = [one.id for one in b.firm.employees if one.skills[pair[1]] == b.policy.highest]
        return bool({*best} & {*project.members}) and len({*best} - {*project.members}) < 6

    pairs = ((p.id, skill) for p in b.firm.projects for skill in b.firm.skills)
    question = b.clear(levels.ExpertOutside(s, project) for project, s in filter(fits, pairs))
    return b.draft(
        b.of("finance"),
        question,
        project=named(b.firm.projects[question.project]),
        skill=b.firm.skills[question.skill],
    )


def freest_keen(b: TaskBuilder) -> Draft:
    """Of the free ones some are keener than others."""
    least = b.policy.strong

    def fits(will: str) -> bool:
        keen = [one for one in b.firm.employees if one.wills[will] >= least]
        free = [one.wills[will] for one in keen if not b.firm.load(one.id, b.policy.load)]
        return len(set(free)) > 1

    question = b.clear(levels.FreestKeen(will) for will in filter(fits, b.firm.wills))
    return b.draft(b.of("board"), question, will=b.firm.wills[question.will])


def coaches(b: TaskBuilder) -> Draft:
    """Somebody with middling levels, so that sums matter and not single ones."""

    def fits(one: Employee) -> bool:
        return 5 <= sum(one.skills.values()) / len(one.skills) <= 6

    question = b.clear(levels.Coaches(one.id) for one in b.firm.employees if fits(one))
    person = last_first(b.person(question.person))
    return b.draft(b.of("board"), question, person=person)


def higher_paid_leads(b: TaskBuilder) -> Draft:
    """Some Leads earn more, one earns exactly as much; the name is typed without its accents."""
    pay = [b.person(lead).salary for lead in sorted({p.lead for p in b.firm.projects})]
    who = b.someone(
        lambda one: (
            3 <= sum(p > one.salary for p in pay) <= 9
            and one.salary in pay
            and not b.firm.led_by(one.id)
            and not one.name.isascii()
        )
    )
    return b.draft(b.of("people"), people.HigherPaidLeads(who.id), person=plain(last_first(who)))


def _at(b: TaskBuilder, site: str) -> list[Employee]:
    return [one for one in b.firm.employees if one.location == site]
