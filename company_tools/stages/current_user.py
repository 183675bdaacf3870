"""The stage ``current_user``: a model answers questions about who asks, while work goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from company_tools import listings
from company_tools.briefing import project_line
from company_tools.company_session import CompanySession
from company_tools.profile import Combo_Get_Current_User_With_Profile, ties
from company_tools.stages.entities import PROMPTS, CompanyStage
from company_tools.stages.rule_book import rules_of
from company_tools.stages.ties import plain as plain_ties
from company_tools.stages.ties import targets_of, ties_to
from core.ledger import Ledger, Tool, ToolFault, tool
from core.ledger.calls import shorten
from core.ledger.tool import plain
from core.models.model_client import ModelClient
from core.models.prompts import prompt
from core.models.reprompt import ask_once
from core.models.sections import NONE, Texts
from core.runs.task import Finding, StageInput

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

    def run(
        self, task: StageInput, briefing: str, client: ModelClient | None, ledger: Ledger
    ) -> Finding:
        """The answer to ``task.text``, or why there is none.

        Raises ToolFault: the question is empty or too long, or the system does not answer.
        """
        question = task.text.strip()
        if not 0 < len(question) <= QUESTION_CHARS:
            raise ToolFault(f"a question has 1 to {QUESTION_CHARS} characters")
        if client is None:
            return Finding(failed="there is no model to ask")
        user = self._prompt(question, task, ledger)
        answer, failed = ask_once(client, self._system("current_user"), user, ["answer"], _read)
        return Finding(text=answer or "", failed=failed)

    def _prompt(self, question: str, task: StageInput, ledger: Ledger) -> str:
        with self._environment.reading(ledger) as (session, _):
            user = Combo_Get_Current_User_With_Profile(session)
            if session.requester:
                on = ties(session, session.requester)
                user |= {"led": _lines(session, on.led), "member_of": _lines(session, on.member_of)}
            asked = session.task
            return prompt(
                PROMPTS,
                "current_user_question",
                user=shorten(plain(user), USER_CHARS),
                ties=shorten(plain_ties(ties_to(session, targets_of(task))), TIES_CHARS),
                rules=rules_of(task),
                request=asked,
                question=question,
            )


def _lines(session: CompanySession, ids: list[str]) -> list[str]:
    return [project_line(project) for project in listings.projects_of(session, ids)]


def _read(reply: dict[str, object]) -> str:
    """Raises ValueError: it says nothing."""
    answer = reply["answer"]
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    if not (text := " ".join(text.split())):
        raise ValueError("the answer is empty")
    return text if len(text) <= ANSWER_CHARS else f"{text[:ANSWER_CHARS]}…"
