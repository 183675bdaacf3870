"""Spans for any OpenTelemetry collector."""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Iterable
from typing import Any

from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import Span as Parent
from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer, set_span_in_context

from core.models.redact import redact
from workshop.views.tracing.spans import AGENT, Span

CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
"""The variable that puts texts into spans; without it there are none."""
MESSAGE_CHARS = 500
_WAITING = 65_536
"""Spans of one task that may wait for the collector."""
_MESSAGES = ("gen_ai.input.messages", "gen_ai.output.messages")
_TEXTS = {
    "agent": _MESSAGES,
    "model": _MESSAGES,
    "tool": ("gen_ai.tool.call.arguments", "gen_ai.tool.call.result"),
}
"""Names of inputs and outputs by kind of span, where the conventions have some."""


class _LoggedErrors(logging.Handler):
    """Collects what OpenTelemetry logs about spans that it could not write; it raises nothing."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the message."""
        self.messages.append(redact(record.getMessage())[:MESSAGE_CHARS])


def send(tasks: Iterable[Span], seconds: float, to: SpanExporter | None = None) -> str:
    """Send a trace for each task to the collector, for at most so long; the first error, or "".

    ``to``: where they go instead. Raises ValueError: a standard variable has a value that cannot
    be used.
    """
    if to is None:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        to = OTLPSpanExporter()
    named = {} if os.environ.get("OTEL_SERVICE_NAME") else {SERVICE_NAME: AGENT}
    wanted = os.environ.get(CONTENT, "").casefold() in ("true", "span_only", "span_and_event")
    provider = TracerProvider(resource=Resource.create(named), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(to, max_queue_size=_WAITING))
    tracer = provider.get_tracer("workshop.views.tracing")
    errors = _LoggedErrors()
    logging.getLogger("opentelemetry").addHandler(errors)
    deadline = time.monotonic() + seconds
    for task in tasks:
        if time.monotonic() > deadline:
            errors.messages.append(f"stopped after {seconds:.0f} s")
            break
        _write(tracer, task, None, content=wanted)
        provider.force_flush()
    provider.shutdown()
    logging.getLogger("opentelemetry").removeHandler(errors)
    return next(iter(errors.messages), "")


def _write(tracer: Tracer, span: Span, parent: Parent | None, *, content: bool) -> None:
    """``content``: with inputs and outputs."""
    attributes = dict(span.facts)
    if content:
        names = _TEXTS.get(span.kind, ("agent.input", "agent.output"))
        texts = zip(names, (span.inputs, span.outputs), strict=True)
        attributes |= {name: _text(data) for name, data in texts if data is not None}
    written = tracer.start_span(
        span.name,
        context=set_span_in_context(parent) if parent else None,
        kind=SpanKind.CLIENT if span.kind in ("model", "request") else SpanKind.INTERNAL,
        attributes=attributes,
        start_time=int(span.began * 1e9),
    )
    if span.score is not None:
        score: dict[str, Any] = {
            "gen_ai.evaluation.name": "score",
            "gen_ai.evaluation.score.value": span.score,
            "gen_ai.evaluation.score.label": "pass" if span.passed else "fail",
        }
        written.add_event("gen_ai.evaluation.result", score)
    for inner in span.inside:
        _write(tracer, inner, written, content=content)
    if span.error:
        written.set_attribute("error.type", span.error_kind)
        written.set_status(Status(StatusCode.ERROR, span.error))
    written.end(end_time=int(span.ended * 1e9))


def _text(data: object) -> str:
    return data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, default=str)
