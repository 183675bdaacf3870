"""Questions that compare people: load, pay of Leads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from workshop.generators.company.ask import NOT_FOUND, OK, Answer, Need, View, about, links, need
from workshop.generators.company.records import Employee

_SHOWN = 6
"""So many of a ranking stand in a proof."""


def ranked(view: View, values: Mapping[str, Decimal | int], most: bool) -> tuple[list[str], str]:
    """All who share the best value, and the head of the ranking in words."""
    if not values:
        return [], "nobody"
    best = (max if most else min)(values.values())
    order = sorted(values, key=lambda who: (-values[who] if most else values[who], who))
    told = ", ".join(f"{view.firm.employees[who].name} {values[who]}" for who in order[:_SHOWN])
    more = f" and {len(order) - _SHOWN} more" if len(order) > _SHOWN else ""
    return [who for who in order if values[who] == best], f"{told}{more}"


def loads(view: View, people: Iterable[Employee]) -> dict[str, Decimal]:
    """The load of each by the company's own rule."""
    return {one.id: view.firm.load(one.id, view.policy.load) for one in people}


@dataclass(frozen=True, slots=True)
class LoadRank:
    """Who of a department or at a site is most or least busy, all where they tie."""

    most: bool
    department: str | None = None
    location: str | None = None

    def needs(self, view: View) -> list[Need]:
        """Loads are not for everybody."""
        return need("load")

    def answer(self, view: View) -> Answer:
        """Everybody with the extreme load; 0.0 is a load."""
        people = [
            one
            for one in view.firm.employees
            if self.department in (None, one.department) and self.location in (None, one.location)
        ]
        best, told = ranked(view, loads(view, people), self.most)
        statuses = ", ".join(view.policy.load)
        where = self.department or self.location
        return Answer(
            f"Shares over {statuses} projects, {where}: {told}. {len(best)} tie.",
            links={"employee": links(best)},
        )


@dataclass(frozen=True, slots=True)
class Busy:
    """Who of a department is busy, or available, as the company's page defines it."""

    department: str
    busy: bool

    def needs(self, view: View) -> list[Need]:
        """Loads are not for everybody."""
        return need("load")

    def answer(self, view: View) -> Answer:
        """Everybody beyond the limit, which counts as beyond."""
        people = [one for one in view.firm.employees if one.department == self.department]
        load, policy = loads(view, people), view.policy
        found = [
            w for w, n in load.items() if (n >= policy.busy if self.busy else n <= policy.free)
        ]
        limit = f"at least {policy.busy}" if self.busy else f"at most {policy.free}"
        told = ", ".join(f"{view.firm.employees[who].name} {n}" for who, n in load.items())
        return Answer(
            f"{self.department}, {limit}: {len(found)} of: {told}.",
            OK if found else NOT_FOUND,
            links={"employee": links(found)},
        )


@dataclass(frozen=True, slots=True)
class LoadOf:
    """How busy somebody is, with one decimal."""

    person: str

    def needs(self, view: View) -> list[Need]:
        """Loads are not for everybody."""
        return about(view, self.person, "load")

    def answer(self, view: View) -> Answer:
        """The sum of shares."""
        who = view.firm.employees[self.person]
        load = view.firm.load(who.id, view.policy.load)
        parts = ", ".join(
            f"{p.name} ({p.status}) {p.seat(who.id).share}"  # type: ignore[union-attr]
            for p in view.firm.projects_of(who.id)
        )
        return Answer(
            f"{who.name}: {parts or 'no projects'}; counted {', '.join(view.policy.load)}: {load}.",
            links={"employee": links([who.id])},
            contains=(f"{load:.1f}",),
        )


@dataclass(frozen=True, slots=True)
class HigherPaidLeads:
    """Who leads any project and earns more than somebody."""

    person: str

    def needs(self, view: View) -> list[Need]:
        """Pay of named people, which a comparison gives away."""
        return need("pay")

    def answer(self, view: View) -> Answer:
        """Strictly more; nobody is an answer of its own."""
        who = view.firm.employees[self.person]
        leads = {project.lead for project in view.firm.projects}
        found = [lead for lead in sorted(leads) if view.firm.employees[lead].salary > who.salary]
        told = ", ".join(
            f"{view.firm.employees[lead].name} {view.firm.employees[lead].salary}" for lead in found
        )
        proof = f"{who.name} earns {who.salary}; of {len(leads)} Leads more: {told or 'nobody'}."
        return Answer(
            proof,
            "ok_answer" if found else NOT_FOUND,
            links={"employee": links(found)},
        )
