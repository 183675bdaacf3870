"""Questions whose answer is a set of projects, customers or people."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from workshop.generators.company.ask import (
    NOT_FOUND,
    OK,
    Answer,
    LinkKind,
    Links,
    Need,
    View,
    links,
    need,
)
from workshop.generators.company.policy import LEAD
from workshop.generators.company.records import Project


def _ids(projects: list[Project]) -> str:
    return ", ".join(f"{p.name} ({p.status})" for p in projects) or "none"


def _mine(view: View) -> list[Project]:
    """What the asker calls "my projects", by the company's own definition."""
    firm = view.firm
    return firm.led_by(view.me) if view.policy.mine == LEAD else firm.projects_of(view.me)


def _projects(proof: str, projects: list[Project], person: str | None = None) -> Answer:
    """The exact set of projects, and the person asked about; nothing is an answer of its own."""
    wanted: dict[LinkKind, Links] = {"project": links(project.id for project in projects)}
    if not projects:
        return Answer(proof, NOT_FOUND, links=wanted)
    if person:
        wanted["employee"] = links([person])
    return Answer(proof, links=wanted)


@dataclass(frozen=True, slots=True)
class ProjectsOf:
    """All projects that somebody is on."""

    person: str

    def needs(self, view: View) -> list[Need]:
        """Teams are for everybody inside."""
        return need("register")

    def answer(self, view: View) -> Answer:
        """Every status counts."""
        who = view.firm.employees[self.person]
        found = view.firm.projects_of(who.id)
        return _projects(f"{who.name} is on: {_ids(found)}.", found, who.id)


@dataclass(frozen=True, slots=True)
class MyProjectsWith:
    """Which of the projects that the asker leads have somebody on the team."""

    person: str

    def needs(self, view: View) -> list[Need]:
        """Teams are for everybody inside."""
        return need("register")

    def answer(self, view: View) -> Answer:
        """Projects that both are on and another leads are not the asker's."""
        who = view.firm.employees[self.person]
        both = [p for p in view.firm.projects_of(view.me) if p.seat(who.id)]
        mine = _mine(view)
        found = [p for p in both if p in mine]
        others = [p for p in both if p not in mine]
        verb = "leads" if view.policy.mine == LEAD else "is on"
        proof = f"The asker {verb} {_ids(mine)}; of these with {who.name}: {_ids(found)}."
        if others:
            proof += f" Led by another, though both are on it: {_ids(others)}."
        return _projects(proof, found)


@dataclass(frozen=True, slots=True)
class MyProjectsWithout:
    """Which of the projects that the asker leads have nobody in a role."""

    role: str

    def needs(self, view: View) -> list[Need]:
        """Teams are for everybody inside."""
        return need("register")

    def answer(self, view: View) -> Answer:
        """Of any status."""
        mine = _mine(view)
        found = [p for p in mine if all(seat.role != self.role for seat in p.team)]
        return _projects(f"Of {_ids(mine)} without {self.role}: {_ids(found)}.", found)


@dataclass(frozen=True, slots=True)
class Shared:
    """The projects that two people are both on."""

    one: str
    other: str

    def needs(self, view: View) -> list[Need]:
        """Teams are for everybody inside."""
        return need("register")

    def answer(self, view: View) -> Answer:
        """Of any status and in any role."""
        found = [p for p in view.firm.projects_of(self.one) if p.seat(self.other)]
        each = "; ".join(_ids(view.firm.projects_of(who)) for who in (self.one, self.other))
        return _projects(f"Their projects: {each}. Both: {_ids(found)}.", found)


@dataclass(frozen=True, slots=True)
class MostProjects:
    """Customers of a standing with most projects of a status, all where they tie."""

    level: str
    status: str

    def needs(self, view: View) -> list[Need]:
        """Customers and projects are for everybody inside."""
        return need("register")

    def answer(self, view: View) -> Answer:
        """All that tie."""
        firm = view.firm
        counts = {
            c.id: sum(p.status == self.status for p in firm.of_customer(c.id))
            for c in firm.customers
            if c.level == self.level
        }
        most = max(counts.values())
        told = ", ".join(f"{firm.customers[c].name} {n}" for c, n in counts.items())
        return Answer(
            f"Projects with status {self.status}: {told}.",
            links={"customer": links(c for c, n in counts.items() if n == most)},
        )


@dataclass(frozen=True, slots=True)
class MoreProjects:
    """Which of two customers has more projects; none is linked where they tie."""

    one: str
    other: str

    def needs(self, view: View) -> list[Need]:
        """Customers and projects are for everybody inside."""
        return need("register")

    def answer(self, view: View) -> Answer:
        """The one with more, or none."""
        firm = view.firm
        counts = {c: len(firm.of_customer(c)) for c in (self.one, self.other)}
        told = ", ".join(f"{firm.customers[c].name} {n}" for c, n in counts.items())
        most = [c for c, n in counts.items() if n == max(counts.values())]
        return Answer(
            f"Projects: {told}.",
            links={"customer": links(most if len(most) == 1 else [])},
        )


@dataclass(frozen=True, slots=True)
class MoreBusy:
    """Which of two people is on more projects; both are linked where they tie."""

    one: str
    other: str

    def needs(self, view: View) -> list[Need]:
        """Teams are for everybody inside."""
        return need("register")

    def answer(self, view: View) -> Answer:
        """The one with more, or both."""
        firm = view.firm
        counts = Counter({who: len(firm.projects_of(who)) for who in (self.one, self.other)})
        told = ", ".join(f"{firm.employees[who].name} {n}" for who, n in counts.items())
        most = (who for who, n in counts.items() if n == max(counts.values()))
        return Answer(f"Projects: {told}.", links={"employee": links(most)})


@dataclass(frozen=True, slots=True)
class ManagedBy:
    """The customers that any of some people look after."""

    people: tuple[str, ...]

    def needs(self, view: View) -> list[Need]:
        """Who looks after whom is for everybody inside, unless the page says otherwise."""
        return need("account_manager")

    def answer(self, view: View) -> Answer:
        """The union, each customer once."""
        firm = view.firm
        found = [c for c in firm.customers if c.account_manager in self.people]
        told = "; ".join(
            f"{firm.employees[who].name}: "
            + ", ".join(c.name for c in found if c.account_manager == who)
            for who in self.people
        )
        return Answer(f"{told}.", links={"customer": links(c.id for c in found)})


@dataclass(frozen=True, slots=True)
class OfCustomer:
    """All projects for a customer."""

    customer: str

    def needs(self, view: View) -> list[Need]:
        """Customers and projects are for everybody inside."""
        return need("register")

    def answer(self, view: View) -> Answer:
        """Every status counts."""
        firm = view.firm
        found = firm.of_customer(self.customer)
        told = _projects(f"{firm.customers[self.customer].name} has: {_ids(found)}.", found)
        if not found:
            return told
        return replace(told, links={**told.links, "customer": links([self.customer])})


@dataclass(frozen=True, slots=True)
class MyCustomers:
    """The customers that the asker looks after, of one phase in one country."""

    phase: str
    country: str

    def needs(self, view: View) -> list[Need]:
        """Customers by name are for everybody inside."""
        return need("register", "account_manager")

    def answer(self, view: View) -> Answer:
        """Nobody else's, and nothing is an answer of its own."""
        mine = [c for c in view.firm.customers if c.account_manager == view.me]
        found = [c for c in mine if (c.phase, c.location) == (self.phase, self.country)]
        told = ", ".join(f"{c.name} ({c.phase}, {c.location})" for c in mine)
        return Answer(
            f"The asker looks after: {told}.",
            OK if found else NOT_FOUND,
            links={"customer": links(c.id for c in found)},
        )
