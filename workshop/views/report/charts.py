"""Where the seconds and the tokens of each turn went, as stacked bars."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

from core.runs.task_record import TaskRecord, TurnLog

Parts = list[tuple[str, float]]
"""Parts of a bar: class and size."""
LEAST_PERCENT = 0.005
"""A part that is smaller is not drawn."""


@dataclass(frozen=True)
class Bar:
    """One part of a stacked bar, in percent of the longest bar."""

    kind: str
    x: float
    width: float


def charts(record: TaskRecord) -> list[tuple[TurnLog, list[Bar], list[Bar]]]:
    """Of each turn the bars of its time and of its tokens, as far as they are known."""
    times = _bars(_times(act) for act in record.turns)
    spent = _bars(_tokens(act) for act in record.turns)
    return list(zip(record.turns, times, spent, strict=True))


def _times(act: TurnLog) -> Parts:
    evaluator = sum(call.seconds for call in act.asked if call.role == "evaluator")
    worker = sum(call.seconds for call in act.asked if call.role == "worker")
    tools = sum(call.seconds for call in act.tools)
    rest = max((act.seconds or 0.0) - evaluator - worker - tools, 0.0)
    return [("evaluator", evaluator), ("worker", worker), ("tools", tools), ("rest", rest)]


def _tokens(act: TurnLog) -> Parts:
    cached = sum(call.usage.cached or 0 for call in act.asked)
    prompt = sum(call.usage.prompt or 0 for call in act.asked)
    completion = sum(call.usage.completion or 0 for call in act.asked)
    return [("prompt", max(prompt - cached, 0)), ("cached", cached), ("completion", completion)]


def _bars(rows: Iterable[Parts]) -> list[list[Bar]]:
    """The longest of the bars is as wide as there is room."""
    every = list(rows)
    scale = 100 / (max((sum(size for _, size in row) for row in every), default=0.0) or 1.0)
    bars = []
    for row in every:
        widths = [size * scale for _, size in row]
        places = accumulate(widths, initial=0.0)
        parts = zip(row, places, widths, strict=False)
        drawn = [(kind, x, width) for (kind, _), x, width in parts if width >= LEAST_PERCENT]
        bars.append([Bar(kind, round(x, 2), round(width, 2)) for kind, x, width in drawn])
    return bars
