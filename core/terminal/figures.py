"""Figures and short texts as a person reads them, on a page and in a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from pydantic_core import to_json

from core.ledger import ToolCall
from core.models.model_call import ModelCall, Usage, by_role, total_cost, total_usage
from core.runs.fit import fit
from core.runs.task import Finding
from core.runs.task_record import TurnLog

DASH = "–"
ANSWER_CHARS, ANSWER_TOKENS = 100_000, 30_000
"""A result with more characters is cut to so many tokens, each cut with a note."""
PEEK_CHARS = 90
NAMED = 5
_JSON = json.JSONEncoder(ensure_ascii=False, default=str)


def strays(act: TurnLog) -> list[ToolCall]:
    """Calls that belong to no snippet that is known."""
    known = range(1, len(act.steps) + 1)
    return [call for call in act.tools if call.step not in known]


def tokens_of(calls: Sequence[ModelCall]) -> int | None:
    """Prompt and completion tokens of calls; None as soon as one is unknown."""
    return tokens(total_usage(calls))


def spent_by_role(calls: Iterable[ModelCall]) -> list[str]:
    """What the calls of each role took, a line each."""
    return [
        f"{role}: {counted(len(some), 'call')}, {number(tokens_of(some))} tokens, "
        f"{dollars(total_cost(some))}, {seconds(sum(call.seconds for call in some))}"
        for role, some in by_role(calls).items()
    ]


def tokens(usage: Usage) -> int | None:
    """Prompt and completion tokens; None where one of them is unknown."""
    if usage.prompt is None or usage.completion is None:
        return None
    return usage.prompt + usage.completion


def found_parts(found: Finding) -> list[str]:
    """The parts of a stage's finding; [] if there is none."""
    verdict = found.verdict
    parts = (
        found.text,
        verdict and f"verdict by {verdict.by}: {verdict.reason}",
        found.objection and f"sent back: {found.objection}",
        found.words and f"reworded: {found.words}",
    )
    return [part for part in parts if part]


def peek(value: object, limit: int = PEEK_CHARS) -> str:
    """The beginning of a value as JSON, for one line."""
    return cut(_JSON.encode(value), limit)


def cut(text: str, limit: int = PEEK_CHARS) -> str:
    """The beginning of a text, for one line."""
    return text if len(text) <= limit else f"{text[:limit]}…"


def counted(many: int, what: str) -> str:
    """So many of something, in words."""
    return f"{many} {what}" if many == 1 else f"{many} {what}s"


def named(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are."""
    more = f", … {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def so_many_tasks(count: int) -> str:
    """So many tasks, in words."""
    return counted(count, "task")


def reason(error: str, eval_log: str, cause: str = "") -> str:
    """Why a task failed: its error, its cause, else what the platform's evaluator found wrong."""
    return error or cause or "; ".join(x for x in eval_log.splitlines() if not x.startswith("GOOD"))


def arguments(call: ToolCall) -> str:
    """The arguments of a call as code would write them, cut for one line."""
    text = ", ".join(f"{name}={peek(value)}" for name, value in call.arguments.items())
    return cut(text)


def answer(value: object) -> str:
    """Render a value as valid JSON, shortened only if it is very long."""
    try:
        text = to_json(value).decode()
    except ValueError:
        # Half characters: Python's own writer lets them pass.
        return fit(value, ANSWER_TOKENS)
    return text if len(text) <= ANSWER_CHARS else fit(value, ANSWER_TOKENS)


def number(value: float | None, digits: int = 0) -> str:
    """A number with thousands apart; unknown is a dash."""
    return DASH if value is None else f"{value:,.{digits}f}"


def seconds(value: float | None) -> str:
    """A time that a person can read; unknown is a dash."""
    if value is None:
        return DASH
    if value < 1:
        return f"{value * 1000:.0f} ms"
    return f"{value:.1f} s" if value < 120 else f"{int(value) // 60} min {int(value) % 60} s"


def dollars(value: float | None) -> str:
    """A price; unknown is a dash, which nothing is not."""
    if value is None:
        return DASH
    return "$0" if value == 0 else f"${value:.4f}"
