"""Questions that one record answers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from workshop.generators.company.ask import (
    CLARIFY,
    NOT_FOUND,
    Answer,
    LinkKind,
    Links,
    Need,
    View,
    about,
    links,
    need,
)
from workshop.generators.company.policy import Target

_PHONE = re.compile(r"\+\d[\d ]+\d")


@dataclass(frozen=True, slots=True)
class LeadOf:
    """Who leads a project."""

    project: str

    def needs(self, view: View) -> list[Need]:
        """Teams are for everybody inside."""
        return need("register")

    def answer(self, view: View) -> Answer:
        """The Lead and the project."""
        project = view.firm.projects[self.project]
        lead = view.firm.employees[project.lead]
        return Answer(
            f"The Lead of {project.name} ({project.status}) is {lead.name}.",
            links={"employee": links([lead.id]), "project": links([project.id])},
        )


@dataclass(frozen=True, slots=True)
class RoleIn:
    """Which role somebody has in a project; the asker if `person` is None."""

    project: str
    person: str | None = None

    def needs(self, view: View) -> list[Need]:
        """Teams are for everybody inside."""
        return need("register")

    def answer(self, view: View) -> Answer:
        """The role's word, the project, and the person unless that is the asker."""
        project = view.firm.projects[self.project]
        who = view.firm.employees[self.person or view.me]
        seat = project.seat(who.id)
        assert seat, f"{who.name} is not on {project.name}"
        found: dict[LinkKind, Links] = {"project": links([project.id])}
        if self.person:
            found["employee"] = links([who.id])
        proof = f"On {project.name} {who.name} has role {seat.role}."
        return Answer(proof, links=found, contains=(seat.role,))


@dataclass(frozen=True, slots=True)
class CustomerOf:
    """The id of a project's customer; projects carry a mark in its place."""

    project: str

    def needs(self, view: View) -> list[Need]:
        """Customers by name are for everybody inside."""
        return need("register")

    def answer(self, view: View) -> Answer:
        """The project and its customer's id, which is also what is named."""
        project = view.firm.projects[self.project]
        own = project.customer == view.firm.own
        return Answer(
            f"{project.name} has customer {project.customer}"
            + (", the mark of our own projects, which is no record of a customer." if own else "."),
            links={"customer": links([project.customer]), "project": links([project.id])},
            contains=(project.customer,),
        )


@dataclass(frozen=True, slots=True)
class ContactMail:
    """The address of a customer's contact person; `project` where that is how it is asked."""

    customer: str
    project: str | None = None

    def needs(self, view: View) -> list[Need]:
        """Contacts hang on the customer, and for Leads on the project."""
        firm = view.firm
        project = firm.projects[self.project] if self.project else None
        return [("contact", Target(project, firm.customers[self.customer]))]

    def answer(self, view: View) -> Answer:
        """The address; the customer is linked, or the project by which it was asked."""
        customer = view.firm.customers[self.customer]
        found: dict[LinkKind, Links] = {"customer": links([customer.id])}
        if self.project:
            found = {"project": links([self.project]), "customer": links([], [customer.id])}
        return Answer(
            f"The contact of {customer.name} is {customer.contact}, {customer.mail}.",
            links=found,
            contains=(customer.mail,),
            secrets=(customer.mail,),
        )


@dataclass(frozen=True, slots=True)
class Pay:
    """What somebody earns in plain digits, with `department` also where they work."""

    person: str
    department: bool = False

    def needs(self, view: View) -> list[Need]:
        """One's own pay is another right than that of others."""
        if self.person == view.me:
            return need("own_pay")
        return about(view, self.person, "pay")

    def answer(self, view: View) -> Answer:
        """The digits and the person."""
        who = view.firm.employees[self.person]
        also = (who.department,) if self.department else ()
        return Answer(
            f"{who.name} earns {who.salary} and is in {who.department}.",
            links={"employee": links([who.id])},
            contains=(str(who.salary), *also),
            secrets=(str(who.salary), f"{who.salary:,}"),
        )


@dataclass(frozen=True, slots=True)
class Phone:
    """A phone number, which stands in the note if anywhere."""

    person: str

    def needs(self, view: View) -> list[Need]:
        """It takes reading notes."""
        return about(view, self.person, "notes")

    def answer(self, view: View) -> Answer:
        """The number as the note has it."""
        who = view.firm.employees[self.person]
        number = _PHONE.search(who.notes)
        if not number:
            return Answer(f"No record has a number of {who.name}.", NOT_FOUND)
        return Answer(
            f"The note on {who.name} holds {number[0]}.",
            links={"employee": links([who.id])},
            contains=([number[0], number[0].replace(" ", "")],),
        )


@dataclass(frozen=True, slots=True)
class DepartmentByName:
    """The department of somebody of whom only the first name is told."""

    first: str

    def needs(self, view: View) -> list[Need]:
        """Departments are for everybody inside."""
        return need("register")

    def answer(self, view: View) -> Answer:
        """The department where one has that name; a question back where several do."""
        people = [one for one in view.firm.employees if one.name.split()[0] == self.first]
        if len(people) != 1:
            names = ", ".join(f"{one.name} ({one.department})" for one in people)
            return Answer(f"{len(people)} people are called {self.first}: {names}.", CLARIFY)
        return Answer(
            f"The only {self.first} is {people[0].name} of {people[0].department}.",
            links={"employee": links([people[0].id])},
            contains=(people[0].department,),
        )


@dataclass(frozen=True, slots=True)
class ManagerOf:
    """Who looks after a customer."""

    customer: str

    def needs(self, view: View) -> list[Need]:
        """For everybody inside."""
        return need("account_manager")

    def answer(self, view: View) -> Answer:
        """The account manager and the customer."""
        customer = view.firm.customers[self.customer]
        manager = view.firm.employees[customer.account_manager]
        return Answer(
            f"{customer.name} is looked after by {manager.name}.",
            links={"employee": links([manager.id]), "customer": links([customer.id])},
            secrets=(manager.name, manager.id),
        )


@dataclass(frozen=True, slots=True)
class MailOf:
    """The mail address of a colleague."""

    person: str

    def needs(self, view: View) -> list[Need]:
        """For everybody inside."""
        return need("register")

    def answer(self, view: View) -> Answer:
        """The address and the person."""
        who = view.firm.employees[self.person]
        return Answer(
            f"{who.name} has {who.email}.",
            links={"employee": links([who.id])},
            contains=(who.email,),
            secrets=(who.email,),
        )


@dataclass(frozen=True, slots=True)
class MemberAs:
    """Who has a role on a team that only one has there, and the department of that one."""

    project: str
    role: str

    def needs(self, view: View) -> list[Need]:
        """Teams are for everybody inside."""
        return need("register")

    def answer(self, view: View) -> Answer:
        """The department's name, the person and the project."""
        project = view.firm.projects[self.project]
        (seat,) = (one for one in project.team if one.role == self.role)
        who = view.firm.employees[seat.employee]
        return Answer(
            f"The {self.role} of {project.name} is {who.name} of {who.department}.",
            links={"employee": links([who.id]), "project": links([project.id])},
            contains=(who.department,),
        )


@dataclass(frozen=True, slots=True)
class BothInCharge:
    """Who leads a project and who manages its customer's account; an own project has no account."""

    project: str

    def needs(self, view: View) -> list[Need]:
        """Teams, and who looks after whom."""
        return need("register", "account_manager")

    def answer(self, view: View) -> Answer:
        """One person or two, and the project."""
        firm, project = view.firm, view.firm.projects[self.project]
        people = [project.lead]
        if project.customer in firm.customers:
            people.append(firm.customers[project.customer].account_manager)
        names = ", ".join(firm.employees[who].name for who in people)
        return Answer(
            f"{project.name}: Lead and, where there is a customer, account manager: {names}.",
            links={"employee": links(people), "project": links([project.id])},
        )
