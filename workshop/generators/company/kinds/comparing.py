"""Tasks that weigh people: load, levels."""

from __future__ import annotations

from collections.abc import Iterable

from workshop.generators.company.records import Employee
from workshop.generators.company.task import (
    Answer,
    Draft,
    LinkKind,
    Links,
    TaskBuilder,
    Words,
    anywhere,
    kind,
)

_FEW = 3
"""A comparison is of so many at least."""
_MANY = 12
"""An answer lists so many people at most."""


def _department(t: TaskBuilder) -> str:
    """A department of ours with some people."""
    staff = [one.department for one in t.staff()]
    return t.pick(sorted({name for name in staff if staff.count(name) >= _FEW}))


def _site(t: TaskBuilder) -> str:
    """A site with some people, as the register writes it."""
    places = [one.location for one in t.firm.employees]
    return t.pick([site for site in t.firm.places if places.count(site) >= _FEW])


def _having(people: Iterable[Employee], name: str) -> dict[str, int]:
    """The level of each who has a skill or will."""
    return {one.id: one.levels[name] for one in people if name in one.levels}


@kind("workload", 3)
def load_of(t: TaskBuilder) -> Draft:
    """Somebody's load, of which some may not count."""
    who = t.someone(lambda one: len(t.firm.projects_of(one.id)) != 1)
    load = t.loads([who])[who.id]
    seats = [(p, p.seat(who.id)) for p in t.firm.projects_of(who.id)]
    t.twist("threshold-of-status", when=any(p.status not in t.policy.load for p, _ in seats))
    listed = ", ".join(f"{p.name} ({p.status}) {seat.share}" for p, seat in seats if seat)
    proof = f"{who.name}: {listed or 'no projects'}; {', '.join(t.policy.load)} count: {load}."
    answer = Answer(proof, {"employee": [who.id]}, contains=(f"{load:.1f}",))
    return t.ask(t.on(who, "load"), answer, person=t.called(who))


@kind("workload", 3)
def load_rank(t: TaskBuilder) -> Draft:
    """The most or the least loaded of a department, or at a site; 0.0 is a load."""
    much = t.pick(("most", "least"))
    if t.chance(2):
        where = _department(t)
        people = [one for one in t.firm.employees if one.department == where]
    else:
        site = _site(t)
        t.twist("town")
        where = t.firm.places[site][0]
        people = [one for one in t.firm.employees if one.location == site]
    best, listed = t.ranked(t.loads(people), most=much == "most")
    t.twist("tie", when=len(best) > 1)
    proof = f"Shares over {', '.join(t.policy.load)} projects, {where}: {listed}. {len(best)} best."
    return t.ask(anywhere("load"), Answer(proof, {"employee": best}), where=where, much=much)


@kind("workload")
def busy(t: TaskBuilder) -> Draft:
    """Who is busy or available, as the page defines it."""
    word, department = t.pick(("busy", "available")), _department(t)
    loads = t.loads([one for one in t.firm.employees if one.department == department])
    limit = t.policy.busy if word == "busy" else t.policy.free
    found = [w for w, n in loads.items() if (n >= limit if word == "busy" else n <= limit)]
    t.insist(0 < len(found) <= _MANY)
    t.twist("definition")
    t.reads("busy")
    answer = Answer(f"{word} in {department} by {limit}: {t.names(found)}.", {"employee": found})
    return t.ask(anywhere("load"), answer, department=department, word=word)


@kind("skills", 3)
def best_elsewhere(t: TaskBuilder) -> Draft:
    """The best in a skill who is not on a team, or not at a site."""
    skill = t.pick(sorted(t.firm.skills))
    words: Words = {"skill": t.firm.skills[skill]}
    links: dict[LinkKind, list[str]] = {}
    if t.chance(2):
        project = t.project()
        t.twist("not-in-team")
        people = [one for one in t.firm.employees if not project.seat(one.id)]
        words |= {"there": "on the team of ", "where": t.thing(project)}
        links["project"] = [project.id]
    else:
        site = t.pick(sorted(t.firm.places))
        t.twist("not-already-there")
        people = [one for one in t.firm.employees if one.location != site]
        words |= {"there": "at our site in ", "where": t.firm.places[site][0]}
    best, listed = t.ranked(_having(people, skill))
    answer = Answer(f"{skill}, elsewhere: {listed}.", {"employee": best, **links})
    return t.ask(anywhere("levels"), answer, lambda one: one.id not in best, **words)


@kind("skills", 4)
def strong(t: TaskBuilder) -> Draft:
    """Strong in something at one site, or anywhere in a skill and a will."""
    if t.chance(2):
        names, site = [t.pick(sorted(t.firm.called))], _site(t)
        t.twist("location")
        people, where = [one for one in t.firm.employees if one.location == site], f"at {site} "
    else:
        names = [t.pick(sorted(t.firm.skills)), t.pick(sorted(t.firm.wills))]
        people, where = [*t.firm.employees], ""
    least = t.policy.strong
    found = [one.id for one in people if all(one.levels.get(n, 0) >= least for n in names)]
    t.insist(len(found) <= _MANY)
    t.twist("threshold")
    t.reads("strong")
    proof = f"Strong is {least} or more; {' and '.join(names)}: {t.names(found)}."
    answer = Answer(proof, {"employee": t.no_outsider(found)})
    name, also = (
        t.firm.called[names[0]],
        "".join(f" and in '{t.firm.called[n]}'" for n in names[1:]),
    )
    return t.ask(anywhere("levels"), answer, where=where, name=name, also=also)


@kind("skills", 1)
def freest_keen(t: TaskBuilder) -> Draft:
    """The least busy with a strong will, of these the keenest; others as free may be linked."""
    will = t.pick(sorted(t.firm.wills))
    keen = [one for one in t.firm.employees if one.levels.get(will, 0) >= t.policy.strong]
    freest, loads = t.ranked(t.loads(keen), most=False)
    best, wills = t.ranked(_having(map(t.person, freest), will))
    t.twist("workload", "tie")
    t.reads("strong", "best")
    proof = f"{will} at {t.policy.strong} or more, loads: {loads}. Of the freest, levels: {wills}."
    answer = Answer(proof, {"employee": best}, may_link={"employee": freest})
    needs = anywhere("levels", "load")
    return t.ask(needs, answer, lambda one: one.id not in best, will=t.firm.wills[will])


@kind("skills")
def coaches(t: TaskBuilder) -> Draft:
    """The best coach by the sum of levels ahead; whoever is ahead in anything may be linked."""
    who = t.pick([one for one in t.staff() if one.skills])
    ahead = {
        one.id: sum(max(0, one.skills.get(s, 0) - level) for s, level in who.skills.items())
        for one in t.firm.employees
        if one.id != who.id
    }
    best, listed = t.ranked(ahead)
    t.twist("sum")
    t.reads("best")
    may = [one for one, total in ahead.items() if total]
    proof = f"Sums of levels ahead of {who.name}: {listed}."
    answer = Answer(proof, {"employee": best}, may_link={"employee": may})
    needs = anywhere("levels")
    return t.ask(needs, answer, lambda one: one.id not in best, person=t.called(who))


@kind("skills")
def weakest(t: TaskBuilder) -> Draft:
    """The lowest level in a department all of whom have one."""
    skill, department = t.pick(sorted(t.firm.skills)), _department(t)
    people = [one for one in t.firm.employees if one.department == department]
    t.insist(all(skill in one.skills for one in people))
    least, listed = t.ranked(_having(people, skill), most=False)
    t.twist("tie", when=len(least) > 1)
    answer = Answer(f"{skill}, lowest first: {listed}.", {"employee": least})
    return t.ask(anywhere("levels"), answer, skill=t.firm.skills[skill], department=department)


@kind("skills")
def team_will(t: TaskBuilder) -> Draft:
    """What a team would like most, by sums; the Lead asks, if Leads may."""
    project = t.project(lambda one: len(one.team) > 1)
    team = [t.person(who) for who in project.members]
    sums = {will: sum(one.wills.get(will, 0) for one in team) for will in t.firm.wills}
    best = max(sums, key=lambda will: sums[will])
    others = tuple(will for will in sums if will != best)
    t.insist(all(sums[w] < sums[best] and best not in w and w not in best for w in others))
    needs, lead = t.on(project, "levels"), t.person(project.lead)
    t.twist("sum")
    links: Links = {"project": [project.id]}
    answer = Answer(f"Sums on {project.name}: {sums}.", links, contains=(best,), excludes=others)
    may = t.may(lead, needs)
    return t.ask(needs, answer, lambda one: not may or one == lead, project=t.thing(project))


@kind("skills", 1)
def my_gaps(t: TaskBuilder) -> Draft:
    """Which skills the requester does not have."""
    needs = anywhere("own_levels")
    who = t.someone(lambda one: bool(one.skills) and t.may(one, needs) == (t.mode == "may"))
    gaps = tuple(skill for skill in t.firm.skills if skill not in who.skills)
    t.insist(bool(gaps) and not any(own in gap for own in who.skills for gap in gaps))
    t.twist("self")
    proof = f"{who.name} has {', '.join(who.skills)}."
    return Draft(who, needs, Answer(proof, contains=gaps, excludes=tuple(who.skills)), {})
