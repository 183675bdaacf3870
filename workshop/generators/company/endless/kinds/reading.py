"""Tasks that one record answers."""

from __future__ import annotations

from workshop.generators.company.endless.desk import RequestHandler
from workshop.generators.company.questions import reads
from workshop.generators.company.records import Employee
from workshop.generators.company.resolve import Said
from workshop.generators.company.tasks.bench import Draft, first, surname


def lead_of(b: RequestHandler) -> Draft:
    """Who leads a project, archived or not."""
    project = b.project(lambda _: True)
    if project.status == "archived":
        b.twist("archived")
    return b.ask(reads.LeadOf(project.id), project=b.thing(project))


def my_role(b: RequestHandler) -> Draft:
    """The asker's own role."""
    project, who = b.pick((p, w) for p in b.firm.projects for w in p.members if w != p.lead)
    b.twist("self")
    return b.draft(b.person(who), reads.RoleIn(project.id), project=b.thing(project))


def role_of(b: RequestHandler) -> Draft:
    """Somebody's role, by a family name that others have too where there is one."""
    project, who = b.pick((p, w) for p in b.firm.projects for w in p.members)
    person = b.called(b.person(who))
    same = _same(b, b.person(who), 1)
    if len(same) > 1 and len(same & {*project.members}) == 1:
        b.twist("same-surname")
        person = surname(b.person(who), project)
    return b.ask(reads.RoleIn(project.id, who), person=person, project=b.thing(project))


def member_as(b: RequestHandler) -> Draft:
    """The one who has a role on a team."""
    seats = ((p, seat.role) for p in b.firm.projects for seat in p.team if seat.role != "Lead")
    project, role = b.pick(
        (p, role) for p, role in seats if sum(seat.role == role for seat in p.team) == 1
    )
    return b.ask(reads.MemberAs(project.id, role), role=role, project=b.thing(project))


def customer_of(b: RequestHandler) -> Draft:
    """The customer's id; on an own project a mark."""
    own = bool(b.rng("own").randrange(2))
    project = b.project(lambda p: (p.customer == b.firm.own) == own)
    if own:
        b.twist("internal-project")
    return b.ask(reads.CustomerOf(project.id), project=b.thing(project))


def contact_of_project(b: RequestHandler) -> Draft:
    """The contact behind a project: its Lead asks, somebody else of the team, or anybody."""
    project = b.customers_project()
    question = reads.ContactMail(project.customer, project.id)
    fits = b.pick(
        (lambda e: e.id == project.lead, lambda e: e.id in project.members, lambda _: True), "fits"
    )
    return b.draft(b.requester(question, fits), question, project=b.thing(project))


def contact_of_customer(b: RequestHandler) -> Draft:
    """The contact of a customer, who may be named himself."""
    customer = b.pick(b.firm.customers)
    question = reads.ContactMail(customer.id)
    return b.ask(question, customer=b.thing(customer))


def contact_by_name(b: RequestHandler) -> Draft:
    """A name that no employee has."""
    customer = b.pick(b.firm.customers)
    b.twist("customer-contact")
    said = Said("contact", customer.id, customer.contact)
    return b.ask(reads.ContactMail(customer.id), contact=said)


def own_pay(b: RequestHandler) -> Draft:
    """What the asker earns."""
    who = b.someone(lambda one: b.may(one, reads.Pay(one.id)) == (b.mode == "may"))
    b.twist("self", "salary")
    return b.draft(who, reads.Pay(who.id))


def pay_of(b: RequestHandler) -> Draft:
    """What somebody else earns; a Lead asks for the team, an office for its site, if they may."""
    who = b.someone(lambda _: True)
    question = reads.Pay(who.id, department=bool(b.rng("department").randrange(2)))
    b.twist("salary")
    also = " and in which department do they work" if question.department else ""
    requester = b.requester(question, lambda one: one.id != who.id)
    return b.draft(requester, question, person=b.called(who), also=also)


def phone(b: RequestHandler) -> Draft:
    """A number that stands in a note, beside a namesake's."""
    who = b.someone(lambda _: True)
    number = f"+{b.rng('n').randrange(30, 49)} {b.rng('m').randrange(600, 699)} 04 577"
    notes = {who.id: f"Rather called than written to. Phone {number}, never on Fridays."}
    other = next((one for one in sorted(_same(b, who, 1)) if one != who.id), None)
    if other:
        b.twist("same-surname")
        notes[other] = "Phone +48 601 330 918 (for the night shift only)"
    b.twist("note")
    firm = b.firm.noted(notes)
    question = reads.Phone(who.id)
    requester = b.requester(question, lambda one: one.id != who.id)
    return b.draft(requester, question, firm=firm, person=b.called(who))


def phone_nowhere(b: RequestHandler) -> Draft:
    """A note without a number; the wiki has an invented one."""
    who = b.someone(lambda _: True)
    b.twist("note", "empty")
    firm = b.firm.noted({who.id: "Allergic to tomato leaves, not to tomatoes."})
    question = reads.Phone(who.id)
    requester = b.requester(question, lambda one: one.id != who.id)
    return b.draft(requester, question, firm=firm, person=b.called(who))


def mail_of(b: RequestHandler) -> Draft:
    """A colleague's address."""
    who = b.someone(lambda _: True)
    return b.ask(reads.MailOf(who.id), person=b.called(who))


def manager_of(b: RequestHandler) -> Draft:
    """Who looks after a customer."""
    customer = b.pick(b.firm.customers)
    return b.ask(reads.ManagerOf(customer.id), customer=b.thing(customer))


def both_in_charge(b: RequestHandler) -> Draft:
    """Lead and account manager; an own project has the Lead alone."""
    project = b.project(lambda _: True)
    if project.customer == b.firm.own:
        b.twist("internal-project")
    return b.ask(reads.BothInCharge(project.id), project=b.thing(project))


def department_by_first(b: RequestHandler) -> Draft:
    """A first name alone, which one has or several."""
    shared = bool(b.rng("shared").randrange(2))
    who = b.someone(lambda one: (len(_same(b, one, 0)) > 1) == shared)
    if shared:
        b.twist("same-name")
    said = first(who, open_=shared)
    return b.ask(reads.DepartmentByName(said.text), person=said)


def _same(b: RequestHandler, one: Employee, part: int) -> set[str]:
    """Who has the same first (0) or family name (1), in any place of theirs."""
    name = one.name.split(" ", 1)[part]
    return {other.id for other in b.firm.employees if name in other.name.split(" ", 1)}
