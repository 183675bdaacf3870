"""What stands now in the records that a task names, as a finding tells it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property, partial
from typing import Literal

import regex

from company_tools import listings
from company_tools.arguments import day
from company_tools.company_session import CompanySession
from company_tools.evidence import Known
from company_tools.mentions import Mentions, contains
from company_tools.profile import projects_with
from company_tools.reading_session import unless_refused
from company_tools.rule_words import speaks_of
from company_tools.stages.spotting import Named, Spotted, orders_change
from company_tools.words import levelled
from core.erc3_client.own import company_models as wire
from core.ledger import ToolFault

READ_AT_MOST = 3
"""Of the people that are named, of projects and customers, and of the candidates of a phrase."""
SHOWN_AT_MOST, ENTRIES_AT_MOST = 8, 6
"""Of the members of a team and the projects of a person; of a day's entries."""
NOTE_CHARS, PERSON_NOTE_CHARS = 60, 600
_RAISE = regex.compile(r"\b(?:rais|increas|approv|erhöh|augment|aument)", regex.I)
_OF_WORK = frozenset({"projects", "team", "load", "hours", "status"})
"""Subjects of a text for which it may tell what people are on."""
_DAY = regex.compile(
    r"\b(?:\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2}(?:st|nd|rd|th)? \p{L}{3,9},? \d{4}"
    r"|\p{L}{3,9} \d{1,2}(?:st|nd|rd|th)?,? \d{4}|(?:day before )?yesterday|today)\b",
    regex.I,
)


class PresentValues:
    """The lines of one finding, with the records that they name."""

    def __init__(
        self, session: CompanySession, text: str, spotted: Spotted, about: list[str] | None
    ) -> None:
        """``about``: the subjects of the text, as a model has read it; None: none was asked."""
        self._session, self._text, self._spotted, self._about = session, text, spotted, about
        self.known: list[Known] = []
        self.notes: dict[str, str] = {}
        """Notes of people that the lines tell, by the person's id."""

    @cached_property
    def _people(self) -> dict[str, wire.EmployeeBrief]:
        return {one.id: one for one in listings.employees(self._session)}

    @cached_property
    def _customers(self) -> dict[str, wire.CompanyBrief]:
        return {one.id: one for one in listings.customers(self._session)}

    def lines(self) -> list[str]:
        """Read what they tell; what the system refuses is left out. Raises OutOfReach."""
        likely, meant = self._spotted.likely, _meant(self._spotted)
        people = [one for one in meant if one.kind == "employee"][:READ_AT_MOST]
        others = [one for one in meant if one.kind != "employee"][:READ_AT_MOST]
        reads: list[Callable[[], list[str]]] = []
        for one in people:
            if one in likely and self._is_about_work():
                reads.append(partial(self._projects_of, one.id))
            reads.append(partial(self._pay_and_note, one.id))
        reads += [partial(self._record, one, one in likely) for one in others]
        named = {one.id for one in self._spotted.every if one.kind == "employee"}
        if not named - {self._session.requester}:  # it may be about the user's own values
            reads += [self._levels, self._hours]
        return [line for read in reads for line in unless_refused(read, [])]

    def _record(self, one: Named, is_likely: bool) -> list[str]:
        """A project or customer; of one of several projects only the team, most of it by ids."""
        if one.kind == "project":
            told = self._project(one.id) if is_likely else self._team_by_ids(one.id)
            return [f"{one.id}: {told}"]
        return [f"{one.id}: {self._manager(one.id)}"]

    def _is_about_work(self) -> bool:
        """Whether the text may be about what people are on.

        Not where it names a project, whose team is told. Where no model was asked it is, unless
        its words speak of pay or notes.
        """
        if any(one.kind == "project" for one in _meant(self._spotted)):
            return False
        if self._about is not None:
            return not _OF_WORK.isdisjoint(map(str.casefold, self._about))
        return not (speaks_of("pay", self._text) or speaks_of("notes", self._text))

    def _projects_of(self, id: str) -> list[str]:
        """The projects that a person is on, archived ones too."""
        projects = projects_with(self._session, team={"employee_id": id})
        self.known += [Known("project", one.id, one.name) for one in projects]
        seats = [
            f"{one.name} ({one.id}, {one.status}) {seat.role} {seat.time_slice:g}"
            for one in projects
            for seat in one.team
            if seat.employee == id
        ]
        return [f"{id} is on: {_few(seats) or 'no project'}"]

    def _pay_and_note(self, id: str) -> list[str]:
        """A person's pay and note, as far as the text is about them, and whom the note names."""
        pay, notes = self._is_about("pay", id), self._is_about("notes", id)
        if not (pay or notes):
            return []
        person = listings.employee(self._session, id)
        shown = [f"salary {person.salary}"] if pay else []
        note = person.notes or ""
        if not notes or len(note) > PERSON_NOTE_CHARS:
            return [f"{id}: {', '.join(shown)}"] if shown else []
        self.notes[id] = note
        shown.append(f"note {note!r}" if note else "no note")
        return [f"{id}: {', '.join(shown)}", *self._named_in_note(id, note)]

    def _is_about(self, kind: Literal["pay", "notes"], id: str) -> bool:
        """Whether the text is about pay, or the notes on people.

        A model that has read it says so; without one its words do, and pay of others is told only
        if it orders a change. Of a raise notes decide; where hours are booked, a note is that of an
        entry.
        """
        if kind == "notes" and _RAISE.search(self._text) and self._is_about("pay", id):
            return True
        if id == self._session.requester:
            return speaks_of(kind, self._text)
        subjects = self._text if self._about is None else " ".join(self._about)
        of_entry = kind == "notes" and speaks_of("hours", subjects)
        is_subject = speaks_of(kind, subjects) and not of_entry
        is_read = kind == "notes" or self._about is not None
        return is_subject and (is_read or orders_change(self._text))

    def _named_in_note(self, id: str, note: str) -> list[str]:
        """Whom a note names by a whole name, as rules on who approves need it."""
        words = levelled(note)
        named = [
            one
            for one in self._people.values()
            if one.id != id and len(parts := levelled(one.name)) > 1 and contains(words, parts)
        ]
        shown = [f"{self._person(one.id)}, {one.department}" for one in named[:READ_AT_MOST]]
        return [f"named in the note of {id}: {'; '.join(shown)}"] if shown else []

    def _person(self, id: str) -> str:
        person = self._people.get(id)
        return self._shown("employee", id, person.name if person else "")

    def _shown(self, kind: str, id: str, name: str) -> str:
        self.known.append(Known(kind, id, name))
        return f"{name} ({id})" if name else id

    def _project(self, id: str) -> str:
        project = listings.project(self._session, id)
        team = _listed(project.team, lambda one: self._person(one.employee))
        customer = self._customers.get(project.customer)
        if customer is None:
            self._shown("customer", project.customer, "")
            return f"no customer ({project.customer}); team: {team}"
        whose = self._shown("customer", customer.id, customer.name)
        return f"customer {whose}, {self._manager(customer.id)}; team: {team}"

    def _team_by_ids(self, id: str) -> str:
        def member(one: wire.Workload) -> str:
            whole = self._person(one.employee)
            return whole if one.role == "Lead" else one.employee

        return f"team: {_listed(listings.project(self._session, id).team, member)}"

    def _manager(self, id: str) -> str:
        customer = listings.customer(self._session, id)
        contact = f"{customer.primary_contact_name} ({customer.primary_contact_email})"
        return f"account manager {self._person(customer.account_manager)}, contact {contact}"

    def _levels(self) -> list[str]:
        """The user's own levels of what the text names, where it has a number as well."""
        session = self._session
        mentions, pages = Mentions(self._text, session), session.read_wiki()
        named = partial(mentions.names_level, pages=pages, exactly=True)
        known = session.evidence.tokens
        if not (mentions.numbers and any(named(name) for name in known)):
            return []
        own = listings.employee(session, session.requester)
        levels = [one for one in (*own.skills, *own.wills) if named(one.name)]
        self.known += [Known("", one.name, "") for one in levels]
        listed = ", ".join(f"{one.name} {one.level}" for one in levels)
        return [f"the user's levels: {listed}"] if listed else []

    def _hours(self) -> list[str]:
        """The user's entries of the days that the text names, where it speaks of hours."""
        days = {*self._days()} if speaks_of("hours", self._text) else set()
        if len(days) != 1:  # several make a period, which is summed
            return []
        return [f"the user's entries of {one}: {self._entries(one)}" for one in days]

    def _days(self) -> Iterator[str]:
        for match in _DAY.finditer(self._text):
            with suppress(ToolFault):  # what is no day for certain is none
                yield day(match[0], self._session.user().today)

    def _entries(self, one: str) -> str:
        session = self._session
        filters = {"employee": session.requester, "date_from": one, "date_to": one}
        entries = listings.entries(session, **filters)
        self.known += [Known("", entry.id, "") for entry in entries]
        shown = [_entry_line(entry) for entry in entries[:ENTRIES_AT_MOST]]
        more = len(entries) - len(shown)
        return "; ".join([*shown, *([f"{more} more"] if more else [])]) or "none"


def _entry_line(entry: wire.TimeEntryWithID) -> str:
    about = [entry.work_category, "billable" if entry.billable else "not billable", entry.status]
    about += [f"note {entry.notes[:NOTE_CHARS]!r}"] if entry.notes else []
    where = entry.project or "no project"
    return f"{entry.id} {entry.hours:g} h on {where} ({', '.join(about)})"


def _meant(spotted: Spotted) -> list[Named]:
    """What a text is likely to mean, then the candidates of a phrase that has only a few."""
    few = [choice for choice in spotted.choices if len(choice.found) <= READ_AT_MOST]
    meant = [*spotted.likely, *(one for choice in few for one in choice.found)]
    return list({one.id: one for one in meant}.values())


def _listed(team: list[wire.Workload], member: Callable[[wire.Workload], str]) -> str:
    """A team with roles and shares; ``member``: what each is called."""
    return _few([f"{member(one)} {one.role} {one.time_slice:g}" for one in team]) or "nobody"


def _few(texts: list[str]) -> str:
    """The first texts, with the number of those left out; "" for none."""
    more = len(texts) - SHOWN_AT_MOST
    return ", ".join([*texts[:SHOWN_AT_MOST], *([f"{more} more"] if more > 0 else [])])
