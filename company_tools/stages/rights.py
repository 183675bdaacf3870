"""The stages about what who asks may do: ``guest``, ``ties``, ``watchdog``, ``current_user``.

``guest`` and ``ties`` ask no model. ``ties`` ends a task where nobody can tell who asks.
``watchdog`` is a model's word, by rules alone; it
denies only where it names the line that does, and in doubt leaves the task to the strategy.
``current_user`` answers questions about who asks, while work goes on.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from pydantic import TypeAdapter

from company_tools import profile
from company_tools.company_session import CompanySession, unless_refused
from company_tools.final_answer import FinalAnswer
from company_tools.names import Named
from company_tools.registry import DENIED, FAILED
from company_tools.stages.entities import PROMPTS, CompanyStage, facts_of, tagged
from company_tools.stages.rule_book import rules_of
from company_tools.words import within
from core.ledger import Ledger, Tool, ToolFault, tool
from core.ledger.calls import shorten
from core.ledger.tool import plain
from core.models.model_client import ModelClient
from core.models.prompts import prompt
from core.models.reprompt import ask_once
from core.models.sections import NONE, Texts
from core.runs.task import Finding, StageInput, Verdict

TARGETS_AT_MOST = 3
REASON_CHARS = 240


class Guest(CompanyStage):
    """Tells a guest's strategy what may be said; without a model, and nothing to anybody else."""

    def run(self, task: StageInput, client: ModelClient | None, ledger: Ledger) -> Finding:
        """The playbook."""
        with self._environment.reading(ledger) as (session, _):
            guest = session.known_guest
        return Finding(text=prompt(PROMPTS, "guest", self._texts) if guest else "")


class Ties(CompanyStage):
    """What ties who asks to who and what is named."""

    def run(self, task: StageInput, client: ModelClient | None, ledger: Ledger) -> Finding:
        """The ties in words, as facts by id, or the verdict of a fact."""
        with self._environment.reading(ledger) as (session, _):
            if session.identity_fault:
                reason = f"nobody can tell who asks: {session.identity_fault}"[:REASON_CHARS]
                closing = FinalAnswer("error_internal", FAILED, ()).as_text()
                verdict = Verdict(closing=closing, reason=reason, by="rule")
                return Finding(text=reason, verdict=verdict)
            ties = _ties_to(session, task)
        same: dict[str, list[str]] = {}
        for id, words in ties.items():
            same.setdefault(words, []).append(id)
        text = "; ".join(f"{', '.join(ids)}: {words}" for words, ids in same.items())
        return Finding(text=text, facts=dict(ties))


def _ties_to(session: CompanySession, task: StageInput) -> dict[str, str]:
    """By id what ties who asks to what a right can hang on; nothing of what has no record."""
    named = TypeAdapter(list[Named]).validate_python(facts_of(task, "entities").get("security", []))
    # Most rights hang on a role in a project or on the account of a customer.
    rows = sorted(named, key=lambda row: row.kind == "employee")[:TARGETS_AT_MOST]
    read = partial(profile.tie, session, session.requester)
    known = {
        row.id: unless_refused(partial(read, row.kind, row.id), None)
        for row in rows
        if session.requester
    }
    return {id: one for id, one in known.items() if one}


LEAST_QUOTED = 12
"""Characters of a line that is quoted."""


class Watchdog(CompanyStage):
    """One call that sees who asks, the task, the ties and the rules, nothing of the strategy."""

    def run(self, task: StageInput, client: ModelClient | None, ledger: Ledger) -> Finding:
        """A denial by a rule, or what the model says; nothing without a model."""
        if client is None:
            return Finding()
        requester = "guest"
        with self._environment.reading(ledger) as (session, _):
            if not session.known_guest:
                user = session.user()
                who = {"id": user.id, "department": user.department, "location": user.location}
                requester = json.dumps(who, ensure_ascii=False)
        rules = rules_of(task)
        facts = json.dumps(facts_of(task, "ties"), ensure_ascii=False, separators=(",", ":"))
        seen = tagged(asker=requester, ask=task.text, facts=facts, rules=rules)
        read = partial(_judged, rules=rules, is_guest=requester == "guest")
        found, failed = ask_once(client, self._system("watchdog"), seen, ["verdict"], read)
        return found or Finding(failed=failed)


def _judged(reply: dict[str, object], rules: str, *, is_guest: bool) -> Finding:
    """What to tell the strategy, and the denial that a rule bears out; a guest's needs none.

    Raises ValueError: the verdict is none.
    """
    verdict = str(reply["verdict"]).strip().casefold()
    if verdict not in ("allowed", "denied", "unclear"):
        raise ValueError(f"the verdict {verdict[:40]!r} does not exist")
    texts = [str(reply.get(name) or "") for name in ("rule", "reason", "message")]
    line, reason, message = (" ".join(text.split())[:REASON_CHARS] for text in texts)
    named = len(line) >= LEAST_QUOTED and within(line, rules)
    told = f'{reason} ("{line}")' if named else reason
    if verdict == "denied" and reason and (named or is_guest):
        end = FinalAnswer("denied_security", message or DENIED, ()).as_text()
        return Finding(
            text=f"denied: {told}", verdict=Verdict(closing=end, reason=told, by="model")
        )
    if verdict == "unclear":
        return Finding(text=f"unclear: {reason}")
    if not named:
        return Finding(text=f"no rule seen that decides; perhaps {verdict}: {reason}")
    return Finding(text=f"{verdict}: {told}")


TOOL_SECTION = "company/tools/Ask_Current_User"
"""What the tool's text for the model is called as a section."""
QUESTION_CHARS = 1_000
ANSWER_CHARS = 1_000
USER_CHARS = 4_000
"""Of their record, with its notes, as JSON."""
TIES_CHARS = 4_000


def question_tool(ask: Callable[[str], str], texts: Texts = NONE) -> Tool:
    """The tool by which code asks; ``ask`` answers a question or raises ToolFault.

    ``texts``: sections over the shipped ones.
    """

    def Ask_Current_User(question: str) -> str:
        """A model's words on who asks: their record, projects, rights, the rules that apply; no
        evidence for an answer. RuntimeError where it does not answer"""
        return ask(question)

    made = tool("read", Ask_Current_User)
    return replace(made, doc=texts.get(TOOL_SECTION, made.doc))


class CurrentUser(CompanyStage):
    """Answers a question from the record, ties and rules of who asks, all looked up when asked."""

    def run(self, task: StageInput, client: ModelClient | None, ledger: Ledger) -> Finding:
        """The answer to ``task.text``, or why there is none.

        Raises ToolFault: the question is empty or too long, or the system does not answer.
        """
        question = task.text.strip()
        if not 0 < len(question) <= QUESTION_CHARS:
            raise ToolFault(f"a question has 1 to {QUESTION_CHARS} characters")
        if client is None:
            return Finding(failed="there is no model to ask")
        with self._environment.reading(ledger) as (session, _):
            (row,) = profile.Combo_Get_Current_User_With_Profile(session)
            user = dict(vars(row.data))
            for field, role in (("led", "Lead"), ("member_of", "")) if session.requester else ():
                projects = profile.projects_of(session, session.requester, role)
                user[field] = [profile.project_line(project) for project in projects]
            ties = _ties_to(session, task)
            seen = prompt(
                PROMPTS,
                "current_user_question",
                user=shorten(plain(user), USER_CHARS),
                ties=shorten(ties, TIES_CHARS),
                rules=rules_of(task),
                request=session.task,
                question=question,
            )
        answer, failed = ask_once(client, self._system("current_user"), seen, ["answer"], _answer)
        return Finding(text=answer or "", failed=failed)


def _answer(reply: dict[str, object]) -> str:
    """Raises ValueError: it says nothing."""
    answer = reply["answer"]
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    if not (text := " ".join(text.split())):
        raise ValueError("the answer is empty")
    return text if len(text) <= ANSWER_CHARS else f"{text[:ANSWER_CHARS]}…"
