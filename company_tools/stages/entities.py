"""The stage ``entities``: whom and what a task names, with the values that stand there now.

What is told here saves the strategy a look-up before a small change. A few requests at most, most
of them for records that the stages behind this one read anyway.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property, partial
from typing import Literal

import regex
from pydantic import TypeAdapter

from company_tools import listings
from company_tools.arguments import day
from company_tools.briefing import whole_pages
from company_tools.company_session import CompanySession, unless_refused
from company_tools.environment import CompanyEnvironment
from company_tools.evidence import Known
from company_tools.mentions import Mentions, contains
from company_tools.profile import projects_with
from company_tools.rule_book import TOPICS
from company_tools.rule_words import speaks_of
from company_tools.stages.spotting import (
    Named,
    Spotted,
    contacts_called,
    described,
    nicknamed,
    orders_change,
    spot,
)
from company_tools.wiki_pages import wiki_pages
from company_tools.wiki_store import Pages
from company_tools.words import levelled
from core.erc3_client.own import company_models as wire
from core.ledger import Ledger, ToolFault
from core.models.model_client import ModelClient
from core.models.prompt_json import as_data
from core.models.prompts import prompt
from core.models.reprompt import ask_once
from core.models.sections import NONE, Texts
from core.runs.task import Finding, StageInput

PROMPTS = "company_tools.stages"
"""The package whose prompts the stages use."""
LEAST_LEFT = 3
"""So many words that name nothing known are worth the call."""
ABOUT_CHARS = 80
SEVERAL = 5
"""Of more records that a phrase may mean only the number is told."""


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


class Entities(CompanyStage):
    """Names by rule, with present values; of a long wiki one small call tells the subjects."""

    def run(
        self, task: StageInput, briefing: str, client: ModelClient | None, ledger: Ledger
    ) -> Finding:
        """``facts``: ``permission`` (who and what, certain or likely), ``candidates``, ``told``.

        ``about``: subjects, in the words of rule books. A guest's task names nothing that may be
        looked up.
        """
        with self._environment.reading(ledger) as (session, wiki):
            if not session.requester:
                return Finding()
            pages = unless_refused(lambda: wiki_pages(session, wiki), {})
            spotted = _spotted(task.text, session, pages)
        about, failed = None, ""
        long_wiki = len(whole_pages(pages)) < len(pages)
        if client is not None and long_wiki and len(spotted.other_words) >= LEAST_LEFT:
            user = tagged(task=task.text)
            about, failed = ask_once(client, self._system("entities"), user, ["about"], _read)
        with self._environment.reading(ledger) as (session, _):
            present = PresentValues(session, task.text, spotted, about)
            lines = present.lines()
        text = "\n".join(filter(None, [_in_words(spotted), *lines]))
        known = [*(Known(one.kind, one.id, one.name) for one in spotted.every), *present.known]
        self._environment.tell(known, present.notes)
        facts: dict[str, object] = {
            "permission": [one.model_dump() for one in spotted.likely],
            "candidates": [one.model_dump() for one in spotted.choices],
            "told": [tuple(one) for one in known],
            "notes": present.notes,
            "about": about or [],
        }
        return Finding(text=text, facts=facts if text or about else {}, failed=failed)


def _spotted(text: str, session: CompanySession, pages: Pages) -> Spotted:
    """What a text names or describes, customers by their contacts and by other names too."""
    spotted = spot(text, session)
    if nicknames := unless_refused(lambda: nicknamed(text, session, pages), []):
        known = {word for one in nicknames for word in levelled(one.said)}
        choices = [
            one for one in spotted.choices if one.found or not {*levelled(one.said)} <= known
        ]
        others = [word for word in spotted.other_words if not {*levelled(word)} & known]
        spotted = spotted._replace(choices=[*choices, *nicknames], other_words=others)
    for choice in (one for one in spotted.choices if not one.found):
        choice.found = unless_refused(partial(contacts_called, choice.said, session), [])
    if all(one.kind == "employee" for one in spotted.certain):
        more = unless_refused(lambda: described(text, spotted.other_words, session), [])
        spotted = spotted._replace(choices=[*spotted.choices, *more])
    return spotted


def _read(reply: dict[str, object]) -> list[str]:
    """What the task is about. Raises ValueError: nothing is said."""
    if not (about := regex.findall(r"\p{L}+", str(reply["about"] or "")[:ABOUT_CHARS])):
        raise ValueError("about says nothing")
    return about


def remember(environment: CompanyEnvironment, finding: Finding) -> None:
    """Let the strategy name what a finding of an earlier process has told it of."""
    told = TypeAdapter(list[Known]).validate_python(finding.facts.get("told", []))
    notes = TypeAdapter(dict[str, str]).validate_python(finding.facts.get("notes", {}))
    environment.tell(told, notes)


def _in_words(spotted: Spotted) -> str:
    """What is named in a line; each record is described where it stands first.

    The mail stands there only of who is meant: of several it tells nobody apart.
    """
    told: set[str] = set()

    def line(one: Named, email: str = "") -> str:
        about = (one.about, email) if one.id not in told else ()
        told.add(one.id)
        return f"{one.name} ({', '.join(filter(None, (f'{one.kind} {one.id}', *about)))})"

    certain = ", ".join(line(one, one.email) for one in spotted.certain)
    parts = [f"named: {certain}"] if certain else []
    for choice in spotted.choices:
        said = (json.dumps(phrase, ensure_ascii=False) for phrase in (choice.said, *choice.also))
        phrases, found = ", ".join(said), choice.found
        if not found:
            parts.append(f"no person, project or customer is called {phrases}")
        elif len(found) > SEVERAL:
            parts.append(f"{phrases} may be any of {len(found)} people")
        else:
            candidates = (line(one, one.email if len(found) == 1 else "") for one in found)
            parts.append(f"{phrases} may be: {', '.join(candidates)}")
    return "; ".join(parts)


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
        if one.kind != "project":
            return [f"{one.id}: {self._manager(one.id)}"]
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
            return [f"{one.id}: no customer ({project.customer}); {team}"]
        whose = self._shown("customer", customer.id, customer.name)
        return [f"{one.id}: customer {whose}, {self._manager(customer.id)}; {team}"]

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
        """The user's entries of the day that the text names, where it speaks of hours."""
        session = self._session
        days: set[str] = set()
        for match in _DAY.finditer(self._text if speaks_of("hours", self._text) else ""):
            with suppress(ToolFault):  # what is no day for certain is none
                days.add(day(match[0], session.user().today))
        if len(days) != 1:  # several make a period, which is summed
            return []
        only = days.pop()
        filters = {"employee": session.requester, "date_from": only, "date_to": only}
        entries = listings.entries(session, **filters)
        self.known += [Known("", entry.id, "") for entry in entries]
        shown = [_entry_line(entry) for entry in entries[:ENTRIES_AT_MOST]]
        more = len(entries) - len(shown)
        listed = "; ".join([*shown, *([f"{more} more"] if more else [])]) or "none"
        return [f"the user's entries of {only}: {listed}"]


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


def _few(texts: list[str]) -> str:
    """The first texts, with the number of those left out; "" for none."""
    more = len(texts) - SHOWN_AT_MOST
    return ", ".join([*texts[:SHOWN_AT_MOST], *([f"{more} more"] if more > 0 else [])])
