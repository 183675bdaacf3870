"""Spans for any OpenTelemetry collector, by the semantic conventions for generative AI.

A task is a trace: its turns, their model calls and tool calls, and the requests of these. They are
made from what the journal holds and from nothing else.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import Span, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter
from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context

from core.ledger import ToolCall
from core.models.model_call import ModelCall, Usage, total_cost, total_usage
from core.models.redact import redact
from core.runs.prompts import read_prompts
from core.runs.task_record import TaskRecord, TurnLog
from workshop.views.tracing.collector import writes_to_console

SERVICE = "erc3-agent"
OPERATION = "gen_ai.operation.name"
CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
"""The variable that puts texts into spans; without it there are none."""
MESSAGE_CHARS = 500
OTHER = "_OTHER"
"""The class of an error whose class nobody knows."""
_WAITING = 65_536
"""Spans of one task that may wait for the collector."""
_PROVIDERS = {
    "azure": "azure.ai.openai", "bedrock": "aws.bedrock", "vertex_ai": "gcp.vertex_ai",
    "gemini": "gcp.gemini", "mistral": "mistral_ai", "xai": "x_ai", "watsonx": "ibm.watsonx.ai",
}  # fmt: skip
"""Providers whose name in the conventions is not the beginning of the model id."""
Facts = dict[str, Any]
"""Attributes; None is unknown, and left out."""


class _LoggedErrors(logging.Handler):
    """Collects what OpenTelemetry logs about spans that it could not write; it raises nothing."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the message."""
        self.messages.append(redact(record.getMessage())[:MESSAGE_CHARS])


def collector_exporter(console: TextIO) -> SpanExporter:
    """Sends spans to the collector; ``console``: where they go that are for the screen.

    Raises ValueError: a standard variable has a value that cannot be used.
    """
    if writes_to_console():
        return ConsoleSpanExporter(out=console)
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return OTLPSpanExporter()


def send(
    folder: Path,
    records: Iterable[TaskRecord],
    to: SpanExporter,
    seconds: float,
    *,
    content: bool = False,
) -> str:
    """Send a trace for each task of a run; the first error, or "".

    ``seconds``: the most that it may take; ``content``: with texts, whatever the variable says.
    """
    tracer = RunTracer(to, folder.resolve().name, read_prompts(folder), content=content)
    errors = _LoggedErrors()
    logging.getLogger("opentelemetry").addHandler(errors)
    deadline = time.monotonic() + seconds
    for record in records:
        if time.monotonic() > deadline:
            errors.messages.append(f"stopped after {seconds:.0f} s")
            break
        window = None
        if not record.turns and record.path.is_file():  # its journal's time is that of its end
            ended = record.path.stat().st_mtime
            window = Window(ended - (record.result.seconds if record.result else 0.0), ended)
        tracer.write(record, window)
    tracer.close()
    logging.getLogger("opentelemetry").removeHandler(errors)
    return next(iter(errors.messages), "")


class Window(NamedTuple):
    """From when to when something went on, in Unix seconds; a beginning of 0 is unknown."""

    began: float
    ended: float

    @classmethod
    def around(cls, *some: Window | None) -> Window:
        """From the first known beginning to the last end."""
        known = [one for one in some if one and one.began]
        began = min((one.began for one in known), default=0.0)
        return cls(began, max((one.ended for one in known), default=0.0))


class RunTracer:
    """Writes each task of a run as one trace."""

    def __init__(
        self, to: SpanExporter, run_id: str, prompts: Mapping[str, str], *, content: bool = False
    ) -> None:
        """``prompts``: the texts of the run's prompts by SHA-256; ``content``: as in ``send``."""
        named = {} if os.environ.get("OTEL_SERVICE_NAME") else {SERVICE_NAME: SERVICE}
        self._run_id, self._prompts = run_id, prompts
        self._content = content or os.environ.get(CONTENT, "").casefold() in (
            "true", "span_only", "span_and_event",
        )  # fmt: skip
        self._provider = TracerProvider(resource=Resource.create(named), shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(to, max_queue_size=_WAITING))
        self._tracer = self._provider.get_tracer("workshop.views.tracing")

    def write(self, record: TaskRecord, window: Window | None = None) -> None:
        """Write one task's spans and wait until they are sent, or given up.

        ``window``: between which somebody has seen the task run; its turns may reach beyond it.
        """
        result = record.result
        facts = {
            OPERATION: "invoke_agent",
            "gen_ai.agent.name": SERVICE,
            "gen_ai.conversation.id": record.task_id,
            **_of_usage(total_usage(record.calls), total_cost(record.calls)),
            **_ours(
                run_id=self._run_id,
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
        }
        texts = {
            "gen_ai.input.messages": _messages(("user", record.text)),
            "gen_ai.output.messages": _messages(("assistant", _last_word(record))),
        }
        moments = [_window_of(act) for act in record.turns]
        root = self._begin(
            record.spec_id, None, Window.around(window, *moments).began, facts, texts
        )
        if result and record.score is not None:
            score: Facts = {
                "gen_ai.evaluation.name": "score",
                "gen_ai.evaluation.score.value": record.score,
                "gen_ai.evaluation.score.label": "pass" if result.passed else "fail",
            }
            root.add_event("gen_ai.evaluation.result", score)
        for act, moment in zip(record.turns, moments, strict=True):
            if moment.began:  # a trace shows no time that never was
                self._write_turn(act, moment, root)
        kind = str((result and result.failure) or OTHER)
        _end(root, Window.around(window, *moments).ended, record.error, kind)
        self._provider.force_flush()

    def close(self) -> None:
        """Send what is left."""
        self._provider.shutdown()

    def _write_turn(self, act: TurnLog, moment: Window, root: Span) -> None:
        turn = act.turn
        error: str | None = "the turn did not complete"
        facts = _ours(turn=act.number, attempt=act.attempt)
        texts: Facts = {}
        if turn:
            error = turn.report.error if turn.report else None
            facts |= _ours(decision=turn.decision.decision, requests=act.requests)
            texts = {"agent.input": turn.state, "agent.output": turn.decision.prompt()}
        span = self._begin(f"turn {act.number}", root, moment.began, facts, texts)
        inside: list[ModelCall | ToolCall] = [*act.asked, *act.tools]
        for call in sorted(inside, key=lambda one: one.started):
            if not call.started:
                continue
            if isinstance(call, ModelCall):
                self._write_model_call(call, {**self._prompts, **act.texts}, span)
            else:
                self._write_tool_call(call, span)
        _end(span, moment.ended, error, "worker" if turn else "unfinished")

    def _write_model_call(self, call: ModelCall, prompts: Mapping[str, str], turn: Span) -> None:
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
        asked = [(part.role, prompts.get(part.sha256)) for part in call.prompt]
        reply = _messages(("assistant", call.text), finish_reason=call.finish_reason or "")
        texts = {"gen_ai.input.messages": _messages(*asked), "gen_ai.output.messages": reply}
        span = self._begin(f"chat {call.role}", turn, call.started, facts, texts)
        _end(span, call.started + call.seconds, call.error, call.error_kind)

    def _write_tool_call(self, call: ToolCall, turn: Span) -> None:
        failed = call.outcome != "done"
        ours = {"number": call.number, "kind": call.kind, "outcome": call.outcome}
        facts = {
            OPERATION: "execute_tool",
            "gen_ai.tool.name": call.name,
            "gen_ai.tool.type": "function",
            **_ours(**ours, step=call.step, line=call.line),
        }
        texts = {
            "gen_ai.tool.call.arguments": _json(call.arguments),
            "gen_ai.tool.call.result": None if failed else _json(call.result),
        }
        span = self._begin(f"execute_tool {call.name}", turn, call.started, facts, texts)
        for wire in call.requests:
            if not wire.started:
                continue
            facts = {"url.path": wire.path, **_ours(kind=wire.kind, outcome=wire.outcome)}
            texts = {"agent.input": _json(wire.body)}
            request = self._begin(wire.path, span, wire.started, facts, texts)
            error = "" if wire.outcome == "done" else wire.error or wire.outcome
            _end(request, wire.started + wire.seconds, error, wire.outcome)
        error = (call.error or call.outcome) if failed else ""
        _end(span, call.started + call.seconds, error, call.fault or call.outcome)

    def _begin(
        self, name: str, parent: Span | None, began: float, facts: Facts, texts: Facts
    ) -> Span:
        """A span that has begun; ``texts``: facts that only those get who ask for contents."""
        every = facts | (texts if self._content else {})
        is_call = name.startswith("chat ") or "url.path" in facts
        span = self._tracer.start_span(
            name,
            context=set_span_in_context(parent) if parent else None,
            kind=SpanKind.CLIENT if is_call else SpanKind.INTERNAL,
            attributes={
                key: redact(value) if isinstance(value, str) else value
                for key, value in every.items()
                if value is not None
            },
            start_time=int(began * 1e9),
        )
        assert isinstance(span, Span)
        return span


def _end(span: Span, ended: float, error: str | None, kind: str | None) -> None:
    """End a span, not before it began; ``kind``: the class of the error, where there is one."""
    if error:
        span.set_attribute("error.type", kind or OTHER)
        span.set_status(Status(StatusCode.ERROR, redact(error)))
    span.end(end_time=max(int(ended * 1e9), span.start_time or 0))


def _window_of(act: TurnLog) -> Window:
    calls: list[ModelCall | ToolCall] = [*act.asked, *act.tools]
    inside = [Window(one.started, one.started + one.seconds) for one in calls]
    if act.turn and act.turn.started:
        inside.append(Window(act.turn.started, act.turn.started + act.turn.seconds))
    return Window.around(*inside)


def _last_word(record: TaskRecord) -> str:
    last = next((act.turn for act in reversed(record.turns) if act.turn), None)
    words = (last.decision.instruction or last.decision.thought) if last else ""
    return "\n\n".join(filter(None, (record.outcome, words, record.eval_log)))


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


def _messages(*some: tuple[str, str | None], **more: str) -> str:
    """Messages by role; a text that nobody has kept is left out."""
    return _json(
        [
            {"role": role, "parts": [] if text is None else [_part(text)], **more}
            for role, text in some
        ]
    )


def _part(text: str) -> dict[str, str]:
    return {"type": "text", "content": text}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
