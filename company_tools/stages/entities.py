"""The stage ``entities``: whom and what a task names, with the values that stand there now.

What is told here saves the strategy a look-up before a small change. A few requests at most, most
of them for records that the stages behind this one read anyway.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from functools import partial

import regex
from pydantic import TypeAdapter

from company_tools import listings
from company_tools.arguments import day
from company_tools.briefing import whole_pages
from company_tools.company_session import CompanySession
from company_tools.environment import CompanyEnvironment
from company_tools.evidence import Known
from company_tools.mentions import Mentions
from company_tools.reading_session import unless_refused
from company_tools.rule_book import TOPICS
from company_tools.rule_words import speaks_of
from company_tools.stages.spotting import Choice, Named, contacts_called, described, spot
from company_tools.wiki_pages import wiki_pages
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
LEFT_AT_LEAST = 3
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
            certain, choices, left = spot(task.text, session)
            for choice in (one for one in choices if not one.found):
                choice.found = unless_refused(partial(contacts_called, choice.said, session), [])
            if all(one.kind == "employee" for one in certain):
                choices += unless_refused(lambda: described(task.text, left, session), [])
            likely = [*certain, *(one.found[0] for one in choices if len(one.found) == 1)]
            every = [*certain, *(one for choice in choices for one in choice.found)]
            others = {one.id for one in every if one.kind == "employee"} - {session.requester}
            present = PresentValues(session, task.text, likely, own=not others)
            pages = unless_refused(lambda: wiki_pages(session, wiki), {})
        text = "\n".join(filter(None, [_text(certain, choices), *present.lines]))
        known = [*(Known(one.kind, one.id, one.name) for one in every), *present.known]
        self._environment.tell(known, present.notes)
        facts: dict[str, object] = {
            "permission": [one.model_dump() for one in likely],
            "candidates": [one.model_dump() for one in choices],
            "told": [tuple(one) for one in known],
            "notes": present.notes,
        }
        about, failed = list[str](), ""
        long_wiki = len(whole_pages(pages)) < len(pages)
        if client is not None and long_wiki and len(left) >= LEFT_AT_LEAST:
            user = tagged(task=task.text)
            read, failed = ask_once(client, self._system("entities"), user, ["about"], _read)
            about = read or []
        facts["about"] = about
        return Finding(text=text, facts=facts if text or about else {}, failed=failed)


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


def _text(certain: list[Named], choices: list[Choice]) -> str:
    """What is named in a line; each record is described where it stands first."""
    described: set[str] = set()

    def line(one: Named) -> str:
        about = one.about if one.id not in described else ""
        described.add(one.id)
        return f"{one.name} ({', '.join(filter(None, (f'{one.kind} {one.id}', about)))})"

    parts = [f"named: {', '.join(map(line, certain))}"] if certain else []
    for choice in choices:
        phrases = ", ".join(
            json.dumps(said, ensure_ascii=False) for said in (choice.said, *choice.also)
        )
        if not choice.found:
            parts.append(f"no person, project or customer is called {phrases}")
        elif len(choice.found) > SEVERAL:
            parts.append(f"{phrases} may be any of {len(choice.found)} people")
        else:
            parts.append(f"{phrases} may be: {', '.join(map(line, choice.found))}")
    return "; ".join(parts)


READ_AT_MOST = 3
"""Of the people that are named, and of the projects and customers."""
MEMBERS_AT_MOST, ENTRIES_AT_MOST = 8, 6
NOTE_CHARS, PERSON_NOTE_CHARS = 60, 600
_RAISE = regex.compile(r"\b(?:rais|increas|approv|erhöh|augment|aument)", regex.I)
_DAY = regex.compile(
    r"\b(?:\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2}(?:st|nd|rd|th)? \p{L}{3,9},? \d{4}"
    r"|\p{L}{3,9} \d{1,2}(?:st|nd|rd|th)?,? \d{4}|(?:day before )?yesterday|today)\b",
    regex.I,
)


class PresentValues:
    """The lines of one finding, with the records that they name."""

    def __init__(self, session: CompanySession, text: str, likely: list[Named], own: bool) -> None:
        """Read what the lines need; what the system refuses is left out. Raises OutOfReach.

        ``own``: whether the text may be about the user's own values, as it names nobody else.
        """
        self.known: list[Known] = []
        self.notes: dict[str, str] = {}
        """Notes of people that the lines tell, by the person's id."""
        self._session, self._text = session, text
        self._people = {one.id: one.name for one in listings.employees(session)}
        self._customers = {one.id: one for one in listings.customers(session)}
        named = [one for one in likely if one.kind != "employee"][:READ_AT_MOST]
        people = [one for one in likely if one.kind == "employee"][:READ_AT_MOST]
        self.lines: list[str] = []
        for one in people:
            self.lines += unless_refused(partial(self._pay_and_note, one.id), [])
        for one in named:
            self.lines += unless_refused(partial(self._record, one), [])
        for read in (self._levels, self._hours) if own else ():
            self.lines += unless_refused(read, [])

    def _record(self, one: Named) -> list[str]:
        if one.kind == "project":
            return [f"{one.id}: {self._project(one.id)}"]
        return [f"{one.id}: {self._manager(one.id)}"]

    def _pay_and_note(self, id: str) -> list[str]:
        """A person's pay and note, as far as the text speaks of them; of a raise notes decide."""
        pay = speaks_of("pay", self._text)
        notes = speaks_of("notes", self._text) or (pay and _RAISE.search(self._text))
        if not (pay or notes):
            return []
        person = listings.employee(self._session, id)
        shown = [f"salary {person.salary}"] if pay else []
        note = person.notes or ""
        if notes and len(note) <= PERSON_NOTE_CHARS:
            self.notes[id] = note
            shown.append(f"note {note!r}" if note else "no note")
        return [f"{id}: {', '.join(shown)}"] if shown else []

    def _person(self, id: str) -> str:
        return self._shown("employee", id, self._people.get(id, ""))

    def _shown(self, kind: str, id: str, name: str) -> str:
        self.known.append(Known(kind, id, name))
        return f"{name} ({id})" if name else id

    def _project(self, id: str) -> str:
        project = listings.project(self._session, id)
        members = [
            f"{self._person(one.employee)} {one.role} {one.time_slice:g}"
            for one in project.team[:MEMBERS_AT_MOST]
        ]
        more = len(project.team) - len(members)
        team = ", ".join([*members, *([f"{more} more"] if more else [])]) or "nobody"
        customer = self._customers.get(project.customer)
        if customer is None:
            self._shown("customer", project.customer, "")
            return f"no customer ({project.customer}); team: {team}"
        whose = self._shown("customer", customer.id, customer.name)
        return f"customer {whose}, {self._manager(customer.id)}; team: {team}"

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
