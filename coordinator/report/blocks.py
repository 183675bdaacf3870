"""Parts of a turn made ready for a template: code with its calls, bars, short texts."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from coordinator.report.highlight import code_lines
from coordinator.report.records import Act, Asked, Story
from ledger import ToolCall
from models.records import Usage
from worker.report import StepRecord, fit_json

DASH = "–"
ANSWER_CHARS = 12_000
"""Of one answer; longer ones lose the middle of their lists, with a note."""
PEEK_CHARS = 90
REQUESTS_SHOWN = 30


@dataclass(frozen=True)
class Chunk:
    """Lines of code up to one that made calls, and those calls."""

    first: int
    lines: tuple[Markup, ...]
    calls: tuple[ToolCall, ...]


@dataclass(frozen=True)
class Block:
    """One snippet of a turn, cut where it made calls."""

    step: StepRecord
    chunks: tuple[Chunk, ...]
    loose: tuple[ToolCall, ...]
    """Calls of the snippet whose line is not known."""


@dataclass(frozen=True)
class Bar:
    """A stacked bar: (class, start, width) in percent of the longest of its chart."""

    parts: tuple[tuple[str, float, float], ...]


def blocks(act: Act) -> list[Block]:
    """The snippets of a turn, each with its calls under their lines."""
    tools = frozenset(call.name for call in act.tools)
    return [_block(n, step, act.tools, tools) for n, step in enumerate(act.steps, start=1)]


def strays(act: Act) -> list[ToolCall]:
    """Calls that belong to no snippet that is known."""
    known = range(1, len(act.steps) + 1)
    return [call for call in act.tools if call.step not in known]


def _block(
    number: int, step: StepRecord, calls: Iterable[ToolCall], tools: frozenset[str]
) -> Block:
    lines = code_lines(step.code, tools)
    under: dict[int, list[ToolCall]] = {}
    loose: list[ToolCall] = []
    for call in calls:
        if call.step == number:
            inside = call.line is not None and 1 <= call.line <= len(lines)
            (under.setdefault(call.line or 0, []) if inside else loose).append(call)
    chunks: list[Chunk] = []
    begin = 0
    for line in [*sorted(under), len(lines)]:
        if line > begin:
            made = tuple(under.get(line, ()))
            chunks.append(Chunk(begin + 1, tuple(lines[begin:line]), made))
            begin = line
    return Block(step, tuple(chunks), tuple(loose))


def time_bars(story: Story) -> list[Bar]:
    """Per turn where the seconds went: evaluator, worker's model, tools, the rest."""
    rows = []
    for act in story.acts:
        eyes = sum(call.seconds for call in act.asked if call.role == "evaluator")
        hands = sum(call.seconds for call in act.asked if call.role != "evaluator")
        tools = sum(call.seconds for call in act.tools)
        rest = max((act.seconds or 0.0) - eyes - hands - tools, 0.0)
        rows.append([("eyes", eyes), ("hands", hands), ("tools", tools), ("rest", rest)])
    return _bars(rows)


def token_bars(story: Story) -> list[Bar]:
    """Per turn the tokens that are known: prompt read anew, prompt from a cache, completion."""
    rows: list[list[tuple[str, float]]] = []
    for act in story.acts:
        cached = sum(call.usage.cached or 0 for call in act.asked)
        prompt = sum(call.usage.prompt or 0 for call in act.asked)
        said = sum(call.usage.completion or 0 for call in act.asked)
        rows.append([("eyes", max(prompt - cached, 0)), ("rest", cached), ("hands", said)])
    return _bars(rows)


def _bars(rows: Iterable[list[tuple[str, float]]]) -> list[Bar]:
    kept = list(rows)
    longest = max((sum(size for _, size in row) for row in kept), default=0.0) or 1.0
    bars = []
    for row in kept:
        parts, at = [], 0.0
        for kind, size in row:
            width = round(100 * size / longest, 2)
            if width:
                parts.append((kind, round(at, 2), width))
            at += width
        bars.append(Bar(tuple(parts)))
    return bars


def tokens_of(calls: Iterable[Asked]) -> int | None:
    """Prompt and completion tokens of calls; None as soon as one is unknown."""
    total = Usage(prompt=0, completion=0)
    for call in calls:
        total = total + call.usage
    return tokens(total)


def tokens(usage: Usage) -> int | None:
    """Prompt and completion tokens; None where one of them is unknown."""
    if usage.prompt is None or usage.completion is None:
        return None
    return usage.prompt + usage.completion


def peek(value: object, limit: int = PEEK_CHARS) -> str:
    """The beginning of a value as JSON, for one line."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return cut(text, limit)


def cut(text: str, limit: int = PEEK_CHARS) -> str:
    """The beginning of a text, for one line."""
    return text if len(text) <= limit else f"{text[:limit]}…"


def arguments(call: ToolCall) -> str:
    """The arguments of a call as code would write them, cut for one line."""
    text = ", ".join(f"{name}={peek(value)}" for name, value in call.arguments.items())
    return cut(text)


def answer(value: object) -> str:
    """A whole value as JSON that can be read again, shortened only where it is very long."""
    return fit_json(value, ANSWER_CHARS)


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
