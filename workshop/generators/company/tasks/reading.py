"""Tasks at Vinterhage that one record answers."""

from __future__ import annotations

from workshop.generators.company.questions import reads
from workshop.generators.company.records import Employee, Project
from workshop.generators.company.resolve import Said
from workshop.generators.company.tasks.bench import (
    Draft,
    TaskBuilder,
    full,
    last_first,
    named,
    paraphrased,
    surname,
)


def archived_lead(b: TaskBuilder) -> Draft:
    """A member asks who leads a project that is archived, so that a plain search hides it."""
    project = b.project(lambda p: p.status == "archived" and len(p.team) > 2)
    requester = b.person(b.pick(who for who in project.members if who != project.lead))
    return b.draft(requester, reads.LeadOf(project.id), project=paraphrased(project))


def my_role(b: TaskBuilder) -> Draft:
    """A member who is on other projects in another role asks for the own one."""

    def other_roles(seat: tuple[Project, str]) -> bool:
        mine = {p.seat(seat[1]).role for p in b.firm.projects_of(seat[1])}  # type: ignore[union-attr]
        return len(mine) > 1

    seats = ((p, who) for p in b.firm.projects for who in p.members if p.lead != who)
    project, who = b.pick(filter(other_roles, seats))
    return b.draft(b.person(who), reads.RoleIn(project.id), project=paraphrased(project))


def own_mark(b: TaskBuilder) -> Draft:
    """The Lead of one of the company's own projects asks for its customer's id."""
    project = b.project(lambda p: p.customer == b.firm.own and p.status == "active")
    return b.draft(
        b.person(project.lead), reads.CustomerOf(project.id), project=paraphrased(project)
    )


def contact_person(b: TaskBuilder) -> Draft:
    """A name that no employee has: a customer's contact."""
    customer = b.pick(b.firm.customers)
    said = Said("contact", customer.id, customer.contact)
    return b.draft(b.of("board"), reads.ContactMail(customer.id), contact=said)


def project_contact(b: TaskBuilder) -> Draft:
    """The Lead may know the contact, though the account is somebody else's."""
    project = b.project(
        lambda p: (
            p.customer in b.firm.customers
            and b.firm.customers[p.customer].account_manager != p.lead
        )
    )
    question = reads.ContactMail(project.customer, project.id)
    return b.draft(b.person(project.lead), question, project=paraphrased(project))


def pay_department(b: TaskBuilder) -> Draft:
    """A family name that others share, in front of the first name."""
    who = b.someone(lambda one: one.group == "staff" and len(_surnames(b, one)) > 2)
    return b.draft(b.of("people"), reads.Pay(who.id, True), person=last_first(who))


def surname_role(b: TaskBuilder) -> Draft:
    """A family name that several have, one of them on the team."""

    def fits(seat: tuple[Project, str]) -> bool:
        shared = {one.id for one in _surnames(b, b.person(seat[1]))}
        return len(shared) > 2 and len(shared & {*seat[0].members}) == 1

    project, who = b.pick(filter(fits, ((p, w) for p in b.firm.projects for w in p.members)))
    person = surname(b.person(who), project)
    question = reads.RoleIn(project.id, who)
    return b.draft(b.of("people"), question, person=person, project=named(project))


def phone(b: TaskBuilder) -> Draft:
    """The number stands in a note; a namesake's note has another one."""
    who = b.someone(lambda one: len(_surnames(b, one)) > 1)
    other = b.pick((one for one in _surnames(b, who) if one.id != who.id), "namesake")
    firm = b.firm.noted(
        {
            who.id: "Rather called than written to. Phone +370 612 04 577, never on Fridays.",
            other.id: "Phone +48 601 330 918 (for the night shift only)",
        }
    )
    return b.draft(b.of("board"), reads.Phone(who.id), firm=firm, person=full(who))


def phone_nowhere(b: TaskBuilder) -> Draft:
    """A note without a number; the wiki has an invented one."""
    who = b.someone(lambda one: one.group == "staff")
    firm = b.firm.noted({who.id: "Allergic to tomato leaves, not to tomatoes."})
    return b.draft(b.of("board"), reads.Phone(who.id), firm=firm, person=last_first(who))


def _surnames(b: TaskBuilder, one: Employee) -> list[Employee]:
    last = one.name.split(" ", 1)[1]
    return [other for other in b.firm.employees if other.name.split(" ", 1)[1] == last]
