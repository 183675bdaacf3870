"""The stage ``entities``: what a task is about, whom and what it names, and what stands there now.

A model reads the task, and code resolves each name that it found against the records. What is told
here saves the strategy a look-up before a small change. A few requests at most, most of them for
records that the stages behind this one read anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial

import regex
from pydantic import BaseModel, TypeAdapter

from company_tools import listings, profile
from company_tools.company_session import CompanySession, unless_refused
from company_tools.environment import CompanyEnvironment
from company_tools.evidence import Known
from company_tools.names import Choice, Named, Resolved, described, resolve
from company_tools.rule_book import TOPICS
from company_tools.words import within, words
from core.erc3_client.own import company_models as wire
from core.ledger import Ledger
from core.models.model_client import ModelClient
from core.models.prompt_json import as_data
from core.models.prompts import prompt
from core.models.reprompt import ask_once
from core.models.sections import NONE, Texts
from core.runs.task import Finding, StageInput
from core.tools.folding import fold

PROMPTS = "company_tools.stages"
"""The package whose prompts the stages use."""
NAMES_AT_MOST, NAME_CHARS = 20, 80
"""Of the names that a model finds in a task."""
DESCRIBED_AT_MOST, DESCRIBED_CHARS = 4, 200
"""Of its descriptions."""
SEVERAL = 5
"""Of more records that a name may mean only the number is told."""
UNRESOLVED = (
    "nobody has looked up the names in the task: look up whom and what they mean before you decide "
    "on them"
)
PRIVATE = "private: "
"""Before a line that not everybody may be told: code cannot tell who may, the wiki does."""
FOR_YOU = "What is marked private is shown to you alone. Tell it only to a user who may know it."
_SUBJECTS = frozenset(words(TOPICS))
_DAY = regex.compile(r"\d{4}-\d{2}-\d{2}")


class CompanyStage:
    """A stage of a company task."""

    def __init__(self, environment: CompanyEnvironment, texts: Texts = NONE) -> None:
        """``texts``: sections over the shipped ones."""
        self._environment, self._texts = environment, texts

    def _system(self, name: str) -> str:
        """What the prompts of a call begin with."""
        return prompt(PROMPTS, name, self._texts, topics=TOPICS)


def facts_of(task: StageInput, step: str) -> dict[str, object]:
    """The facts that an earlier stage has found."""
    return next((one.facts for one in task.earlier if one.step == step), {})


def tagged(**parts: str) -> str:
    """The data of a prompt, each part under its name."""
    return "\n".join(f"<{name}>\n{as_data(text)}\n</{name}>" for name, text in parts.items())


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


class Entities(CompanyStage):
    """What the task is about, by one small call; the records that its names mean, by code."""

    def run(
        self, task: StageInput, briefing: str, client: ModelClient | None, ledger: Ledger
    ) -> Finding:
        """``facts``: ``security``, ``solving``, ``told``, ``notes``, ``listed``, ``about``.

        ``security``: who and what is named for certain or likely, which rights can hang on.
        ``solving``: names and descriptions that are open, with the records that they may mean.
        ``listed``: what was looked through. ``about``: subjects.
        A guest's task names nothing that may be looked up.
        """
        with self._environment.reading(ledger) as (session, _):
            if not session.requester:
                return Finding()
            today = session.user().today
        about, failed = None, ""
        if client is not None:
            user, read = tagged(today=today, task=task.text), partial(_about, text=task.text)
            keys = ["about", "named"]
            about, failed = ask_once(client, self._system("entities"), user, keys, read)
        if about is None:
            return Finding(text=UNRESOLVED, failed=failed)
        with self._environment.reading(ledger) as (session, _):
            resolved = resolve(about.named, session)
            found = [one for phrase in about.described for one in _described(phrase, session)]
            present = PresentValues(session, resolved, found, about)
            lines = [*map(_description, found), *present.lines()]
            unknown = [one.said for one in resolved.choices if not one.found]
            pages = session.read_wiki() if unknown else {}
        lines = [*(_unknown(name, pages) for name in unknown), *lines]
        lines += [FOR_YOU] if any(line.startswith(PRIVATE) for line in lines) else []
        named = [*resolved.among(SEVERAL), *(one for choice in found for one in choice.found)]
        known = [*(Known(one.kind, one.id, one.name) for one in named), *present.known]
        self._environment.tell(known, present.notes, present.listed)
        facts: dict[str, object] = {
            "security": [one.model_dump() for one in resolved.likely],
            "solving": [one.model_dump() for one in (*resolved.choices, *found)],
            "told": [tuple(one) for one in known],
            "notes": present.notes,
            "listed": sorted(present.listed),
            "about": about.subjects,
        }
        text = "\n".join(filter(None, [_in_words(resolved), *lines]))
        return Finding(text=text, facts=facts)


def _about(reply: dict[str, object], text: str) -> About:
    """A reply on a task; names that do not stand in it are dropped. Raises ValueError."""
    said = [*dict.fromkeys(words(str(reply["about"] or "")[:NAME_CHARS]))]
    subjects = [one for one in said if one in _SUBJECTS]
    if not subjects:
        raise ValueError("about names none of the subjects")
    if not isinstance(names := reply["named"], list):
        raise ValueError("named is no list")
    described, days = reply.get("described"), reply.get("days")
    phrases = described[:DESCRIBED_AT_MOST] if isinstance(described, list) else []
    return About(
        subjects=subjects,
        named=_standing(names[:NAMES_AT_MOST], NAME_CHARS, text),
        described=_standing(phrases, DESCRIBED_CHARS, text),
        days=[d for d in map(str, days) if _DAY.fullmatch(d)] if isinstance(days, list) else [],
        changes=reply.get("changes") is True,
    )


def _standing(quoted: list[object], chars: int, text: str) -> list[str]:
    """Those of some quotes that stand in a text, cut to so many characters."""
    stated = [str(one).strip()[:chars] for one in quoted]
    return [one for one in stated if one and _plain(one) in _plain(text)]


def _plain(text: str) -> str:
    return " ".join(fold(text).split())


def remember(environment: CompanyEnvironment, finding: Finding) -> None:
    """Let the strategy name what a finding of an earlier process has told it of."""
    told = TypeAdapter(list[Known]).validate_python(finding.facts.get("told", []))
    notes = TypeAdapter(dict[str, str]).validate_python(finding.facts.get("notes", {}))
    listed = TypeAdapter(set[str]).validate_python(finding.facts.get("listed", []))
    environment.tell(told, notes, listed)


def _described(phrase: str, session: CompanySession) -> list[Choice]:
    """What a description may mean; nothing where the system refuses its lists."""
    choice = unless_refused(partial(described, phrase, session), None)
    return [choice] if choice else []


def _description(choice: Choice) -> str:
    """What a description may mean, in a line."""
    found = "; ".join(f"{one.name} ({one.kind} {one.id}, {one.about})" for one in choice.found)
    if not found:
        return f'no project or customer has the words of "{choice.said}": try others'
    return f'nearest in words to "{choice.said}", best first: {found}'


def _in_words(resolved: Resolved) -> str:
    """What is named in a line; each record is described where it stands first.

    The mail stands there only of who is meant: of several it tells nobody apart.
    """
    told: set[str] = set()

    def line(one: Named, email: str = "") -> str:
        about = (one.about, email) if one.id not in told else ()
        told.add(one.id)
        return f"{one.name} ({', '.join(filter(None, (f'{one.kind} {one.id}', *about)))})"

    certain = ", ".join(line(one, one.email) for one in resolved.certain)
    parts = [f"named: {certain}"] if certain else []
    for choice in resolved.choices:
        said, found = f'"{choice.said}"', choice.found
        if not found:
            continue
        if len(found) > SEVERAL:
            parts.append(f"{said} may be any of {len(found)} records")
        else:
            candidates = (line(one, one.email if len(found) == 1 else "") for one in found)
            parts.append(f"{said} may be: {', '.join(candidates)}")
    return "; ".join(parts)


LINES_AT_MOST, LINE_CHARS = 2, 200
"""Of the wiki, for a name that no record has."""


def _unknown(name: str, pages: Mapping[str, str]) -> str:
    """A name that no record has, with the lines of the wiki that have it and may explain it."""
    rows = [
        f"; {path} has it: {' '.join(row.split())[:LINE_CHARS]}"
        for path, page in pages.items()
        for row in page.splitlines()
        if within(name, row)
    ]
    found = "".join(rows[:LINES_AT_MOST])
    return f'"{name}" is the name of no person, project or customer{found}'


READ_AT_MOST = 8
"""Of the people that are named, of projects and customers, and of the candidates of a name."""
SHOWN_AT_MOST, ENTRIES_AT_MOST = 8, 6
"""Of the members of a team and the projects of a person; of a day's entries."""
NOTE_CHARS, PERSON_NOTE_CHARS = 60, 600
_OF_WORK = frozenset({"projects", "team", "load", "hours", "status"})
"""Subjects of a task for which it is told what people are on."""
_OF_CUSTOMERS = frozenset({"customers", "contacts"})
"""Subjects for which it is told what people manage."""


class PresentValues:
    """The lines of one finding, with the records that they name."""

    def __init__(
        self, session: CompanySession, resolved: Resolved, found: list[Choice], about: About
    ) -> None:
        """``found``: what descriptions may mean."""
        self._session, self._resolved, self._about = session, resolved, about
        self._found, self._subjects = found, frozenset(about.subjects)
        self.known: list[Known] = []
        self.notes: dict[str, str] = {}
        """Notes of people that the lines tell, by the person's id."""
        self.listed: set[str] = set()
        """The kinds of records of which a line tells all that the task may mean."""

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
        self.listed.add("projects")
        self.known += [Known("project", one.id, one.name) for one in projects]
        shown = [f"{one.name} ({one.id}, {one.status})" for one in projects]
        return [f"all projects for {customer}, archived ones too: {_few(shown) or 'none'}"]

    def _projects_of(self, id: str) -> list[str]:
        """The projects that a person is on, archived ones too."""
        ids = [one.id for one in profile.projects_of(self._session, id)]
        projects = listings.projects_of(self._session, ids)
        self.listed.add("projects")
        self.known += [Known("project", one.id, one.name) for one in projects]
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
        self.listed.add("customers")
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
        self.notes[id] = note
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
        self.known.append(Known(kind, id, name))
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
        self.known += [Known("", one.name, "") for one in levels]
        listed = ", ".join(f"{one.name} {one.level}" for one in levels)
        return [f"the user's levels: {listed}"] if listed else []

    def _hours(self) -> list[str]:
        """The user's entries of the one day that the task names, where it is about hours."""
        if "hours" not in self._subjects or len(self._about.days) != 1:
            return []  # several days make a period, which is summed
        (only,) = self._about.days
        filters = {"employee": self._session.requester, "date_from": only, "date_to": only}
        entries = listings.entries(self._session, **filters)
        self.listed.add("entries")
        self.known += [Known("", entry.id, "") for entry in entries]
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
