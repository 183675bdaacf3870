"""The stage ``policy``: whether who asks may have what they ask, by facts and rule lines alone.

It denies only where a rule decides: a fact of the session, or a model that names the line. In
doubt it leaves the task to the strategy, with what is known as its finding.
"""

from __future__ import annotations

import json
from typing import NamedTuple

import regex
from pydantic import TypeAdapter

from company_tools.company_session import CompanySession
from company_tools.permissions import (
    CustomerFacts,
    EmployeeFacts,
    ProjectFacts,
    TargetFacts,
    rule_lines,
    target_facts,
)
from company_tools.stages.entities import PROMPTS, CompanyStage
from company_tools.stages.spotting import Named
from company_tools.wiki_pages import wiki_pages
from company_tools.wiki_store import Pages
from core.ledger import Ledger, ToolFault
from core.models.model_client import ModelClient
from core.models.prompt_json import as_data
from core.models.prompts import prompt
from core.models.reprompt import ask_once
from core.models.sections import NONE, Texts
from core.models.tokens import count_text
from core.runs.task import Finding, StageInput, Verdict

TARGETS_AT_MOST = 3
RULE_TOKENS = 800
RULE_CHARS = 1_600
"""Of one line: its end may be what forbids."""
REASON_CHARS = 240
NOBODY = "The request could not be completed because of an internal error."
DENIED = "I am not allowed to do or tell that."
_POLITE = regex.compile(
    r"(?:(?:hi|hello|hey|please|kindly|could you|can you|would you|just|also|now|i want you to"
    r"|i need you to)\b[\s,!.:–-]*)+",
    regex.I,
)
_CHANGES = regex.compile(
    r"(?:log|book|record|put down|set|change|update|raise|increase|lower|reduce|pause|archive"
    r"|reactivate|delete|remove|wipe|erase|rename|rewrite|edit|swap|void|approve)\b[^.?!]{0,80}"
    r"\b(?:hours|time entr|timesheets?|salar|pay\b|projects?\b|notes?\b|wiki|pages?\b|teams?\b"
    r"|skills?\b|employees?\b|customers?\b|records?\b|data\b)",
    regex.I,
)
"""An order to change the company's records, at the beginning of a sentence."""
_SAYS = regex.compile(r"(?<!\p{L})(?:\p{L}{2,}+\P{L}++){3}")
"""A line with something to say: no ruling of a table, no bare title."""
_SENTENCE = regex.compile(r"(?<=[.!?])\s+|\n+")


class Judgement(NamedTuple):
    """What a model says."""

    verdict: str
    rule: int
    """Number of the line that decides, from 1; 0: none."""
    reason: str
    message: str


def system(texts: Texts = NONE) -> str:
    """What the prompts of its call begin with."""
    return prompt(PROMPTS, "policy", texts)


class Policy(CompanyStage):
    """A rule's verdict where facts decide, else one call that sees nothing of the strategy."""

    def run(
        self, task: StageInput, briefing: str, client: ModelClient | None, ledger: Ledger
    ) -> Finding:
        """The verdict, or what ties who asks to what is named."""
        with self._environment.reading(ledger) as (session, wiki):
            ruled = by_rule(task.text, session)
            if ruled and (client is None or session.identity_fault):
                return Finding(text=ruled.reason, verdict=ruled)
            ties = ties_to(session, targets_of(task))
            facts, tied = plain(ties), _in_words(ties)
            if client is None:
                return Finding(text=tied, facts=facts)
            rules = rules_for(session, wiki_pages(session, wiki), task.text)
            requester = _requester(session)
        user = _user(requester, task.text, facts, rules)
        judged, failed = ask_once(client, system(self._texts), user, ["verdict"], _read)
        verdict, reason = _weighed(judged, ruled, rules, guest=requester == "guest")
        text = "; ".join(part for part in (reason, tied) if part)
        return Finding(text=text, facts=facts, verdict=verdict, failed=failed)


def by_rule(text: str, session: CompanySession) -> Verdict | None:
    """The verdict of a fact that leaves nothing else; None where it needs a judgement."""
    if session.identity_fault:
        reason = f"nobody can tell who asks: {session.identity_fault}"[:REASON_CHARS]
        return Verdict(closing=_closing("error_internal", NOBODY), reason=reason, by="rule")
    if session.known_guest and any(map(_orders_change, _SENTENCE.split(text))):
        reason = "a guest wants something changed, and a guest changes nothing"
        return Verdict(closing=_closing("denied_security", DENIED), reason=reason, by="rule")
    return None


def _orders_change(sentence: str) -> bool:
    polite = _POLITE.match(sentence.strip())
    return _CHANGES.match(sentence.strip(), polite.end() if polite else 0) is not None


def _closing(outcome: str, message: str) -> str:
    return f"OUTCOME: {outcome}\nMESSAGE: {message}\nLINKS: none"


def targets_of(task: StageInput) -> list[Named]:
    """What the step ``entities`` has found that a right can hang on, at most three."""
    facts = next((f.facts for f in task.earlier if f.step == "entities"), {})
    rows = TypeAdapter(list[Named]).validate_python(facts.get("permission", []))
    # Most rights hang on a role in a project or on the account of a customer.
    return sorted(rows, key=lambda row: row.kind == "employee")[:TARGETS_AT_MOST]


def ties_to(session: CompanySession, targets: list[Named]) -> dict[str, TargetFacts]:
    """By id what ties who asks to it; nothing of what cannot be looked up."""
    known: dict[str, TargetFacts] = {}
    for row in targets if session.requester else ():
        try:
            known[row.id] = target_facts(session, session.requester, row.id)
        except ToolFault as fault:
            if fault.fatal:
                raise
    return known


def plain(ties: dict[str, TargetFacts]) -> dict[str, object]:
    """The ties as plain data."""
    return {id: facts.model_dump(mode="json") for id, facts in ties.items()}


def _in_words(ties: dict[str, TargetFacts]) -> str:
    """The ties in a few words, for the strategy."""
    return "; ".join(f"{id}: {', '.join(_ties(facts))}" for id, facts in ties.items())


def _ties(facts: TargetFacts) -> list[str]:
    match facts:
        case EmployeeFacts(asker_is_target=True):
            return ["the user themselves"]
        case EmployeeFacts():
            led = facts.projects_of_target_that_asker_leads
            where = "the user's department" if facts.same_department else "another department"
            return [where, f"on projects that the user leads: {', '.join(led) or 'none'}"]
        case ProjectFacts():
            manager = "the user" if facts.asker_manages else "another"
            manager = "unknown" if facts.account_manager is None else manager
            return [
                f"the user's role there: {' and '.join(facts.asker_roles) or 'none'}",
                f"account manager of its customer: {manager}",
            ]
        case CustomerFacts():
            own = "" if facts.asker_is_account_manager else "not "
            return [f"the user is {own}its account manager"]
    return [facts.kind]


def _requester(session: CompanySession) -> str:
    if session.known_guest:
        return "guest"
    user = session.user()
    who = {"id": user.id, "department": user.department, "location": user.location}
    return json.dumps(who, ensure_ascii=False)


def rules_for(session: CompanySession, pages: Pages, text: str) -> list[str]:
    """The lines that speak of the ask and of who asks, best first, within a bound."""
    department = session.user().department or ""
    whose = "guest public outside" if session.known_guest else f"{department} everybody employed"
    lines: list[str] = []
    left = RULE_TOKENS
    for row in rule_lines(pages, f"{text} {whose}", RULE_CHARS):
        if not _SAYS.search(row.text):
            continue
        line = f"{row.page}:{row.line} {row.under}: {row.text}"
        if (tokens := count_text(line)) <= left:
            lines.append(line)
            left -= tokens
    return lines


def _user(requester: str, text: str, facts: dict[str, object], rules: list[str]) -> str:
    listed = "\n".join(f"{n}. {line}" for n, line in enumerate(rules, start=1)) or "none"
    ties = json.dumps(facts, ensure_ascii=False, separators=(",", ":"))
    parts = {"asker": requester, "ask": text, "facts": ties, "rules": listed}
    return "\n".join(f"<{name}>\n{as_data(text)}\n</{name}>" for name, text in parts.items())


def _read(reply: dict[str, object]) -> Judgement:
    """Raises ValueError: it is none."""
    verdict = str(reply["verdict"]).strip().casefold()
    if verdict not in ("allowed", "denied", "unclear"):
        raise ValueError(f"the verdict {verdict[:40]!r} does not exist")
    digits = regex.search(r"\d+", str(reply.get("rule") or "0"))
    reason, message = (_line(reply.get(field)) for field in ("reason", "message"))
    return Judgement(verdict, int(digits[0][:6]) if digits else 0, reason, message)


def _line(text: object) -> str:
    return " ".join(str(text or "").split())[:REASON_CHARS]


def _weighed(
    judged: Judgement | None, ruled: Verdict | None, rules: list[str], *, guest: bool
) -> tuple[Verdict | None, str]:
    """The verdict of rule and model, where they do not contradict each other; and what to say."""
    if judged is None:
        return ruled, ruled.reason if ruled else ""
    if judged.verdict == "allowed":
        against = f", yet {ruled.reason}" if ruled else ""
        return None, f"allowed: {judged.reason}{against}"
    verdict = _denied(judged, rules, guest=guest) or ruled
    if verdict:
        return verdict, f"denied: {verdict.reason}"
    if judged.verdict == "unclear":
        return None, f"unclear: {judged.reason}"
    return None, f"perhaps denied, by no line that is known: {judged.reason}"


def _denied(judged: Judgement, rules: list[str], *, guest: bool) -> Verdict | None:
    """The denial, where its rule is one of the lines; of a guest also where no line gives it."""
    named = 1 <= judged.rule <= len(rules)
    if judged.verdict != "denied" or not judged.reason or not (named or guest):
        return None
    line = f" ({rules[judged.rule - 1].split(' ')[0]})" if named else ""
    return Verdict(
        closing=_closing("denied_security", judged.message or DENIED),
        reason=f"{judged.reason}{line}",
        by="model",
    )
