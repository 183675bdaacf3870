"""The stage ``entities``: whom and what a task names, for the permission and for the solving."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from typing import Protocol

import regex
from pydantic import BaseModel, TypeAdapter

from company_tools import listings
from company_tools.company_session import CompanySession
from company_tools.evidence import Known
from company_tools.resolving import customers_called, people_called, projects_called
from company_tools.rule_book import TOPICS, RuleBooks
from company_tools.stages.spotting import Named, Spotted, spot
from company_tools.wiki_store import WikiStore
from core.ledger import Ledger, ToolFault
from core.models.model_client import ModelClient
from core.models.prompt_json import as_data
from core.models.prompts import prompt
from core.models.reprompt import ask_once
from core.models.sections import NONE, Texts
from core.runs.task import Finding, StageInput
from core.tools.collector import Collector

PROMPTS = "company_tools.stages"
"""The package whose prompts the stages use."""
LEFT_AT_LEAST = 3
"""So many words that name nothing known are worth a call."""
NAMES_AT_MOST = 4
ABOUT_CHARS = 80
SHOWN = 3
CERTAIN, CLEAR = 75, 15
"""Score, of 100, of a candidate that is taken for what is meant, and how far ahead it must be."""
LEAST = 40


class StageEnvironment(Protocol):
    """A task's company, for a stage, which only looks."""

    rules_version: str
    """Hash of the wiki whose rules the task goes by."""

    def reading(self, ledger: Ledger) -> AbstractContextManager[tuple[CompanySession, WikiStore]]:
        """Session and wiki; while it lasts nothing can be changed, and nothing is evidence."""

    def tell(self, records: list[Known]) -> None:
        """Let the strategy name records that a stage has told it of."""

    @property
    def books(self) -> RuleBooks:
        """What models have read of wikis."""


class CompanyStage:
    """A stage of a company task."""

    def __init__(self, environment: StageEnvironment, texts: Texts = NONE) -> None:
        """``texts``: sections over the shipped ones."""
        self._environment, self._texts = environment, texts


class Choice(BaseModel):
    """A phrase of the text, and the records that it may mean."""

    said: str
    found: list[Named]


class Entities(CompanyStage):
    """Names by rule, then by one small call for what is left; ids by the tools."""

    def run(
        self, task: StageInput, briefing: str, client: ModelClient | None, ledger: Ledger
    ) -> Finding:
        """``facts``: ``permission`` (who and what, certain or likely) and ``candidates``.

        A guest's task names nothing that may be looked up.
        """
        with self._environment.reading(ledger) as (session, _):
            if not session.requester:
                return Finding()
            spotted = spot(task.text, session)
            named = spotted.certain
            choices = [Choice(said=said, found=one) for said, one in spotted.several.items()]
            failed, about = "", list[str]()
            if client is not None and len(spotted.left) >= LEFT_AT_LEAST:
                (phrases, about), failed = self._ask(task.text, spotted, client)
                for kind, phrase in phrases:
                    _resolve(session, kind, phrase, named, choices)
        if not (named or choices or about):
            return Finding(failed=failed)
        self._environment.tell(_known(named, choices))
        facts = {
            "permission": [one.model_dump(exclude_none=True) for one in named],
            "candidates": [one.model_dump(exclude_none=True) for one in choices],
            "about": about,
        }
        return Finding(text=_text(named, choices), facts=facts, failed=failed)

    def _ask(
        self, text: str, spotted: Spotted, client: ModelClient
    ) -> tuple[tuple[list[tuple[str, str]], list[str]], str]:
        known = ", ".join(f"{one.name} ({one.kind})" for one in spotted.certain) or "none"
        user = f"<task>\n{as_data(text)}\n</task>\nKnown already: {as_data(known)}"
        read, failed = ask_once(client, system(self._texts), user, ["names"], _read)
        return read or ([], []), failed


def system(texts: Texts = NONE) -> str:
    """The beginning of the small call's prompts."""
    return prompt(PROMPTS, "entities", texts, topics=TOPICS)


def _resolve(
    session: CompanySession, kind: str, phrase: str, named: list[Named], choices: list[Choice]
) -> None:
    """Add what a phrase means: as named where one record is clearly ahead, else as a choice."""
    try:
        rows = sorted(
            _candidates(session, kind, phrase), key=lambda row: (-(row.score or 0), row.id)
        )
    except ToolFault:
        return
    rows = [row for row in rows if (row.score or 0) >= LEAST]
    if not rows or rows[0].id in {one.id for one in named}:
        return
    best, second = rows[0].score or 0, (rows[1].score or 0) if len(rows) > 1 else 0
    if best >= CERTAIN and (len(rows) == 1 or best - second >= CLEAR):
        named.append(rows[0].model_copy(update={"said": phrase}))
    else:
        choices.append(Choice(said=phrase, found=rows[:SHOWN]))


def _candidates(session: CompanySession, kind: str, phrase: str) -> list[Named]:
    """What a phrase may mean. Raises ToolFault."""
    collected = Collector()
    if kind == "employee":
        people = people_called(phrase, listings.employees(session))
        return [Named(kind=kind, id=o.id or "", name=o.name, score=o.score) for o in people]
    if kind == "project":
        projects = projects_called(session, phrase, collected)
        rows = [Named(kind=kind, id=o.id, name=o.name, score=o.score) for o in projects]
    else:
        customers = customers_called(session, phrase, collected)
        rows = [Named(kind=kind, id=o.id, name=o.name, score=o.score) for o in customers]
    collected.result({})
    return rows


def remember(environment: StageEnvironment, finding: Finding) -> None:
    """Let the strategy name what a finding of an earlier process has told it of."""
    facts = finding.facts
    named = TypeAdapter(list[Named]).validate_python(facts.get("permission", []))
    choices = TypeAdapter(list[Choice]).validate_python(facts.get("candidates", []))
    environment.tell(_known(named, choices))


def _known(named: list[Named], choices: list[Choice]) -> list[Known]:
    every = [*named, *(one for choice in choices for one in choice.found)]
    return [Known(one.kind, one.id, one.name) for one in every]


def _read(reply: dict[str, object]) -> tuple[list[tuple[str, str]], list[str]]:
    """Kinds and phrases out of a reply, and what the task is about. Raises ValueError."""
    about = regex.findall(r"\p{L}+", str(reply.get("about") or "")[:ABOUT_CHARS])
    return _names(reply), about


def _names(reply: dict[str, object]) -> list[tuple[str, str]]:
    """Raises ValueError: the names are none."""
    rows = reply["names"]
    if not isinstance(rows, list):
        raise ValueError("names is no list")
    names = []
    for row in rows[:NAMES_AT_MOST]:
        if not isinstance(row, dict):
            raise ValueError("a name is an object with kind and said")
        kind, phrase = str(row.get("kind", "")).casefold(), str(row.get("said", "")).strip()
        if kind in ("employee", "project", "customer") and phrase:
            names.append((kind, phrase[:120]))
    return names


def _text(named: list[Named], choices: list[Choice]) -> str:
    lines = [f"named: {', '.join(map(_line, named))}"] if named else []
    for one in choices:
        phrase = json.dumps(one.said, ensure_ascii=False)
        lines.append(f"{phrase} may be: {', '.join(map(_line, one.found))}")
    return "; ".join(lines)


def _line(one: Named) -> str:
    phrase = f", for {one.said!r}" if one.said else ""
    return f"{one.name} ({one.kind} {one.id}{phrase})"
