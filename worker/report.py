"""What the worker did with one instruction, as a record with two renderings."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from pydantic import BaseModel, ConfigDict, field_validator

from ledger import ToolCall

RESULT_CHARS = 16_000
OLD_RESULT_CHARS = 700
SHOWN_CALLS = 12
"""Calls that are shown with their answers, the latest ones."""
SHORT_CALLS = 60
"""Writes that are shown at all, the rest is counted."""


class StepRecord(BaseModel):
    """One snippet of the worker: code, prints, and the error that ended it."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)

    code: str
    prints: str = ""
    error: str | None = None
    error_kind: str | None = None
    sandbox: str | None = None
    """Where it ran: monty or process; None when it was refused before it ran."""
    seconds: float = 0.0


class WorkReport(BaseModel):
    """What came of one instruction."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)

    steps: tuple[StepRecord, ...] = ()
    result: object = None
    """What the code passed to final_answer, as plain data."""
    answered: bool = False
    error: str | None = None
    pins: tuple[float, int] | None = None
    """Clock (seconds since 1970) and seed of the sandbox: what a repetition needs to be equal."""
    calls: tuple[ToolCall, ...] = ()
    requests: int = 0
    seconds: float = 0.0

    @field_validator("result", mode="before")
    @classmethod
    def _in_one_order(cls, value: object) -> object:
        return _without_sets(value)

    def journal(self) -> dict[str, object]:
        """The report as one JSON object for the journal."""
        return self.model_dump(mode="json")

    def prompt(self, *, latest: bool) -> str:
        """The report as text for the evaluator; an older one keeps errors and effects, not bulk."""
        lines = [f"CALLS: {len(self.calls)} tool calls, {self.requests} requests"]
        lines += _effects(self.calls)
        lines += _failures(self.calls)
        if self.error:
            lines.append(f"ERROR: {self.error[:1500]}")
        if not self.answered and self.steps and self.steps[-1].prints:
            lines.append(f"PRINTED: {self.steps[-1].prints[:1500]}")
        limit = RESULT_CHARS if latest else OLD_RESULT_CHARS
        lines.append(f"RESULT: {fit_json(self.result, limit) if self.answered else 'none'}")
        return "\n".join(lines)


def _effects(calls: Sequence[ToolCall]) -> list[str]:
    """Writes that took effect or may have: they stand even where the code failed later.

    None is left out: older ones lose their answers, and very many are counted by tool. One
    whose effect is not known is always a line.
    """
    writes = [c for c in calls if c.kind == "write" and c.outcome != "failed"]
    oldest, older = writes[:-SHORT_CALLS], writes[-SHORT_CALLS:-SHOWN_CALLS]
    counted = [c for c in oldest if c.outcome == "done"]
    tools = Counter(c.name for c in counted)
    lines = [f"EFFECT done: {n} earlier calls of {name}" for name, n in tools.items()]
    older = [*(c for c in oldest if c.outcome != "done"), *older]
    lines += [f"EFFECT {c.outcome}: {c.prompt(result_chars=0)}" for c in older]
    return lines + [f"EFFECT {c.outcome}: {c.prompt()}" for c in writes[-SHOWN_CALLS:]]


def _failures(calls: Sequence[ToolCall]) -> list[str]:
    failed = [c for c in calls if c.outcome == "failed"]
    more = len(failed) - SHOWN_CALLS
    lines = [f"FAILED: {more} calls before these"] if more > 0 else []
    return lines + [f"FAILED: {c.prompt()}" for c in failed[-SHOWN_CALLS:]]


def _without_sets(value: object) -> object:
    """Sets as sorted lists: their own order is another in the next run of Python."""
    if isinstance(value, dict):
        return {key: _without_sets(item) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(_without_sets, value), key=lambda v: json.dumps(v, default=str))
    if isinstance(value, list | tuple):
        return type(value)(map(_without_sets, value))
    return value


_NUMBERS = frozenset({int, float, bool, type(None)})


def fit_json(value: object, limit: int) -> str:
    """JSON of a value; long lists and texts are shortened, with a note, until it fits."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    for most in (200, 80, 40, 20, 8, 3, 1):
        if len(text) <= limit:
            return text
        shortened = _shorten(value, most)
        text = json.dumps(shortened, ensure_ascii=False, separators=(",", ":"), default=str)
    return text if len(text) <= limit else json.dumps(text[:limit] + "… (cut)", ensure_ascii=False)


def _shorten(value: object, most: int) -> object:
    # Most of a large value are numbers; a call for each would take longer than all the rest.
    if isinstance(value, str):
        return value if len(value) <= 60 * most else f"{value[: 60 * most]}…"
    if isinstance(value, dict):
        kept = islice(value.items(), 4 * most)
        return {k: v if type(v) in _NUMBERS else _shorten(v, most) for k, v in kept}
    if isinstance(value, list | tuple):
        head = [v if type(v) in _NUMBERS else _shorten(v, most) for v in value[:most]]
        return [*head, f"… {len(value) - most} more"] if len(value) > most else head
    return value
