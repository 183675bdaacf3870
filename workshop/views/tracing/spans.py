"""A task as a tree of spans: its turns, their model calls and tool calls, and requests of these.

They are made from what the journal holds and from nothing else, without secrets. Their attributes
follow the semantic conventions of OpenTelemetry for generative AI.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from core.ledger import ToolCall, WireCall
from core.models.model_call import ModelCall, Usage, total_cost, total_usage
from core.runs.cassette import redacted
from core.runs.task_record import TaskRecord, TurnLog

AGENT = "erc3-agent"
OPERATION = "gen_ai.operation.name"
OTHER = "_OTHER"
"""The class of an error whose class nobody knows."""
_PROVIDERS = {
    "azure": "azure.ai.openai", "bedrock": "aws.bedrock", "vertex_ai": "gcp.vertex_ai",
    "gemini": "gcp.gemini", "mistral": "mistral_ai", "xai": "x_ai", "watsonx": "ibm.watsonx.ai",
}  # fmt: skip
"""Providers whose name in the conventions is not the beginning of the model id."""
Facts = dict[str, Any]
"""Attributes; None is unknown, and left out."""


@dataclass
class Span:
    """What went on from one moment to another, in Unix seconds; a beginning of 0 is unknown."""

    name: str
    kind: Literal["agent", "turn", "model", "tool", "request"]
    began: float
    ended: float
    facts: Facts
    inputs: object = None
    outputs: object = None
    """Plain data, as ``inputs``; None: nothing that is known."""
    error: str = ""
    error_kind: str = OTHER
    inside: list[Span] = field(default_factory=list)
    score: float | None = None
    """Of a task, where the platform told it."""
    passed: bool = False

    def __post_init__(self) -> None:
        self.facts = redacted({name: fact for name, fact in self.facts.items() if fact is not None})
        self.inputs, self.outputs = redacted(self.inputs), redacted(self.outputs)
        self.error, self.error_kind = redacted(self.error), self.error_kind or OTHER
        self.ended = max(self.began, self.ended)


def task_span(record: TaskRecord, run_id: str, prompts: Mapping[str, str]) -> Span:
    """The tree of a task; ``prompts``: the texts of the run's prompts by SHA-256."""
    result = record.so_far
    turns = [_turn(act, prompts) for act in record.turns]
    known = [(turn.began, turn.ended) for turn in turns if turn.began]
    if not record.turns and record.path.is_file():  # its journal's time is that of its end
        ended = record.path.stat().st_mtime
        known = [(ended - result.seconds, ended)]
    last = next((act.turn for act in reversed(record.turns) if act.turn), None)
    words = (last.decision.instruction or last.decision.thought) if last else ""
    facts = {
        OPERATION: "invoke_agent",
        "gen_ai.agent.name": AGENT,
        "gen_ai.conversation.id": record.task_id,
        **_of_usage(total_usage(record.calls), total_cost(record.calls)),
        **_ours(
            run_id=run_id,
            spec_id=record.spec_id,
            task_id=record.task_id,
            outcome=result.ended,
            turns=len(record.turns),
            tool_calls=sum(len(act.tools) for act in record.turns),
            requests=sum(act.requests for act in record.turns),
            harm=record.harm,
            acts=result.acts,
            seconds=result.seconds,
            labels=", ".join(record.labels),
        ),
    }
    return Span(
        name=record.spec_id,
        kind="agent",
        began=min((began for began, _ in known), default=0.0),
        ended=max((ended for _, ended in known), default=0.0),
        facts=facts,
        inputs=[_message("user", record.text)],
        outputs=[
            _message("assistant", "\n\n".join(filter(None, (result.ended, words, result.eval_log))))
        ],
        error=result.error or "",
        error_kind=result.failure or OTHER,
        inside=[turn for turn in turns if turn.began],  # a trace shows no time that never was
        score=result.score,
        passed=result.passed,
    )


def _turn(act: TurnLog, prompts: Mapping[str, str]) -> Span:
    turn = act.turn
    models = [_model_call(call, {**prompts, **act.texts}) for call in act.asked if call.started]
    tools = [_tool_call(call) for call in act.tools if call.started]
    inside = sorted([*models, *tools], key=lambda one: one.began)
    known = [(one.began, one.ended) for one in inside]
    facts = _ours(turn=act.number, attempt=act.attempt)
    error: str | None = "the turn did not complete"
    if turn:
        known += [(turn.started, turn.started + turn.seconds)] if turn.started else []
        facts |= _ours(decision=turn.decision.decision, requests=act.requests)
        error = turn.report.error if turn.report else None
    return Span(
        name=f"turn {act.number}",
        kind="turn",
        began=min((began for began, _ in known), default=0.0),
        ended=max((ended for _, ended in known), default=0.0),
        facts=facts,
        inputs=turn.state if turn else None,
        outputs=turn.decision.prompt() if turn else None,
        error=error or "",
        error_kind="worker" if turn else "unfinished",
        inside=inside,
    )


def _model_call(call: ModelCall, prompts: Mapping[str, str]) -> Span:
    first, _, rest = call.model.partition("/")
    provider = _PROVIDERS.get(first, first) if rest else None
    facts = {
        OPERATION: "chat",
        "gen_ai.request.model": call.model,
        # Collectors from before the attribute got its new name know only the old one.
        "gen_ai.provider.name": provider,
        "gen_ai.system": provider,
        "gen_ai.response.finish_reasons": [call.finish_reason] if call.finish_reason else None,
        **_of_usage(call.usage, call.cost_usd),
        **_ours(role=call.role, attempt=call.attempt, backend=call.backend, then=call.next),
    }
    return Span(
        name=f"chat {call.role}",
        kind="model",
        began=call.started,
        ended=call.started + call.seconds,
        facts=facts,
        inputs=[_message(part.role, prompts.get(part.sha256)) for part in call.prompt],
        outputs=[_message("assistant", call.text, finish_reason=call.finish_reason or "")],
        error=call.error or "",
        error_kind=call.error_kind or OTHER,
    )


def _tool_call(call: ToolCall) -> Span:
    failed = call.outcome != "done"
    ours = {"number": call.number, "kind": call.kind, "outcome": call.outcome}
    facts = {
        OPERATION: "execute_tool",
        "gen_ai.tool.name": call.name,
        "gen_ai.tool.type": "function",
        **_ours(**ours, step=call.step, line=call.line),
    }
    return Span(
        name=f"execute_tool {call.name}",
        kind="tool",
        began=call.started,
        ended=call.started + call.seconds,
        facts=facts,
        inputs=call.arguments,
        outputs=None if failed else call.result,
        error=(call.error or call.outcome) if failed else "",
        error_kind=call.fault or call.outcome,
        inside=list(_requests(call.requests)),
    )


def _requests(wires: Iterable[WireCall]) -> Iterable[Span]:
    for wire in wires:
        if wire.started:
            yield Span(
                name=wire.path,
                kind="request",
                began=wire.started,
                ended=wire.started + wire.seconds,
                facts={"url.path": wire.path, **_ours(kind=wire.kind, outcome=wire.outcome)},
                inputs=wire.body,
                error="" if wire.outcome == "done" else wire.error or wire.outcome,
                error_kind=wire.outcome,
            )


def _ours(**facts: Any) -> Facts:
    """Attributes that the conventions do not have; what is unknown is left out."""
    return {f"agent.{name}": fact for name, fact in facts.items() if fact not in (None, "")}


def _of_usage(usage: Usage, cost_usd: float | None) -> Facts:
    return {
        "gen_ai.usage.input_tokens": usage.prompt,
        "gen_ai.usage.output_tokens": usage.completion,
        "gen_ai.usage.cache_read.input_tokens": usage.cached,
        "gen_ai.usage.reasoning.output_tokens": usage.reasoning,
        "agent.cost_usd": cost_usd,
    }


def _message(role: str, text: str | None, **more: str) -> dict[str, object]:
    """A message; a text that nobody has kept is left out."""
    parts = [] if text is None else [{"type": "text", "content": text}]
    return {"role": role, "parts": parts, **more}
