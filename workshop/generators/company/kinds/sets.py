"""Tasks whose answer is a set of records, or those that are ahead: load, levels, pay."""

from __future__ import annotations

from workshop.generators.company.policy import LEAD, table
from workshop.generators.company.records import Project
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


def _projects(proof: str, projects: list[Project], more: Links | None = None) -> Answer:
    """The exact set of projects with `more` links; that there is none is an answer of its own."""
    listed = ", ".join(f"{one.name} ({one.status})" for one in projects) or "none"
    if not projects:
        return Answer(f"{proof}: none.", {"project": []}, "ok_not_found")
    links: Links = {"project": [one.id for one in projects]}
    return Answer(f"{proof}: {listed}.", {**links, **(more or {})})


@kind("set", 3)
def projects_of(t: TaskBuilder) -> Draft:
    """Somebody's projects, archived ones too."""
    who = t.someone(lambda one: len(t.firm.projects_of(one.id)) > 1)
    projects = t.firm.projects_of(who.id)
    t.twist("archived", when=any(one.status == "archived" for one in projects))
    answer = _projects(f"{who.name} is on", projects, {"employee": [who.id]})
    return t.ask(anywhere("register"), answer, person=t.called(who))


@kind("set", 3)
def my_projects_with(t: TaskBuilder) -> Draft:
    """By the company's own meaning of "my"; often one that both are on is another's."""
    requester = t.someone(lambda one: bool(t.firm.led_by(one.id)))
    by_lead = t.policy.mine == LEAD
    t.twist("my-projects", *["definition"] * (not by_lead))
    on = t.firm.projects_of(requester.id)
    mine = t.firm.led_by(requester.id) if by_lead else on
    others = {w for p in on for w in p.members if p.lead != requester.id} - {requester.id}
    members = {w for p in on for w in p.members} - {requester.id}
    who = t.person(t.pick(sorted(others or members)))
    projects = [one for one in mine if one.seat(who.id)]
    t.twist("decoy", when=bool(others))
    t.twist("empty", when=not projects)
    answer = _projects(f"Of the {len(mine)} projects of {requester.name} with {who.name}", projects)
    return Draft(requester, anywhere("register"), answer, {"person": t.called(who)})


@kind("set", 3)
def more_projects(t: TaskBuilder) -> Draft:
    """Two customers; a draw is an answer; a name that is not a customer needs clarification."""
    one, other = t.rng.sample([*t.firm.customers.values()], 2)
    if t.chance(3):
        words = table("regions")["customers"]
        known = " ".join(customer.name for customer in t.firm.customers.values())
        town = t.pick([town for town, _ in words["towns"] if town not in known])
        sector = t.pick([sector for sector, *_ in words["sectors"] if sector not in known])
        name = f"{town} {sector}"
        t.twist("no-such-customer")
        proof = f"No record of a customer fits {name!r}."
        answer = Answer(proof, outcome="none_clarification_needed")
        return t.ask(anywhere("register"), answer, one=t.thing(one), other=name)
    a, b = (len(t.firm.of_customer(customer.id)) for customer in (one, other))
    t.twist("tie", when=a == b)
    best = [] if a == b else [one.id if a > b else other.id]
    answer = Answer(f"{one.name} has {a}, {other.name} {b}.", {"customer": best})
    return t.ask(anywhere("register"), answer, one=t.thing(one), other=t.thing(other))


@kind("set")
def of_customer(t: TaskBuilder) -> Draft:
    """A customer's projects of any status, or none."""
    customer = t.pick(t.firm.customers.values())
    projects = t.firm.of_customer(customer.id)
    t.twist("empty", when=not projects)
    answer = _projects(f"For {customer.name}", projects, {"customer": [customer.id]})
    return t.ask(anywhere("register"), answer, customer=t.thing(customer))


@kind("salary")
def higher_paid_leads(t: TaskBuilder) -> Draft:
    """A comparison of pay, strictly more, which takes the right to see it anywhere."""
    who = t.pick(t.staff())
    leads = sorted({project.lead for project in t.firm.projects.values()})
    richer = [lead for lead in leads if t.person(lead).salary > who.salary]
    t.twist("salary")
    proof = f"{who.name} earns {who.salary}; of {len(leads)} Leads more: {t.names(richer)}."
    answer = Answer(proof, {"employee": richer}, "ok_answer" if richer else "ok_not_found")
    return t.ask(anywhere("pay"), answer, person=t.called(who))


_FEW = 3
"""A comparison is of so many at least."""
_MANY = 12
"""An answer lists so many people at most."""


def _site(t: TaskBuilder) -> str:
    """A site with some people, as the register writes it."""
    places = [one.location for one in t.people]
    return t.pick([site for site in t.firm.places if places.count(site) >= _FEW])


@kind("workload", 3)
def load_of(t: TaskBuilder) -> Draft:
    """Somebody's load, of which some may not count."""
    who = t.someone(lambda one: len(t.firm.projects_of(one.id)) != 1)
    load = t.loads([who])[who.id]
    seats = [(p, p.seat(who.id)) for p in t.firm.projects_of(who.id)]
    t.twist("threshold-of-status", when=any(p.status not in t.policy.load for p, _ in seats))
    listed = ", ".join(f"{p.name} ({p.status}) {seat.time_slice}" for p, seat in seats if seat)
    proof = f"{who.name}: {listed or 'no projects'}; {', '.join(t.policy.load)} count: {load}."
    answer = Answer(proof, {"employee": [who.id]}, contains=(f"{load:.1f}",))
    return t.ask(t.on(who, "load"), answer, person=t.called(who))


@kind("workload", 3)
def load_rank(t: TaskBuilder) -> Draft:
    """The most or the least loaded of a department, or at a site; 0.0 is a load."""
    much = t.pick(("most", "least"))
    if t.chance(2):
        staff = [one.department for one in t.staff()]
        where = t.pick(sorted({name for name in staff if staff.count(name) >= _FEW}))
        people = [one for one in t.people if one.department == where]
    else:
        site = _site(t)
        t.twist("town")
        where = t.firm.places[site][0]
        people = [one for one in t.people if one.location == site]
    best, listed = t.ranked(t.loads(people), most=much == "most")
    t.twist("tie", when=len(best) > 1)
    proof = f"Shares over {', '.join(t.policy.load)} projects, {where}: {listed}. {len(best)} best."
    return t.ask(anywhere("load"), Answer(proof, {"employee": best}), where=where, much=much)


@kind("skills", 3)
def best_elsewhere(t: TaskBuilder) -> Draft:
    """The best in a skill who is not on a team, or not at a site."""
    skill = t.pick(sorted(t.firm.skills))
    words: Words = {"skill": t.firm.skills[skill]}
    links: dict[LinkKind, list[str]] = {}
    if t.chance(2):
        project = t.project()
        t.twist("not-in-team")
        people = [one for one in t.people if not project.seat(one.id)]
        words |= {"there": "on the team of ", "where": t.thing(project)}
        links["project"] = [project.id]
    else:
        site = t.pick(sorted(t.firm.places))
        t.twist("not-already-there")
        people = [one for one in t.people if one.location != site]
        words |= {"there": "at our site in ", "where": t.firm.places[site][0]}
    best, listed = t.ranked(
        {one.id: one.skill_levels[skill] for one in people if skill in one.skill_levels}
    )
    # The project is a measure of the question alone: a link to it is neither due nor wrong.
    answer = Answer(f"{skill}, elsewhere: {listed}.", {"employee": best}, may_link=links)
    return t.ask(anywhere("levels"), answer, lambda one: one.id not in best, **words)


@kind("skills", 4)
def strong(t: TaskBuilder) -> Draft:
    """Strong in something at one site, or anywhere in a skill and a will."""
    if t.chance(2):
        names, site = [t.pick(sorted(t.firm.called))], _site(t)
        t.twist("location")
        people, where = [one for one in t.people if one.location == site], f"at {site} "
    else:
        names = [t.pick(sorted(t.firm.skills)), t.pick(sorted(t.firm.wills))]
        people, where = t.people, ""
    least = t.policy.strong
    ids = [one.id for one in people if all(one.levels.get(n, 0) >= least for n in names)]
    t.insist(len(ids) <= _MANY)
    t.twist("threshold")
    proof = f"Strong is {least} or more; {' and '.join(names)}: {t.names(ids)}."
    answer = Answer(proof, {"employee": t.no_outsider(ids)})
    name, also = (
        t.firm.called[names[0]],
        "".join(f" and in '{t.firm.called[n]}'" for n in names[1:]),
    )
    return t.ask(anywhere("levels"), answer, where=where, name=name, also=also)
