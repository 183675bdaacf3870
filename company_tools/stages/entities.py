"""The stage ``entities``: whom and what a task names, for the permission and for the solving."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import Protocol

import regex
from pydantic import TypeAdapter

from company_tools.briefing import whole_pages
from company_tools.company_session import CompanySession
from company_tools.evidence import Known
from company_tools.reading_session import unless_refused
from company_tools.rule_book import TOPICS, RuleBooks
from company_tools.stages.described import contacts_called, described
from company_tools.stages.present import PresentValues
from company_tools.stages.spotting import Choice, Named, spot
from company_tools.wiki_pages import wiki_pages
from company_tools.wiki_store import WikiStore
from core.ledger import Ledger
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


class StageEnvironment(Protocol):
    """A task's company, for a stage, which only looks."""

    rules_version: str
    """Hash of the wiki whose rules the task goes by."""

    def reading(self, ledger: Ledger) -> AbstractContextManager[tuple[CompanySession, WikiStore]]:
        """Session and wiki; while it lasts nothing can be changed, and nothing is evidence."""

    def tell(self, records: list[Known], notes: Mapping[str, str]) -> None:
        """Let the strategy name what a stage has told it of; ``notes``: by the person's id."""

    @property
    def books(self) -> RuleBooks:
        """What models have read of wikis."""


class CompanyStage:
    """A stage of a company task."""

    def __init__(self, environment: StageEnvironment, texts: Texts = NONE) -> None:
        """``texts``: sections over the shipped ones."""
        self._environment, self._texts = environment, texts


class Entities(CompanyStage):
    """Names by rule, with present values; of a long wiki one small call tells the subjects."""

    def run(
        self, task: StageInput, briefing: str, client: ModelClient | None, ledger: Ledger
    ) -> Finding:
        """``facts``: ``permission`` (who and what, certain or likely), ``candidates``, ``told``.

        ``about``: subjects, in the words of rule books.

        A guest's task names nothing that may be looked up.
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
            user = f"<task>\n{as_data(task.text)}\n</task>"
            read, failed = ask_once(client, system(self._texts), user, ["about"], _read)
            about = read or []
        facts["about"] = about
        return Finding(text=text, facts=facts if text or about else {}, failed=failed)


def system(texts: Texts = NONE) -> str:
    """The beginning of the small call's prompts."""
    return prompt(PROMPTS, "entities", texts, topics=TOPICS)


def _read(reply: dict[str, object]) -> list[str]:
    """What the task is about. Raises ValueError: nothing is said."""
    if not (about := regex.findall(r"\p{L}+", str(reply["about"] or "")[:ABOUT_CHARS])):
        raise ValueError("about says nothing")
    return about


def remember(environment: StageEnvironment, finding: Finding) -> None:
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
