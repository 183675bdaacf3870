"""The stage ``entities``: what a task is about, whom and what it names, and what stands there now.

A model reads the task, and code resolves each name that it found against the records. What is told
here saves the strategy a look-up before a small change. A few requests at most, most of them for
records that the stages behind this one read anyway.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import regex

from company_tools.company_session import CompanySession, unless_refused
from company_tools.environment import CompanyEnvironment
from company_tools.evidence import Known, Told
from company_tools.names import Choice, Named, Resolved, described, resolve
from company_tools.rule_book import TOPICS
from company_tools.stages.present_values import PRIVATE, About, PresentValues
from company_tools.words import within, words
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


class Entities(CompanyStage):
    """What the task is about, by one small call; the records that its names mean, by code."""

    def run(self, task: StageInput, client: ModelClient | None, ledger: Ledger) -> Finding:
        """``facts``: ``security``, ``solving``, ``told``, ``about``.

        ``security``: who and what is named for certain or likely, which rights can hang on.
        ``solving``: names and descriptions that are open, with the records that they may mean.
        ``told``: what the strategy may name from now on. ``about``: subjects.
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
        return self._resolved(about, ledger)

    def _resolved(self, about: About, ledger: Ledger) -> Finding:
        """The records that a task means, in words and as facts."""
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
        present.told.records += [Known(one.kind, one.id, one.name) for one in named]
        self._environment.tell(present.told)
        facts: dict[str, object] = {
            "security": [one.model_dump() for one in resolved.likely],
            "solving": [one.model_dump() for one in (*resolved.choices, *found)],
            "told": present.told.model_dump(mode="json"),
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
    environment.tell(Told.model_validate(finding.facts.get("told", {})))


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
