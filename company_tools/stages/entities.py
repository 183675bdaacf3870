"""The stage ``entities``: whom and what a task names, with the values that stand there now.

What is told here saves the strategy a look-up before a small change. A few requests at most, most
of them for records that the stages behind this one read anyway.
"""

from __future__ import annotations

import json
from functools import partial

import regex
from pydantic import TypeAdapter

from company_tools.briefing import whole_pages
from company_tools.company_session import CompanySession
from company_tools.environment import CompanyEnvironment
from company_tools.evidence import Known
from company_tools.reading_session import unless_refused
from company_tools.rule_book import TOPICS
from company_tools.stages.present_values import PresentValues
from company_tools.stages.spotting import Named, Spotted, contacts_called, described, spot
from company_tools.wiki_pages import wiki_pages
from core.ledger import Ledger
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
            spotted = _spotted(task.text, session)
            pages = unless_refused(lambda: wiki_pages(session, wiki), {})
        about, failed = None, ""
        long_wiki = len(whole_pages(pages)) < len(pages)
        if client is not None and long_wiki and len(spotted.other_words) >= LEAST_LEFT:
            user = tagged(task=task.text)
            about, failed = ask_once(client, self._system("entities"), user, ["about"], _read)
        with self._environment.reading(ledger) as (session, _):
            present = PresentValues(session, task.text, spotted, about)
            lines = present.lines()
        text = "\n".join(filter(None, [_text(spotted), *lines]))
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


def _spotted(text: str, session: CompanySession) -> Spotted:
    """What a text names or describes, customers by their contacts too."""
    spotted = spot(text, session)
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


def _text(spotted: Spotted) -> str:
    """What is named in a line; each record is described where it stands first.

    The mail stands there only of who is meant: of several it tells nobody apart.
    """
    described: set[str] = set()

    def line(one: Named, email: str = "") -> str:
        about = (one.about, email) if one.id not in described else ()
        described.add(one.id)
        return f"{one.name} ({', '.join(filter(None, (f'{one.kind} {one.id}', *about)))})"

    certain = ", ".join(line(one, one.email) for one in spotted.certain)
    parts = [f"named: {certain}"] if certain else []
    for choice in spotted.choices:
        phrases = ", ".join(
            json.dumps(said, ensure_ascii=False) for said in (choice.said, *choice.also)
        )
        if not choice.found:
            parts.append(f"no person, project or customer is called {phrases}")
        elif len(choice.found) > SEVERAL:
            parts.append(f"{phrases} may be any of {len(choice.found)} people")
        else:
            alone = len(choice.found) == 1
            candidates = (line(one, one.email if alone else "") for one in choice.found)
            parts.append(f"{phrases} may be: {', '.join(candidates)}")
    return "; ".join(parts)
