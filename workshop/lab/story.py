"""The story of a task in plain lines, as the report tells it, for whoever shall learn from it."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from core.ledger import ToolCall
from core.runs.task import Turn
from core.runs.task_record import TaskRecord
from core.terminal.figures import cut

MOST_CHARS = 8_000
"""Of a whole story; its middle is left out first."""
_CUT = regex.compile(r"\S*…")
TEXT_CHARS = 700
CALL_CHARS = 260
CALLS_SHOWN = 10
"""Of a turn, the last ones."""


def story_of(log: TaskRecord) -> str:
    """Task, turns, calls, refusals, the end, and what the platform wanted."""
    # A word that was cut is left out: whoever masks the story would not know it.
    lines = [_CUT.sub("…", line) for line in _lines(log)]
    first: list[str] = []
    while lines and sum(map(len, first)) + len(lines[0]) <= MOST_CHARS // 2:
        first.append(lines.pop(0))
    left = len(lines)
    while lines and sum(map(len, lines)) > MOST_CHARS // 2:
        lines.pop(0)
    gone = left - len(lines)
    return "\n".join([*first, *([f"… {gone} lines left out …"] if gone else []), *lines])


def _lines(log: TaskRecord) -> Iterator[str]:
    yield f"Task: {_short(log.text)}"
    for turn in log.whole:
        yield from _turn(turn)
    yield f"End: {log.outcome}{'; ' + log.harm_name if log.harm else ''}"
    if log.error:
        yield f"Error: {_short(log.error)}"
    yield f"The platform: {_short(log.eval_log) or 'nothing'}"


def _turn(turn: Turn) -> Iterator[str]:
    yield f"Turn {turn.number}, state: {_short(turn.state)}"
    decision = turn.decision
    if turn.challenge:
        yield f"Asked back: {_short(turn.challenge)}"
    yield f"Thought: {_short(decision.thought)}"
    yield f"{decision.decision}: {_short(decision.instruction)}"
    if turn.refused:
        yield f"Refused: {_short(turn.refused)}"
    report = turn.report
    if report is None:
        return
    left = len(report.calls) - CALLS_SHOWN
    if left > 0:
        yield f"  … {left} calls before these"
    for call in report.calls[-CALLS_SHOWN:]:
        yield f"  {_call(call)}"
    if report.error:
        yield f"Failed: {_short(report.error)}"


def _call(call: ToolCall) -> str:
    return cut(f"{call.outcome}: {' '.join(call.prompt().split())}", CALL_CHARS)


def _short(text: str) -> str:
    return cut(" ".join(text.split()), TEXT_CHARS)
