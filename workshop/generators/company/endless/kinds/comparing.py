"""Tasks that weigh people: load, levels."""

from __future__ import annotations

from itertools import product

from workshop.generators.company.endless.desk import RequestHandler
from workshop.generators.company.policy import LEAD, Target
from workshop.generators.company.questions import levels, people
from workshop.generators.company.records import Employee
from workshop.generators.company.tasks.bench import Draft

_FEW = 3
"""A comparison is of so many at least."""
_MANY = 12
"""Of more people no list is asked for."""


def load_of(b: RequestHandler) -> Draft:
    """Somebody's load, of which some may not count."""
    who = b.someone(lambda one: len(b.firm.projects_of(one.id)) != 1)
    everything = {p.status for p in b.firm.projects}
    if b.firm.load(who.id, b.policy.load) != b.firm.load(who.id, everything):
        b.twist("threshold-of-status")
    return b.ask(people.LoadOf(who.id), person=b.called(who))


def load_rank(b: RequestHandler) -> Draft:
    """The most or the least loaded of a department, or at a site."""
    most = bool(b.rng("most").randrange(2))
    ways = [
        *(people.LoadRank(most, department=d) for d in _departments(b)),
        *(people.LoadRank(most, location=site) for site in b.firm.places if _at(b, site)),
    ]
    question = b.clear(ways)
    tied = len(question.answer(b.view).links["employee"].must)
    b.twist(*(("tie",) if tied > 1 else ()))
    where = question.department or b.pick(
        (question.location, b.firm.places[question.location][0]), "town"
    )
    return b.ask(question, where=where, much="most" if most else "least")


def busy(b: RequestHandler) -> Draft:
    """Who is busy or available, as the page defines it."""
    much = bool(b.rng("busy").randrange(2))
    question = people.Busy(b.pick(_departments(b)), much)
    if len(question.answer(b.view).links["employee"].must) > _MANY:
        raise LookupError(f"{b.spec_id}: too many")
    b.twist("definition")
    word = "busy" if much else "available"
    return b.ask(question, department=question.department, word=word)


def best_to_send(b: RequestHandler) -> Draft:
    """Whoever is at the destination already is not sent."""
    pairs = product(b.firm.skills, b.firm.places)
    question = b.clear(levels.BestToSend(skill, site) for skill, site in pairs)
    b.twist("not-already-there")
    town = b.firm.places[question.location][0]
    return b.ask(question, skill=b.firm.skills[question.skill], town=town)


def strong_at(b: RequestHandler) -> Draft:
    """Strong in something, at one site or anywhere in two things."""
    names = [*b.firm.skills, *b.firm.wills]
    sites = [site for site in b.firm.places if _at(b, site)]
    question = b.clear(_few(b, (levels.Strong((n,), s) for n, s in product(names, sites))))
    b.twist("threshold", "location")
    return b.ask(question, name=b.firm.called[question.names[0]], location=question.location)


def strong_both(b: RequestHandler) -> Draft:
    """A strong skill and a strong will."""
    pairs = product(b.firm.skills, b.firm.wills)
    question = b.clear(_few(b, map(levels.Strong, pairs)))
    b.twist("threshold")
    skill, will = (b.firm.called[name] for name in question.names)
    return b.ask(question, skill=skill, will=will)


def expert_outside(b: RequestHandler) -> Draft:
    """The best who is not on a team; that a Lead may see the own team's levels does not do."""
    if not any(right == "levels" for g in b.policy.groups if g.key != LEAD for right in g.may):
        raise LookupError(f"{b.spec_id}: nobody may")
    pairs = product(b.firm.skills, b.firm.projects)
    question = b.clear(levels.ExpertOutside(skill, p.id) for skill, p in pairs)
    project = b.firm.projects[question.project]

    def plain(one: Employee) -> bool:
        return one.id != project.lead or b.policy.allows(one, "levels", Target())

    b.twist("not-in-team")
    return b.draft(
        b.requester(question, plain),
        question,
        skill=b.firm.skills[question.skill],
        project=b.thing(project),
    )


def freest_keen(b: RequestHandler) -> Draft:
    """The least busy with a strong will, of these the keenest."""
    least = b.policy.strong
    wills = [w for w in b.firm.wills if any(e.levels.get(w, 0) >= least for e in b.firm.employees)]
    question = b.clear(levels.FreestKeen(will) for will in wills)
    b.twist("workload", "tie")
    return b.ask(question, will=b.firm.wills[question.will])


def coaches(b: RequestHandler) -> Draft:
    """The best coach by sums of differences."""
    staff = [one for one in b.firm.employees if one.group not in b.policy.outsiders and one.skills]
    question = b.clear(levels.Coaches(one.id) for one in staff)
    b.twist("sum")
    return b.ask(question, person=b.called(b.person(question.person)))


def weakest(b: RequestHandler) -> Draft:
    """The lowest level in a department."""
    departments = _departments(b)
    have = [
        (skill, d)
        for skill, d in product(b.firm.skills, departments)
        if all(skill in e.skills for e in b.firm.employees if e.department == d)
    ]
    question = levels.Weakest(*b.pick(have))
    b.twist("tie")
    return b.ask(question, skill=b.firm.skills[question.skill], department=question.department)


def team_will(b: RequestHandler) -> Draft:
    """What a team would like most, by sums."""

    def single(project_id: str) -> bool:
        try:
            return bool(levels.TeamWill(project_id).answer(b.view))
        except LookupError:
            return False

    project = b.project(lambda p: len(p.team) > 1 and single(p.id))
    question = levels.TeamWill(project.id)
    inside = [b.person(who) for who in project.members if b.may(b.person(who), question)]
    b.twist("sum")
    if b.mode == "may" and inside:
        return b.draft(b.pick(inside, "member"), question, project=b.thing(project))
    return b.ask(question, project=b.thing(project))


def my_gaps(b: RequestHandler) -> Draft:
    """What the asker does not have."""
    who = b.someone(
        lambda e: (
            0 < len(b.firm.skills) - len(e.skills) < len(b.firm.skills)
            and b.may(e, levels.MyGaps()) == (b.mode == "may")
        )
    )
    b.twist("self")
    return b.draft(who, levels.MyGaps())


def _departments(b: RequestHandler) -> list[str]:
    outside = {e.department for e in b.firm.employees if e.group in b.policy.outsiders}
    names = [d.name for d in b.plan.departments if d.people >= _FEW and d.name not in outside]
    if not names:
        raise LookupError(f"{b.spec_id}: all departments are small")
    return names


def _at(b: RequestHandler, site: str) -> bool:
    return sum(one.location == site for one in b.firm.employees) >= _FEW


def _few(b: RequestHandler, questions: object) -> list[levels.Strong]:
    """Those that not everybody is an answer to."""
    found = []
    for question in questions:  # type: ignore[attr-defined]
        if len(question.answer(b.view).links["employee"].must) <= _MANY:
            found.append(question)
    return found
