"""A task as a tree of spans: task, turns, model calls, tool calls, requests.

Built from what the journal holds and from nothing else, so that a run can be traced while it goes
on and also long after it. Every text has gone through the redaction.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from core.ledger import ToolCall, WireCall
from core.models.model_call import ModelCall, Usage, total_cost, total_usage
from core.models.redact import redact
from core.runs.task_record import TaskRecord, TurnLog

Kind = Literal["task", "turn", "model", "tool", "request"]
Fact = str | int | float | bool
OTHER = "_OTHER"
"""The class of an error whose class nobody knows."""


class Message(NamedTuple):
    """One message of a prompt; without its text where nobody has kept it."""

    role: str
    text: str | None


@dataclass(frozen=True)
class Span:
    """One piece of work with its beginning, its end and what happened inside."""

    kind: Kind
    name: str
    started: float
    """Unix seconds; 0 where nobody kept it."""
    ended: float
    facts: dict[str, Fact] = field(default_factory=dict)
    """Other known attributes; unknown ones are omitted."""
    inputs: str | None = None
    outputs: str | None = None
    error: str | None = None
    error_type: str | None = None
    children: tuple[Span, ...] = ()
    model: str = ""
    """Model of a call, as the platform or the provider names it."""
    messages: tuple[Message, ...] = ()
    finish_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    """Usage of a model call, or the sum of a task."""
    cost_usd: float | None = None
    score: float | None = None
    passed: bool | None = None

    @property
    def ended_ns(self) -> int:
        """Unix nanoseconds, not before the beginning."""
        return int(max(self.ended, self.started) * 1e9)

    def walk(self) -> Iterator[Span]:
        """This span and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()


def timed(span: Span) -> Span:
    """Without the spans inside whose time nobody kept: a trace shows no time that never was."""
    return replace(span, children=tuple(timed(s) for s in span.children if s.started > 0))


def task_span(
    record: TaskRecord, shared: dict[str, str], window: tuple[float, float] | None = None
) -> Span:
    """The spans of one task; ``shared`` are the texts of the run's prompts by SHA-256.

    ``window``: Unix seconds between which somebody has seen the task run; it grows where the
    task's turns reach beyond it.
    """
    turns = [_turn(act, shared) for act in record.turns]
    result = record.result
    begins = [*(turn.started for turn in turns if turn.started), *(window or ())[:1]]
    began = min(begins, default=0.0)
    ended = max([*(turn.ended for turn in turns), *(window or ())[1:]], default=began)
    return Span(
        kind="task",
        name=record.spec_id,
        started=began,
        ended=ended,
        facts=_known(
            spec_id=record.spec_id,
            task_id=record.task_id,
            outcome=record.outcome,
            turns=len(record.turns),
            tool_calls=sum(len(act.tools) for act in record.turns),
            requests=sum(act.requests for act in record.turns),
            harm=record.harm,
            acts=result.acts if result else None,
            seconds=result.seconds if result else None,
            labels=", ".join(record.labels),
        ),
        inputs=redact(record.text),
        outputs=redact(_last_word(record)),
        error=redact(record.error) or None,
        error_type=str((result and result.failure) or OTHER) if record.error else None,
        children=tuple(turns),
        usage=total_usage(record.calls),
        cost_usd=total_cost(record.calls),
        score=record.score,
        passed=None if record.score is None else record.status == "passed",
    )


def _known(**facts: Fact | None) -> dict[str, Fact]:
    return {name: fact for name, fact in facts.items() if fact is not None and fact != ""}


def _last_word(record: TaskRecord) -> str:
    last = next((act.turn for act in reversed(record.turns) if act.turn), None)
    words = (last.decision.instruction or last.decision.thought) if last else ""
    return "\n\n".join(filter(None, (record.outcome, words, record.eval_log)))


def _turn(act: TurnLog, shared: dict[str, str]) -> Span:
    inside = [_model_call(call, {**shared, **act.texts}) for call in act.asked]
    inside += [_tool_call(call) for call in act.tools]
    inside.sort(key=lambda span: span.started)
    turn = act.turn
    first = min((span.started for span in inside if span.started), default=0.0)
    started = (turn.started if turn else 0.0) or first
    ended = max((span.ended for span in inside), default=0.0)
    facts: dict[str, Fact] = {"turn": act.number, "attempt": act.attempt}
    error: str | None = "the turn did not complete"
    if turn is not None:
        ended = max(started + turn.seconds, ended)
        facts |= {"decision": turn.decision.decision, "requests": act.requests}
        error = turn.report.error if turn.report else None
    return Span(
        kind="turn",
        name=f"turn {act.number}",
        started=started,
        ended=ended,
        facts=facts,
        inputs=redact(turn.state) if turn else None,
        outputs=redact(turn.decision.prompt()) if turn else None,
        error=redact(error) if error else None,
        error_type=("worker" if turn else "unfinished") if error else None,
        children=tuple(inside),
    )


def _model_call(call: ModelCall, texts: dict[str, str]) -> Span:
    then = redact(call.next or "")
    return Span(
        kind="model",
        name=call.role,
        started=call.started,
        ended=call.started + call.seconds,
        facts=_known(role=call.role, attempt=call.attempt, backend=call.backend, then=then),
        outputs=redact(call.text),
        error=redact(call.error) if call.error else None,
        error_type=(call.error_kind or OTHER) if call.error else None,
        model=call.model,
        messages=tuple(
            Message(part.role, None if text is None else redact(text))
            for part in call.prompt
            for text in [texts.get(part.sha256)]
        ),
        finish_reason=call.finish_reason,
        usage=call.usage,
        cost_usd=call.cost_usd,
    )


def _tool_call(call: ToolCall) -> Span:
    failed = call.outcome != "done"
    facts = {"number": call.number, "kind": call.kind, "outcome": call.outcome}
    return Span(
        kind="tool",
        name=call.name,
        started=call.started,
        ended=call.started + call.seconds,
        facts=_known(**facts, step=call.step, line=call.line),
        inputs=_json(call.arguments),
        outputs=None if failed else _json(call.result),
        error=redact(call.error or call.outcome) if failed else None,
        error_type=(call.fault or call.outcome) if failed else None,
        children=tuple(_request(wire) for wire in call.requests),
    )


def _request(wire: WireCall) -> Span:
    failed = wire.outcome != "done"
    return Span(
        kind="request",
        name=wire.path,
        started=wire.started,
        ended=wire.started + wire.seconds,
        facts={"kind": wire.kind, "outcome": wire.outcome},
        inputs=_json(wire.body),
        error=redact(wire.error or wire.outcome) if failed else None,
        error_type=wire.outcome if failed else None,
    )


def _json(value: object) -> str:
    return redact(json.dumps(value, ensure_ascii=False, default=str))
