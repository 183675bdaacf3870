"""The stage ``policy``: a model's word whether who asks may have what they ask, by rules alone.

It denies only where it names the line that does. In doubt it leaves the task to the strategy.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from company_tools.company_session import CompanySession
from company_tools.rule_words import within
from company_tools.stages.entities import CompanyStage, facts_of, tagged
from company_tools.stages.rule_book import rules_of
from company_tools.stages.ties import DENIED, REASON_CHARS, final_answer_of
from core.ledger import Ledger
from core.models.model_client import ModelClient
from core.models.reprompt import ask_once
from core.runs.task import Finding, StageInput, Verdict

LEAST_WORDS = 12
"""Characters of a line that is quoted."""


class Judgement(NamedTuple):
    """What a model says."""

    verdict: str
    line: str
    """Words of the rule that decides; "" for none."""
    reason: str
    message: str


class Policy(CompanyStage):
    """One call that sees who asks, the task, the ties and the rules, nothing of the strategy."""

    def run(
        self, task: StageInput, briefing: str, client: ModelClient | None, ledger: Ledger
    ) -> Finding:
        """A denial by a rule, or what the model says; nothing without a model."""
        if client is None:
            return Finding()
        with self._environment.reading(ledger) as (session, _):
            requester = _requester(session)
        rules = rules_of(task)
        facts = json.dumps(facts_of(task, "ties"), ensure_ascii=False, separators=(",", ":"))
        user = tagged(asker=requester, ask=task.text, facts=facts, rules=rules)
        judged, failed = ask_once(client, self._system("policy"), user, ["verdict"], _read)
        if judged is None:
            return Finding(failed=failed)
        text, verdict = _weighed(judged, rules, guest=requester == "guest")
        return Finding(text=text, verdict=verdict)


def _requester(session: CompanySession) -> str:
    if session.known_guest:
        return "guest"
    user = session.user()
    who = {"id": user.id, "department": user.department, "location": user.location}
    return json.dumps(who, ensure_ascii=False)


def _read(reply: dict[str, object]) -> Judgement:
    """Raises ValueError: it is none."""
    verdict = str(reply["verdict"]).strip().casefold()
    if verdict not in ("allowed", "denied", "unclear"):
        raise ValueError(f"the verdict {verdict[:40]!r} does not exist")
    line, reason, message = (_line(reply.get(name)) for name in ("rule", "reason", "message"))
    return Judgement(verdict, line, reason, message)


def _line(text: object) -> str:
    return " ".join(str(text or "").split())[:REASON_CHARS]


def _weighed(judged: Judgement, rules: str, *, guest: bool) -> tuple[str, Verdict | None]:
    """What to tell the strategy, and the denial that a rule bears out; a guest's needs none."""
    named = len(judged.line) >= LEAST_WORDS and within(judged.line, rules)
    line = f' ("{judged.line}")' if named else ""
    if judged.verdict == "denied" and judged.reason and (named or guest):
        end = final_answer_of("denied_security", judged.message or DENIED)
        reason = f"{judged.reason}{line}"
        return f"denied: {reason}", Verdict(closing=end, reason=reason, by="model")
    if judged.verdict == "unclear":
        return f"unclear: {judged.reason}", None
    if not named:
        return f"no rule seen that decides; perhaps {judged.verdict}: {judged.reason}", None
    return f"{judged.verdict}: {judged.reason}{line}", None
