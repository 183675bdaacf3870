"""Tasks whose answer is a set of projects, customers or people."""

from __future__ import annotations

from itertools import combinations

from workshop.generators.company.endless.desk import RequestHandler
from workshop.generators.company.endless.tables import table
from workshop.generators.company.policy import LEAD
from workshop.generators.company.questions import people, sets
from workshop.generators.company.records import Employee, Project
from workshop.generators.company.tasks.bench import Draft


def projects_of(b: RequestHandler) -> Draft:
    """Somebody's projects, archived ones too."""
    who = b.someone(lambda one: len(b.firm.projects_of(one.id)) > 1)
    if any(p.status == "archived" for p in b.firm.projects_of(who.id)):
        b.twist("archived")
    return b.ask(sets.ProjectsOf(who.id), person=b.called(who))


def my_projects_with(b: RequestHandler) -> Draft:
    """By the company's own meaning of "my"; often one that is shared is another's."""
    requester = b.someone(lambda one: len(b.firm.led_by(one.id)) > 0)
    others = {w for p in b.firm.projects_of(requester.id) for w in p.members if w != requester.id}
    decoys = {w for p in _others(b, requester) for w in p.members if w != requester.id}
    who = b.person(b.pick(sorted(decoys or others), "member"))
    if decoys:
        b.twist("decoy")
    b.twist("my-projects", *(("definition",) if b.policy.mine != LEAD else ()))
    return b.draft(requester, sets.MyProjectsWith(who.id), person=b.called(who))


def my_projects_without(b: RequestHandler) -> Draft:
    """A role that is missing in some of the asker's projects."""
    requester = b.someone(lambda one: len(b.firm.led_by(one.id)) > 0)
    role, words = b.pick(
        (("QA", "somebody who answers for quality"), ("Designer", "a designer"), ("Ops", "Ops"))
    )
    b.twist("my-projects", "role-word", *(("definition",) if b.policy.mine != LEAD else ()))
    return b.draft(requester, sets.MyProjectsWithout(role), role=words)


def shared(b: RequestHandler) -> Draft:
    """The projects of two people, often none."""
    busy = [one for one in b.firm.employees if b.firm.projects_of(one.id)]
    one, other = b.pick(combinations(busy, 2))
    if not any(p.seat(other.id) for p in b.firm.projects_of(one.id)):
        b.twist("empty")
    question = sets.Shared(one.id, other.id)
    return b.ask(question, one=b.called(one), other=b.called(other))


def most_projects(b: RequestHandler) -> Draft:
    """Customers of one standing with most projects of one status."""
    level = b.pick(sorted({c.level for c in b.firm.customers}), "level")
    status = b.pick(("exploring", "active"), "status")
    customers = [c.id for c in b.firm.customers if c.level == level]
    counts = [sum(p.status == status for p in b.firm.of_customer(c)) for c in customers]
    if max(counts) == 0:
        raise LookupError(f"{b.spec_id}: none has any")
    if counts.count(max(counts)) > 1:
        b.twist("tie")
    b.twist("two-meanings")
    return b.ask(sets.MostProjects(level, status), level=level, status=status)


def more_projects(b: RequestHandler) -> Draft:
    """Two customers; a draw is an answer."""
    one, other = b.pick(combinations(b.firm.customers, 2))
    if len(b.firm.of_customer(one.id)) == len(b.firm.of_customer(other.id)):
        b.twist("tie")
    question = sets.MoreProjects(one.id, other.id)
    return b.ask(question, one=b.thing(one), other=b.thing(other))


def more_busy(b: RequestHandler) -> Draft:
    """Two people; both where they tie."""
    one, other = b.pick(combinations(b.firm.employees, 2))
    if len(b.firm.projects_of(one.id)) == len(b.firm.projects_of(other.id)):
        b.twist("tie")
    question = sets.MoreBusy(one.id, other.id)
    return b.ask(question, one=b.called(one), other=b.called(other))


def managed_by(b: RequestHandler) -> Draft:
    """The customers of either of two account managers."""
    managers = sorted({c.account_manager for c in b.firm.customers})
    one, other = (b.person(who) for who in b.pick(combinations(managers, 2)))
    b.twist("union")
    question = sets.ManagedBy((one.id, other.id))
    return b.ask(question, one=b.called(one), other=b.called(other))


def my_customers(b: RequestHandler) -> Draft:
    """The asker's own accounts in a country, which other languages call otherwise."""
    customer = b.pick(c for c in b.firm.customers if c.location in _countries("de"))
    requester = b.person(customer.account_manager)
    if b.language != "en":
        b.twist("country-name")
    question = sets.MyCustomers(customer.phase, customer.location)
    return b.draft(requester, question, phase=customer.phase, country=customer.location)


def _countries(language: str) -> dict[str, str]:
    """What a language calls the countries of customers."""
    found: dict[str, str] = table("regions")["called"][language]
    return found


def of_customer(b: RequestHandler) -> Draft:
    """A customer's projects, or none."""
    customer = b.pick(b.firm.customers)
    if not b.firm.of_customer(customer.id):
        b.twist("empty")
    return b.ask(sets.OfCustomer(customer.id), customer=b.thing(customer))


def higher_paid_leads(b: RequestHandler) -> Draft:
    """A comparison of pay, which takes the right to see it anywhere."""
    who = b.someone(lambda one: one.group not in b.policy.outsiders)
    b.twist("salary")
    return b.ask(people.HigherPaidLeads(who.id), person=b.called(who))


def _others(b: RequestHandler, requester: Employee) -> list[Project]:
    return [p for p in b.firm.projects_of(requester.id) if p.lead != requester.id]
