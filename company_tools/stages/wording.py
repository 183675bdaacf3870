"""The stage ``wording``: the message in the question's language; never outcome or links.

A model is asked, and what it says must name the same records, figures and dates.
"""

from __future__ import annotations

from dataclasses import replace

import regex

from company_tools.company_session import CompanySession
from company_tools.final_answer import (
    FinalAnswer,
    NoFinalAnswer,
    links_of,
    named_in,
    read_final_answer,
)
from company_tools.stages.entities import CompanyStage, tagged
from core.ledger import Ledger
from core.models.model_client import ModelClient
from core.models.reprompt import ask_once
from core.runs.task import Finding, StageInput

_FIXED = regex.compile(
    r"(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]++@[\p{L}\p{N}.-]+\p{L}"
    r"|(?<![\p{L}\p{N}.-])[\p{L}\p{N}.-]*+_[\p{L}\p{N}_.-]*[\p{L}\p{N}_]"
    r"|\d[\d.,:/-]*\d|\d"
)
"""What a translation keeps: mail addresses, ids, figures, dates."""


class Wording(CompanyStage):
    """The last look at the words of a message."""

    def run(self, task: StageInput, client: ModelClient | None, ledger: Ledger) -> Finding:
        """``words``: the message as it should be, where that is another one."""
        if client is None:
            return Finding()
        with self._environment.reading(ledger) as (session, _):
            try:
                answer = read_final_answer(task.final_answer, session)
            except NoFinalAnswer:
                return Finding()
            user = tagged(question=task.text, answer=answer.message)
            words, failed = ask_once(client, self._system("wording"), user, ["answer"], _answer)
            if words and (lost := _lost(answer.message, words, session)):
                words, failed = None, f"other words would lose {', '.join(lost[:3])}"
            if not words or words == answer.message:
                return Finding(failed=failed)
            return Finding(words=reworded(answer, words, session).as_text())


def reworded(answer: FinalAnswer, words: str, session: CompanySession) -> FinalAnswer:
    """An answer in other words: the links are those of the old ones."""
    return replace(answer, message=words, links=links_of(answer, session))


def _answer(reply: dict[str, object]) -> str:
    words = reply["answer"]
    if not isinstance(words, str) or not words.strip():
        raise ValueError("the answer is no text")
    return words.strip()


def _lost(before: str, after: str, session: CompanySession) -> list[str]:
    """What the other words have lost or added: figures, ids, names of records."""
    was, now = set(_FIXED.findall(before)), set(_FIXED.findall(after))
    named = {known.name or known.id for known in named_in(before, session)}
    then = {known.name or known.id for known in named_in(after, session)}
    return sorted((was ^ now) | (named ^ then))
