"""Two reports of the same instruction: the first place where they are not equal."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from ledger import ToolCall
from ledger.calls import shorten
from runs.work import StepRecord, WorkReport
from worker.replay.tape import alike
from worker.sandbox.values import clean

AFTER = 1_000_000
"""Place of what comes after every step or call."""
AROUND = 60
"""Characters shown before and after the first sign that differs."""


@dataclass(frozen=True)
class Difference:
    """What was recorded and what came now, and where."""

    what: str
    recorded: str
    now: str
    step: int | None = None
    """None: the instruction as a whole."""
    call: int | None = None
    """Number of the call within the instruction."""

    @property
    def place(self) -> tuple[int, int]:
        """Orders differences by how far the work had come."""
        return self.step or AFTER, self.call or (0 if self.what == "code" else AFTER)

    def text(self) -> str:
        """One line without control characters."""
        where = [f"step {self.step}"] if self.step else []
        where += [f"call {self.call}"] if self.call else []
        line = f"{', '.join([*where, self.what])}: recorded {self.recorded}, now {self.now}"
        return clean(line).replace("\n", " ")


def first_difference(recorded: WorkReport, now: WorkReport) -> Difference | None:
    """The first difference in the order of the work; None: equal byte for byte but for seconds."""
    for number in range(1, max(len(recorded.steps), len(now.steps)) + 1):
        found = _step(number, recorded, now)
        if found is not None:
            return found
    return (
        _calls(None, recorded.calls, now.calls)
        or _answer(recorded, now)
        or _text("report", timeless(recorded), timeless(now))
    )


def timeless(report: WorkReport) -> str:
    """The report as the journal has it, without the times at and in which it was made."""
    record: dict[str, Any] = report.journal()
    del record["seconds"]
    for part in (*record["steps"], *record["calls"]):
        del part["seconds"]
        part.pop("started", None)
        for request in part.get("requests", ()):
            del request["seconds"]
            request.pop("started", None)
    return json.dumps(record, ensure_ascii=False)


def _step(number: int, recorded: WorkReport, now: WorkReport) -> Difference | None:
    was, comes = _nth(number, recorded), _nth(number, now)
    if was is None or comes is None:
        return Difference("code", _shown(was, recorded), _shown(comes, now), number)
    return (
        _text("code", was.code, comes.code, number)
        or _calls(number, recorded.calls, now.calls)
        or _text("prints", was.prints, comes.prints, number)
        or _text("error", was.error, comes.error, number)
        or _text("kind of error", was.error_kind, comes.error_kind, number)
        or _text("sandbox", was.sandbox, comes.sandbox, number)
    )


def _nth(number: int, report: WorkReport) -> StepRecord | None:
    return report.steps[number - 1] if number <= len(report.steps) else None


def _shown(step: StepRecord | None, report: WorkReport) -> str:
    if step is not None:
        return shorten(step.code, 200)
    return f"no such step ({shorten(report.error, 200)})" if report.error else "no such step"


def _calls(
    step: int | None, recorded: tuple[ToolCall, ...], now: tuple[ToolCall, ...]
) -> Difference | None:
    """Calls of one step (None: of no step that is known)."""
    were = [c for c in recorded if c.step == step]
    come = [c for c in now if c.step == step]
    for was, comes in zip(were, come, strict=False):
        found = _call(was, comes)
        if found is not None:
            return found
    if len(were) > len(come):
        missing = were[len(come)]
        return Difference("call", _said(missing), "no such call", step, missing.number)
    if len(come) > len(were):
        new = come[len(were)]
        return Difference("call", "no such call", _said(new), step, new.number)
    return None


def _call(was: ToolCall, comes: ToolCall) -> Difference | None:
    if was.name != comes.name:
        return Difference("tool", _said(was), _said(comes), was.step, was.number)
    if not alike(was.arguments, comes.arguments):
        return Difference("arguments", _said(was), _said(comes), was.step, was.number)
    for what in ("outcome", "error", "result", "line"):
        one, other = getattr(was, what), getattr(comes, what)
        if not alike(one, other):
            texts = [f"{was.name}: {shorten(v, 300)}" for v in (one, other)]
            return Difference(what, texts[0], texts[1], was.step, was.number)
    return None


def _said(call: ToolCall) -> str:
    return f"{call.name}({shorten(call.arguments, 300)})"


def _answer(recorded: WorkReport, now: WorkReport) -> Difference | None:
    was, comes = (
        json.dumps(r.journal()["result"], ensure_ascii=False) if r.answered else None
        for r in (recorded, now)
    )
    return _text("final answer", was, comes) or _text("error", recorded.error, now.error)


def _text(
    what: str, was: str | None, comes: str | None, step: int | None = None
) -> Difference | None:
    """Two texts as JSON; long ones are cut to what is around the first sign that differs."""
    if was == comes:
        return None
    start = 0
    if was is not None and comes is not None:
        pairs = takewhile(lambda pair: pair[0] == pair[1], zip(was, comes, strict=False))
        start = max(0, sum(1 for _ in pairs) - AROUND)
    return Difference(what, _excerpt(was, start), _excerpt(comes, start), step)


def _excerpt(text: str | None, start: int) -> str:
    if text is None:
        return "none"
    shown = json.dumps(text[start : start + 3 * AROUND], ensure_ascii=False)
    cut = "…" if len(text) > start + 3 * AROUND else ""
    return f"{'…' if start else ''}{shown}{cut}"
