"""The stage ``wording``: the message in the question's language and forms; never outcome or links.

Digits, dates and a "Yes" that holds a "No" are put right by rule. A model is asked only where the
message is in another language than the question, for certain; what it says must name the same
records and figures.
"""

from __future__ import annotations

from datetime import date

import regex

from company_tools.company_session import CompanySession
from company_tools.final_answer import NoFinalAnswer, named_in, read_final_answer
from company_tools.stages.entities import CompanyStage, tagged
from company_tools.stages.language import language
from core.ledger import Ledger
from core.models.model_client import ModelClient
from core.models.reprompt import ask_once
from core.runs.task import Finding, StageInput

_FIGURE = regex.compile(
    r"salar|\bpay\b|\bearn|\bwage|how much|how many|\btotal\b|\bsum\b|\bdigits?\b|\bnumbers?\b",
    regex.I,
)
"""A question for a figure; a quoted text is left as it is."""
_GROUPED = regex.compile(
    r"(?<![\d.,'’\u00a0\u202f])\d{1,3}(?:([,'’\u00a0\u202f])\d{3})(?:\1\d{3})*(?![\d,'’]\d)(?!\d)"
)
_ISO = regex.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_MASK = regex.compile(
    r"(?<![A-Za-z])(?:DD|MM|YYYY|YY)([./ -])(?:DD|MM|YYYY|YY)\1(?:DD|MM|YYYY|YY)(?![A-Za-z])",
    regex.I,
)
_YES_NO = regex.compile(
    r"\byes\b\W{0,3}(?:(?:or|and)\W+)?\W{0,3}\bno\b|\bno\b\W{0,3}(?:or\W+)?\W{0,3}\byes\b", regex.I
)
_OPENS = regex.compile(r"\W*(Yes|No)\b")
_FIXED = regex.compile(
    r"(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]++@[\p{L}\p{N}.-]+\p{L}"
    r"|(?<![\p{L}\p{N}.-])[\p{L}\p{N}.-]*+_[\p{L}\p{N}_.-]*[\p{L}\p{N}_]"
    r"|\d[\d.,:/-]*\d|\d"
)
"""What a translation keeps: mail addresses, ids, figures, dates."""
LEAST_CHARS = 25
"""A shorter message is a literal, whatever the language."""


class Wording(CompanyStage):
    """The last look at the words of a message."""

    def run(
        self, task: StageInput, briefing: str, client: ModelClient | None, ledger: Ledger
    ) -> Finding:
        """``words``: the FINISH with the message as it should be, where that is another one."""
        with self._environment.reading(ledger) as (session, _):
            try:
                message = read_final_answer(task.final_answer, session).message
            except NoFinalAnswer:
                return Finding()
            words, failed = by_rule(task.text, message), ""
            wanted = language(task.text) if len(words) >= LEAST_CHARS else ""
            if client is not None and wanted and language(words) not in ("", wanted):
                user, system = tagged(question=task.text, answer=words), self._system("wording")
                translated, failed = ask_once(client, system, user, ["answer"], _answer)
                if translated and (lost := _lost(words, translated, session)):
                    failed = f"other words would lose {', '.join(lost[:3])}"
                elif translated:
                    words = translated
        if words == message:
            return Finding(failed=failed)
        # The links are those of the strategy, by what it has seen itself.
        again = self._environment.reworded(task.final_answer, words, ledger)
        return Finding(words=again, failed=failed)


def by_rule(question: str, message: str) -> str:
    """The message with figures, dates and Yes or No as the question wants them."""
    words = message
    if _FIGURE.search(question):
        # Without separators, unless the question writes the figure so.
        words = _GROUPED.sub(
            lambda m: m[0] if m[0] in question else regex.sub(r"\D", "", m[0]), words
        )
    if mask := _MASK.search(question):
        words = _ISO.sub(lambda m: _dated(m, mask[0]), words)
    if _YES_NO.search(question):
        words = _one_answer(words)
    return words


def _dated(match: regex.Match[str], mask: str) -> str:
    try:
        day = date(*map(int, match.groups()))
    except ValueError:
        return str(match[0])
    parts = {"yyyy": f"{day.year:04}", "yy": f"{day.year % 100:02}", "mm": f"{day.month:02}"}
    parts["dd"] = f"{day.day:02}"
    return str(regex.sub(r"yyyy|yy|mm|dd", lambda m: parts[m[0].casefold()], mask, flags=regex.I))


def _one_answer(message: str) -> str:
    """A Yes without any "No" in the sentences behind it, and the other way round."""
    opens = _OPENS.match(message)
    if opens is None:
        return message
    other = "No" if opens[1] == "Yes" else "Yes"
    if other not in message:
        return message
    first, *rest = regex.split(r"(?<=[.!?])\s+|\n+", message.strip())
    sentences = [
        opens[1] if other in first else first,
        *(part for part in rest if other not in part),
    ]
    return " ".join(sentences)


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
