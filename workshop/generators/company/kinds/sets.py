"""Tasks whose answer is a set of projects, customers or people."""

from __future__ import annotations

from itertools import combinations

from workshop.generators.company.policy import LEAD
from workshop.generators.company.records import Employee, Project
from workshop.generators.company.tables import table
from workshop.generators.company.task import (
    Answer,
    Draft,
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


def _leader(t: TaskBuilder) -> tuple[Employee, list[Project]]:
    """Somebody who leads projects, and what they call theirs by the company's own definition."""
    who = t.someone(lambda one: bool(t.firm.led_by(one.id)))
    by_lead = t.policy.mine == LEAD
    t.reads("mine")
    t.twist("my-projects", *["definition"] * (not by_lead))
    return who, t.firm.led_by(who.id) if by_lead else t.firm.projects_of(who.id)


@kind("set", 3)
def my_projects_with(t: TaskBuilder) -> Draft:
    """By the company's own meaning of "my"; often one that both are on is another's."""
    requester, mine = _leader(t)
    on = t.firm.projects_of(requester.id)
    others = {w for p in on for w in p.members if p.lead != requester.id} - {requester.id}
    members = {w for p in on for w in p.members} - {requester.id}
    who = t.person(t.pick(sorted(others or members)))
    found = [one for one in mine if one.seat(who.id)]
    t.twist("decoy", when=bool(others))
    t.twist("empty", when=not found)
    answer = _projects(f"Of the {len(mine)} projects of {requester.name} with {who.name}", found)
    return Draft(requester, anywhere("register"), answer, {"person": t.called(who)})


@kind("set")
def my_projects_without(t: TaskBuilder) -> Draft:
    """A role that is missing in some of the requester's projects."""
    requester, mine = _leader(t)
    quality = ("QA", "somebody who answers for quality")
    role, words = t.pick([quality, ("Designer", "a designer"), ("Ops", "Ops")])
    t.twist("role-word", when=role == "QA")
    found = [one for one in mine if all(seat.role != role for seat in one.team)]
    answer = _projects(f"Of the {len(mine)} projects of {requester.name} without {role}", found)
    return Draft(requester, anywhere("register"), answer, {"role": words})


@kind("set")
def shared(t: TaskBuilder) -> Draft:
    """The projects of two people, often none."""
    busy = [one for one in t.firm.employees if t.firm.projects_of(one.id)]
    one, other = t.rng.sample(busy, 2)
    if t.chance(2):
        project = t.project(lambda p: len(p.team) > 1)
        one, other = map(t.person, t.rng.sample(project.members, 2))
    found = [p for p in t.firm.projects_of(one.id) if p.seat(other.id)]
    t.twist("empty", when=not found)
    answer = _projects(f"{one.name} and {other.name} are both on", found)
    return t.ask(anywhere("register"), answer, one=t.called(one), other=t.called(other))


@kind("set")
def most_projects(t: TaskBuilder) -> Draft:
    """Customers of one standing with most projects of one status, which is no phase."""
    level = t.pick(sorted({one.level for one in t.firm.customers}))
    status = t.pick(("exploring", "active"))
    counts = {
        one.id: sum(p.status == status for p in t.firm.of_customer(one.id))
        for one in t.firm.customers
        if one.level == level
    }
    best = [one for one, count in counts.items() if count == max(counts.values())]
    t.insist(max(counts.values()) > 0)
    t.twist("two-meanings", *["tie"] * (len(best) > 1))
    answer = Answer(f"Projects with status {status}: {counts}.", {"customer": best})
    return t.ask(anywhere("register"), answer, level=level, status=status)


@kind("set", 3)
def more_projects(t: TaskBuilder) -> Draft:
    """Two customers; a draw is an answer; of one that is no customer of ours we ask back."""
    one, other = t.rng.sample([*t.firm.customers], 2)
    if t.chance(3):
        name = t.unknown_customer()
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
def more_busy(t: TaskBuilder) -> Draft:
    """Two people; both where they tie."""
    one, other = t.rng.sample([*t.firm.employees], 2)
    counts = {who.id: len(t.firm.projects_of(who.id)) for who in (one, other)}
    most = [who for who, count in counts.items() if count == max(counts.values())]
    t.insist(any(counts.values()))
    t.twist("tie", when=len(most) > 1)
    answer = Answer(f"Projects: {counts}.", {"employee": most})
    return t.ask(anywhere("register"), answer, one=t.called(one), other=t.called(other))


@kind("set")
def managed_by(t: TaskBuilder) -> Draft:
    """The customers of either of two account managers."""
    managers = sorted({one.account_manager for one in t.firm.customers})
    one, other = map(t.person, t.pick(list(combinations(managers, 2))))
    found = [c for c in t.firm.customers if c.account_manager in (one.id, other.id)]
    t.twist("union")
    listed = ", ".join(f"{c.name} ({t.names([c.account_manager])})" for c in found)
    answer = Answer(f"{listed}.", {"customer": [c.id for c in found]})
    return t.ask(anywhere("account_manager"), answer, one=t.called(one), other=t.called(other))


@kind("set")
def my_customers(t: TaskBuilder) -> Draft:
    """The requester's own accounts in a country, which other languages call otherwise."""
    said = table("phrases")["said"]
    customer = t.pick([one for one in t.firm.customers if one.location in said])
    requester = t.person(customer.account_manager)
    mine = [one for one in t.firm.customers if one.account_manager == requester.id]
    asked = (customer.phase, customer.location)
    found = [one.id for one in mine if (one.phase, one.location) == asked]
    listed = ", ".join(f"{one.name} ({one.phase}, {one.location})" for one in mine)
    answer = Answer(f"{requester.name} looks after: {listed}.", {"customer": found})
    words: Words = {"phase": customer.phase, "country": customer.location}
    return Draft(requester, anywhere("register", "account_manager"), answer, words)


@kind("set")
def of_customer(t: TaskBuilder) -> Draft:
    """A customer's projects of any status, or none."""
    customer = t.pick(t.firm.customers)
    projects = t.firm.of_customer(customer.id)
    t.twist("empty", when=not projects)
    answer = _projects(f"For {customer.name}", projects, {"customer": [customer.id]})
    return t.ask(anywhere("register"), answer, customer=t.thing(customer))


@kind("salary")
def higher_paid_leads(t: TaskBuilder) -> Draft:
    """A comparison of pay, strictly more, which takes the right to see it anywhere."""
    who = t.pick(t.staff())
    leads = sorted({project.lead for project in t.firm.projects})
    found = [lead for lead in leads if t.person(lead).salary > who.salary]
    t.twist("salary")
    proof = f"{who.name} earns {who.salary}; of {len(leads)} Leads more: {t.names(found)}."
    answer = Answer(proof, {"employee": found}, "ok_answer" if found else "ok_not_found")
    return t.ask(anywhere("pay"), answer, person=t.called(who))
