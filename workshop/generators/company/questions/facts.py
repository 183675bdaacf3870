"""Questions of the public desk, of the wiki's contents, and about recorded hours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from workshop.generators.company.ask import Answer, LinkKind, Links, Need, View, links, need
from workshop.generators.company.records import Entry


def _buyer(view: View) -> tuple[str, ...]:
    """What a public answer has to hold after a takeover."""
    takeover = view.policy.takeover
    return (takeover.buyer,) if takeover and not view.requester else ()


@dataclass(frozen=True, slots=True)
class InPlaces:
    """Whether the company has a site in all or in any of some places, as a yes or a no."""

    places: tuple[str, ...]
    join: Literal["all", "any"] = "all"
    yes: str = "Yes"
    no: str = "No"

    def needs(self, view: View) -> list[Need]:
        """Public."""
        return need("place")

    def answer(self, view: View) -> Answer:
        """The right word; the other one must not stand in the message, where it can be told."""
        known = {name for names in view.firm.places.values() for name in names}
        known.update(view.firm.places)
        there = {place: place in known for place in self.places}
        holds = (all if self.join == "all" else any)(there.values())
        told = ", ".join(f"{place}: {'yes' if is_ else 'no'}" for place, is_ in there.items())
        # A no may go on with what is true; a yes has no need of a no.
        return Answer(
            f"Sites: {told}.",
            contains=(self.yes if holds else self.no, *_buyer(view)),
            excludes=(self.no,) if holds else (),
        )


@dataclass(frozen=True, slots=True)
class DateOf:
    """Which date it is some days from today, in a format as `strftime` has it."""

    days: int
    format: str

    def needs(self, view: View) -> list[Need]:
        """Public."""
        return need("date")

    def answer(self, view: View) -> Answer:
        """The date in that format."""
        day = view.today + timedelta(days=self.days)
        return Answer(
            f"Today is {view.today}, {self.days:+} days is {day}.",
            contains=(day.strftime(self.format), *_buyer(view)),
        )


@dataclass(frozen=True, slots=True)
class PageAbout:
    """Which page of the wiki explains something."""

    page: str
    why: str

    def needs(self, view: View) -> list[Need]:
        """Reading the wiki."""
        return need("wiki_read")

    def answer(self, view: View) -> Answer:
        """The page alone, by its path."""
        others = [path for path, text in view.firm.wiki.items() if self.why in text]
        if others != [self.page]:
            raise LookupError(f"{self.why!r} stands in {others}")
        return Answer(
            f"{self.page} alone says {self.why!r}.",
            links={"wiki": links([self.page])},
            contains=(self.page,),
        )


@dataclass(frozen=True, slots=True)
class HoursIn:
    """Recorded hours of a project, a person or a customer in a period, billable and not."""

    first: date
    last: date
    project: str | None = None
    person: str | None = None
    customer: str | None = None

    def needs(self, view: View) -> list[Need]:
        """Others' hours are not for everybody."""
        return need("hours")

    def answer(self, view: View) -> Answer:
        """Total, billable and other hours, each told apart by its number."""
        entries = [entry for entry in view.firm.entries if self._fits(entry)]
        inside = [e for e in entries if self.first <= date.fromisoformat(e.date) <= self.last]
        billed = [entry for entry in inside if entry.billable]
        other = [entry for entry in inside if not entry.billable]
        sums = [_sum(part) for part in (inside, billed, other)]
        # Each is looked for in the message, so none may hide in another.
        if any(one in other for one in sums for other in sums if one is not other):
            raise LookupError(f"one of the sums {sums} stands in another")
        told = ", ".join(f"{e.id} {e.date} {e.hours:g}" for e in entries)
        return Answer(
            f"Entries: {told}. From {self.first} to {self.last}: total {sums[0]}, "
            f"billable {sums[1]}, other {sums[2]}.",
            links=self._links(view),
            contains=tuple(sums),
        )

    def _fits(self, entry: Entry) -> bool:
        return (
            self.project in (None, entry.project)
            and self.person in (None, entry.employee)
            and self.customer in (None, entry.customer)
        )

    def _links(self, view: View) -> dict[LinkKind, Links]:
        if self.person:
            return {"employee": links([self.person])}
        if self.customer:
            return {"customer": links([self.customer])}
        assert self.project
        customer = view.firm.projects[self.project].customer
        return {"project": links([self.project]), "customer": links([], [customer])}


def _sum(entries: Iterable[Entry]) -> str:
    return f"{sum(entry.hours for entry in entries):g}"
