"""What stands now in the records that a task means, in lines for a strategy."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial

from pydantic import BaseModel

from company_tools import listings, profile
from company_tools.company_session import CompanySession, unless_refused
from company_tools.evidence import Known, Told
from company_tools.names import Choice, Named, Resolved
from company_tools.words import within, words
from core.erc3_client.own import company_models as wire

PRIVATE = "private: "
"""Before a line that not everybody may be told: code cannot tell who may, the wiki does."""
READ_AT_MOST = 8
"""Of the people that are named, of projects and customers, and of the candidates of a name."""
SHOWN_AT_MOST, ENTRIES_AT_MOST = 8, 6
"""Of the members of a team and the projects of a person; of a day's entries."""
NOTE_CHARS, PERSON_NOTE_CHARS = 60, 600
_OF_WORK = frozenset({"projects", "team", "load", "hours", "status"})
"""Subjects of a task for which it is told what people are on."""
_OF_CUSTOMERS = frozenset({"customers", "contacts"})
"""Subjects for which it is told what people manage."""


class About(BaseModel):
    """What a model has read in a task."""

    subjects: list[str]
    """In the words of books of rules, the main one first."""
    named: list[str]
    """The names in the task, as they stand there."""
    described: list[str]
    """What stands in place of the name of a project or customer, as it stands there."""
    days: list[str]
    """The days that it means, as YYYY-MM-DD."""
    changes: bool
    """Whether it asks for a change."""


class PresentValues:
    """The lines of one finding, with the records that they name."""

    def __init__(
        self, session: CompanySession, resolved: Resolved, found: list[Choice], about: About
    ) -> None:
        """``found``: what descriptions may mean."""
        self._session, self._resolved, self._about = session, resolved, about
        self._found, self._subjects = found, frozenset(about.subjects)
        self.told = Told()

    @cached_property
    def _people(self) -> dict[str, wire.EmployeeBrief]:
        return {one.id: one for one in listings.employees(self._session)}

    def lines(self) -> list[str]:
        """Read what they tell; what the system refuses is left out. Raises OutOfReach."""
        likely, meant = self._resolved.likely, self._resolved.among(READ_AT_MOST)
        nearest = [one for choice in self._found for one in _best_of_kinds(choice)]
        people = [one for one in likely if one.kind == "employee"][:READ_AT_MOST]
        others = [one for one in meant if one.kind != "employee"][:READ_AT_MOST]
        others += [one for one in nearest[:READ_AT_MOST] if one not in others]
        is_about_work = not _OF_WORK.isdisjoint(self._subjects) and not any(
            one.kind == "project" for one in meant
        )
        is_about_customers = not _OF_CUSTOMERS.isdisjoint(self._subjects)
        reads: list[Callable[[], list[str]]] = []
        for one in people:
            reads += [partial(self._projects_of, one.id)] if is_about_work else []
            reads += [partial(self._customers_of, one.id)] if is_about_customers else []
            reads.append(partial(self._pay_and_note, one.id))
        reads += [partial(self._record, one, one in likely or one in nearest) for one in others]
        if all(one.id == self._session.requester for one in people):  # it may be about the user
            reads += [self._levels, self._hours]
        return [line for read in reads for line in unless_refused(read, [])]

    def _record(self, one: Named, is_likely: bool) -> list[str]:
        """A project or customer; of one of several projects only the team, most of it by ids."""
        if one.kind != "project":
            projects = self._projects_for(one.id) if "projects" in self._subjects else []
            return [f"{one.id}: {self._manager(one.id)}", *self._contact(one.id), *projects]
        project = listings.project(self._session, one.id)
        members: list[str] = []
        for member in project.team:
            called = self._person(member.employee)
            if not is_likely and member.role != "Lead":
                called = member.employee
            members.append(f"{called} {member.role} {member.time_slice:g}")
        team = f"team: {_few(members) or 'nobody'}"
        if not is_likely:
            return [f"{one.id}: {team}"]
        customers = {one.id: one for one in listings.customers(self._session)}
        customer = customers.get(project.customer)
        if customer is None:
            self._shown("customer", project.customer, "")
            return [f"{one.id}: internal, its customer id {project.customer} is no record; {team}"]
        whose = self._shown("customer", customer.id, customer.name)
        line = f"{one.id}: customer {whose}, {self._manager(customer.id)}; {team}"
        return [line, *self._contact(customer.id)]

    def _projects_for(self, customer: str) -> list[str]:
        """The projects for a customer, archived ones too."""
        projects = profile.found(self._session, customer_id=customer)
        self.told.listed.add("projects")
        self.told.records += [Known("project", one.id, one.name) for one in projects]
        shown = [f"{one.name} ({one.id}, {one.status})" for one in projects]
        return [f"all projects for {customer}, archived ones too: {_few(shown) or 'none'}"]

    def _projects_of(self, id: str) -> list[str]:
        """The projects that a person is on, archived ones too."""
        ids = [one.id for one in profile.projects_of(self._session, id)]
        projects = listings.projects_of(self._session, ids)
        self.told.listed.add("projects")
        self.told.records += [Known("project", one.id, one.name) for one in projects]
        seats = [
            f"{one.name} ({one.id}, {one.status}) {seat.role} {seat.time_slice:g}"
            for one in projects
            for seat in one.team
            if seat.employee == id
        ]
        return [f"all projects that {id} is on, archived ones too: {_few(seats) or 'no project'}"]

    def _customers_of(self, id: str) -> list[str]:
        """The customers that a person manages."""
        managed = profile.customers_of(self._session, id)
        self.told.listed.add("customers")
        shown = [self._shown("customer", one.id, one.name) for one in managed]
        return [f"all customers that {id} manages: {_few(shown) or 'no customer'}"]

    def _pay_and_note(self, id: str) -> list[str]:
        """A person's pay and note, as far as the task is about them, and whom the note names.

        Of a change of pay notes may decide; of hours a note is that of an entry.
        """
        pay, subjects = "pay" in self._subjects, self._subjects
        notes = ("notes" in subjects and "hours" not in subjects) or (pay and self._about.changes)
        if not (pay or notes):
            return []
        person = listings.employee(self._session, id)
        shown = [f"salary {person.salary}"] if pay else []
        note = person.notes or ""
        if not notes or len(note) > PERSON_NOTE_CHARS:
            return [self._private(id, shown)] if shown else []
        self.told.notes[id] = note
        shown.append(f"note {note!r}" if note else "no note")
        return [self._private(id, shown), *self._named_in_note(id, note)]

    def _private(self, id: str, shown: list[str]) -> str:
        """A line on somebody's record; what stands there is the user's own, or private."""
        mark = "" if id == self._session.requester else PRIVATE
        return f"{mark}{id}: {', '.join(shown)}"

    def _named_in_note(self, id: str, note: str) -> list[str]:
        """Whom a note names by a whole name, as rules on who approves need it."""
        named = [
            one
            for one in self._people.values()
            if one.id != id and len(words(one.name)) > 1 and within(one.name, note)
        ]
        shown = [f"{self._person(one.id)}, {one.department}" for one in named[:READ_AT_MOST]]
        return [f"{PRIVATE}named in the note of {id}: {'; '.join(shown)}"] if shown else []

    def _person(self, id: str) -> str:
        person = self._people.get(id)
        return self._shown("employee", id, person.name if person else "")

    def _shown(self, kind: str, id: str, name: str) -> str:
        self.told.records.append(Known(kind, id, name))
        return f"{name} ({id})" if name else id

    def _manager(self, id: str) -> str:
        customer = listings.customer(self._session, id)
        return f"account manager {self._person(customer.account_manager)}"

    def _contact(self, id: str) -> list[str]:
        """Whom a customer names, where the task is about that."""
        if "contacts" not in self._subjects:
            return []
        customer = listings.customer(self._session, id)
        contact = f"{customer.primary_contact_name} ({customer.primary_contact_email})"
        return [f"{PRIVATE}contact of {id}: {contact}"]

    def _levels(self) -> list[str]:
        """The user's own levels that the task names; all where a change names them otherwise."""
        if "skills" not in self._subjects or not self._about.named:
            return []
        own = listings.employee(self._session, self._session.requester)
        wanted = {words(name) for name in self._about.named}
        levels = [
            one
            for one in (*own.skills, *own.wills)
            if not wanted.isdisjoint({words(one.name), words(one.name.partition("_")[2])})
        ]
        if self._about.changes and len(levels) < len(wanted):
            levels = [*own.skills, *own.wills]
        self.told.records += [Known("", one.name, "") for one in levels]
        listed = ", ".join(f"{one.name} {one.level}" for one in levels)
        return [f"the user's levels: {listed}"] if listed else []

    def _hours(self) -> list[str]:
        """The user's entries of the one day that the task names, where it is about hours."""
        if "hours" not in self._subjects or len(self._about.days) != 1:
            return []  # several days make a period, which is summed
        (only,) = self._about.days
        filters = {"employee": self._session.requester, "date_from": only, "date_to": only}
        entries = listings.entries(self._session, **filters)
        self.told.listed.add("entries")
        self.told.records += [Known("", entry.id, "") for entry in entries]
        shown = [_entry_line(entry) for entry in entries[:ENTRIES_AT_MOST]]
        more = len(entries) - len(shown)
        listed = "; ".join([*shown, *([f"{more} more"] if more else [])]) or "none"
        return [f"all entries of the user of {only}: {listed}"]


def _best_of_kinds(choice: Choice) -> list[Named]:
    """The nearest project and the nearest customer of a description."""
    first = {one.kind: one for one in reversed(choice.found)}
    return list(first.values())


def _entry_line(entry: wire.TimeEntryWithID) -> str:
    about = [entry.work_category, "billable" if entry.billable else "not billable", entry.status]
    about += [f"note {entry.notes[:NOTE_CHARS]!r}"] if entry.notes else []
    where = entry.project or "no project"
    return f"{entry.id} {entry.hours:g} h on {where} ({', '.join(about)})"


def _few(texts: list[str]) -> str:
    """The first texts, with the number of those left out; "" for none."""
    more = len(texts) - SHOWN_AT_MOST
    return ", ".join([*texts[:SHOWN_AT_MOST], *([f"{more} more"] if more > 0 else [])])
