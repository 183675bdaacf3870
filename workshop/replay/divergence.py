"""Two reports of the same instruction: the first place where they are not equal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from os.path import commonprefix
from typing import Any

from core.ledger import ToolCall
from core.ledger.calls import shorten
from core.runs.work import StepRecord, WorkReport
from core.text import clean
from worker.sandbox.values import same

AROUND = 60
"""Characters shown before and after the first sign that differs."""


@dataclass(frozen=True)
class Divergence:
    """A difference: what was recorded, what came now, and where."""

    what: str
    recorded: str
    now: str
    step: int | None = None
    """None: the instruction as a whole."""
    call: int | None = None
    """Number of the call within the instruction."""

    def text(self) -> str:
        """One line without control characters."""
        where = [f"step {self.step}"] if self.step else []
        where += [f"call {self.call}"] if self.call else []
        line = f"{', '.join([*where, self.what])}: recorded {self.recorded}, now {self.now}"
        return clean(line).replace("\n", " ")


def first_divergence(recorded: WorkReport, now: WorkReport) -> Divergence | None:
    """The first in the order of the work; None: equal byte for byte but for seconds."""
    return next(_divergences(recorded, now), None)


def timeless(report: WorkReport) -> str:
    """The report as the journal has it, without the times at and in which it was made, and
    without the sandbox, which is no part of what the code did."""
    record: dict[str, Any] = report.model_dump(mode="json")
    del record["seconds"], record["sandbox"]
    for part in (*record["steps"], *record["calls"]):
        del part["seconds"]
        part.pop("sandbox", None)
        part.pop("started", None)
        for request in part.get("requests", ()):
            del request["seconds"]
            request.pop("started", None)
    return json.dumps(record, ensure_ascii=False)


def _divergences(recorded: WorkReport, now: WorkReport) -> Iterator[Divergence]:
    for number, (was, comes) in enumerate(zip_longest(recorded.steps, now.steps), start=1):
        if was is None or comes is None:
            yield Divergence("code", _code(was, recorded), _code(comes, now), number)
            return
        yield from _text("code", was.code, comes.code, number)
        yield from _calls(number, recorded.calls, now.calls)
        for what in ("prints", "error", "error_kind"):
            name = "kind of error" if what == "error_kind" else what
            yield from _text(name, getattr(was, what), getattr(comes, what), number)
    yield from _calls(None, recorded.calls, now.calls)
    was_final, is_final = (
        json.dumps(report.model_dump(mode="json")["result"], ensure_ascii=False)
        if report.answered
        else None
        for report in (recorded, now)
    )
    yield from _text("final answer", was_final, is_final)
    yield from _text("error", recorded.error, now.error)
    yield from _text("report", timeless(recorded), timeless(now))


def _code(step: StepRecord | None, report: WorkReport) -> str:
    if step is not None:
        return shorten(step.code, 200)
    return f"no such step ({shorten(report.error, 200)})" if report.error else "no such step"


def _calls(
    step: int | None, recorded: tuple[ToolCall, ...], now: tuple[ToolCall, ...]
) -> Iterator[Divergence]:
    """Compare the calls of one step (None: step unknown)."""
    were = (c for c in recorded if c.step == step)
    come = (c for c in now if c.step == step)
    for was, comes in zip_longest(were, come):
        number = (was or comes).number
        if was is None or comes is None or was.name != comes.name:
            what = "tool" if was and comes else "call"
            yield Divergence(what, _call(was), _call(comes), step, number)
            return
        if not same(was.arguments, comes.arguments):
            yield Divergence("arguments", _call(was), _call(comes), step, number)
        for what in ("outcome", "error", "result", "line"):
            one, other = getattr(was, what), getattr(comes, what)
            if not same(one, other):
                texts = [f"{was.name}: {shorten(value, 300)}" for value in (one, other)]
                yield Divergence(what, texts[0], texts[1], step, number)


def _call(call: ToolCall | None) -> str:
    return f"{call.name}({shorten(call.arguments, 300)})" if call else "no such call"


def _text(
    what: str, was: str | None, comes: str | None, step: int | None = None
) -> Iterator[Divergence]:
    """Two texts as JSON; long ones are cut to what is around the first sign that differs."""
    if was != comes:
        start = max(0, len(commonprefix([was or "", comes or ""])) - AROUND)  # noqa: RUF071
        yield Divergence(what, _excerpt(was, start), _excerpt(comes, start), step)


def _excerpt(text: str | None, start: int) -> str:
    if text is None:
        return "none"
    excerpt = json.dumps(text[start : start + 3 * AROUND], ensure_ascii=False)
    cut = "…" if len(text) > start + 3 * AROUND else ""
    return f"{'…' if start else ''}{excerpt}{cut}"
