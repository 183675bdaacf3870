"""Spans for any OpenTelemetry collector, by the semantic conventions for generative AI."""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter
from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context

from core.models.redact import redact
from core.runs.prompts import read_prompts
from core.runs.task_record import TaskRecord
from workshop.views.tracing.collector import writes_to_console
from workshop.views.tracing.span_tree import Fact, Span, task_span, timed

SERVICE = "erc3-agent"
OPERATION = "gen_ai.operation.name"
CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
"""The variable that puts texts into spans; without it there are none."""
MESSAGE_CHARS = 500
_WAITING = 65_536
"""Spans of one task that may wait for the collector."""
_PROVIDERS = {
    "azure": "azure.ai.openai", "bedrock": "aws.bedrock", "vertex_ai": "gcp.vertex_ai",
    "gemini": "gcp.gemini", "mistral": "mistral_ai", "xai": "x_ai", "watsonx": "ibm.watsonx.ai",
}  # fmt: skip
"""Providers whose name in the conventions is not the beginning of the model id."""


class _LoggedErrors(logging.Handler):
    """Collects what OpenTelemetry logs about spans that it could not write; it raises nothing."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the message."""
        self.messages.append(redact(record.getMessage())[:MESSAGE_CHARS])


def send(folder: Path, records: Iterable[TaskRecord], console: TextIO, seconds: float) -> str:
    """Send a trace for each task of a run; the first error, or "".

    ``console``: where spans go that are for the screen; ``seconds``: the most that it may take.
    Raises ValueError: a standard variable has a value that cannot be used.
    """
    to = ConsoleSpanExporter(out=console) if writes_to_console() else OTLPSpanExporter()
    tracer = RunTracer(to, folder.resolve().name)
    errors = _LoggedErrors()
    logging.getLogger("opentelemetry").addHandler(errors)
    prompts = read_prompts(folder)
    deadline = time.monotonic() + seconds
    for record in records:
        if time.monotonic() > deadline:
            errors.messages.append(f"stopped after {seconds:.0f} s")
            break
        window = None
        if not record.turns and record.path.is_file():  # its journal's time is that of its end
            ended = record.path.stat().st_mtime
            window = ended - (record.result.seconds if record.result else 0.0), ended
        tracer.write(timed(task_span(record, prompts, window)))
    tracer.close()
    logging.getLogger("opentelemetry").removeHandler(errors)
    return next(iter(errors.messages), "")


class RunTracer:
    """Writes each task of a run as one trace."""

    def __init__(self, to: SpanExporter, run_id: str) -> None:
        named = {} if os.environ.get("OTEL_SERVICE_NAME") else {SERVICE_NAME: SERVICE}
        self._run_id = run_id
        self._content = os.environ.get(CONTENT, "").casefold() in (
            "true", "span_only", "span_and_event",
        )  # fmt: skip
        self._provider = TracerProvider(resource=Resource.create(named), shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(to, max_queue_size=_WAITING))
        self._tracer = self._provider.get_tracer("workshop.views.tracing")

    def write(self, task: Span) -> None:
        """Write one task's spans and wait until they are sent, or given up."""
        self._write(task, None)
        self._provider.force_flush()

    def close(self) -> None:
        """Send what is left."""
        self._provider.shutdown()

    def _write(self, span: Span, parent: Any) -> None:
        # As the conventions have it, but a trace is named after its task, or all were called alike.
        names = {"model": f"chat {span.model}", "tool": f"execute_tool {span.name}"}
        written = self._tracer.start_span(
            names.get(span.kind, span.name),
            context=set_span_in_context(parent) if parent else None,
            kind=SpanKind.CLIENT if span.kind in ("model", "request") else SpanKind.INTERNAL,
            attributes=self._attributes(span),
            start_time=int(span.started * 1e9),
        )
        if span.score is not None:
            result: dict[str, Fact] = {
                "gen_ai.evaluation.name": "score",
                "gen_ai.evaluation.score.value": span.score,
                "gen_ai.evaluation.score.label": "pass" if span.passed else "fail",
            }
            written.add_event("gen_ai.evaluation.result", result, span.ended_ns)
        if span.error:
            written.set_status(Status(StatusCode.ERROR, span.error))
        for child in span.children:
            self._write(child, written)
        written.end(end_time=span.ended_ns)

    def _attributes(self, span: Span) -> dict[str, Any]:
        attributes: dict[str, Any] = {f"agent.{name}": fact for name, fact in span.facts.items()}
        if span.error_type:
            attributes["error.type"] = span.error_type
        if span.kind == "task":
            attributes |= {OPERATION: "invoke_agent"} | _usage(span)
            attributes |= {"gen_ai.agent.name": SERVICE, "agent.run_id": self._run_id}
            attributes["gen_ai.conversation.id"] = str(span.facts["task_id"])
        elif span.kind == "model":
            attributes |= {OPERATION: "chat"} | _usage(span) | _of_model(span)
        elif span.kind == "tool":
            attributes[OPERATION] = "execute_tool"
            attributes |= {"gen_ai.tool.name": span.name, "gen_ai.tool.type": "function"}
        elif span.kind == "request":
            attributes["url.path"] = span.name
        return attributes | (_texts(span) if self._content else {})


def _usage(span: Span) -> dict[str, Fact]:
    usage = span.usage
    known: dict[str, Fact | None] = {
        "gen_ai.usage.input_tokens": usage.prompt,
        "gen_ai.usage.output_tokens": usage.completion,
        "gen_ai.usage.cache_read.input_tokens": usage.cached,
        "gen_ai.usage.reasoning.output_tokens": usage.reasoning,
        "agent.cost_usd": span.cost_usd,
    }
    return {name: value for name, value in known.items() if value is not None}


def _of_model(span: Span) -> dict[str, Any]:
    attributes: dict[str, Any] = {"gen_ai.request.model": span.model}
    first, _, rest = span.model.partition("/")
    if rest:
        # Collectors from before the attribute got its new name know only the old one.
        for name in ("gen_ai.provider.name", "gen_ai.system"):
            attributes[name] = _PROVIDERS.get(first, first)
    if span.finish_reason:
        attributes["gen_ai.response.finish_reasons"] = [span.finish_reason]
    return attributes


def _texts(span: Span) -> dict[str, str]:
    if span.kind in ("task", "model"):
        messages, reply = [_message("user", span.inputs)], _message("assistant", span.outputs)
        if span.kind == "model":
            messages = [_message(m.role, m.text) for m in span.messages]
            reply["finish_reason"] = span.finish_reason or ""
        return {"gen_ai.input.messages": _json(messages), "gen_ai.output.messages": _json([reply])}
    names = "agent.input", "agent.output"
    if span.kind == "tool":
        names = "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"
    texts = zip(names, (span.inputs, span.outputs), strict=True)
    return {name: text for name, text in texts if text is not None}


def _message(role: str, text: str | None) -> dict[str, Any]:
    parts = [] if text is None else [{"type": "text", "content": text}]
    return {"role": role, "parts": parts}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
