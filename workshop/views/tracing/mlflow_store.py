"""Traces in a store of MLflow, without a server: the spans of a trace, its score and its tags."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

EXPERIMENT = "MLFLOW_EXPERIMENT_NAME"
TYPES = {"invoke_agent": "AGENT", "chat": "LLM", "execute_tool": "TOOL"}
"""What MLflow calls an operation. A turn is a chain of them; a request belongs to its tool."""
INPUTS = ("gen_ai.input.messages", "gen_ai.tool.call.arguments", "agent.input")
OUTPUTS = ("gen_ai.output.messages", "gen_ai.tool.call.result", "agent.output")
USAGE = "gen_ai.usage.{}_tokens"


class MlflowExporter(SpanExporter):
    """Writes whole traces through MLflow's own functions, which know where its store is."""

    def __init__(self, experiment: str) -> None:
        """``experiment``: its name, where MLFLOW_EXPERIMENT_NAME has none."""
        self._mlflow: Any = import_module("mlflow")
        self._mlflow.set_experiment(os.environ.get(EXPERIMENT) or experiment)
        self._waiting: list[ReadableSpan] = []

    @property
    def place(self) -> str:
        """Where the store is."""
        return str(self._mlflow.get_tracking_uri())

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Write every trace whose first span is among these; the others wait for theirs."""
        self._waiting += spans
        for root in [span for span in spans if span.parent is None]:
            mine = [span for span in self._waiting if _trace(span) == _trace(root)]
            self._waiting = [span for span in self._waiting if _trace(span) != _trace(root)]
            self._write(root, mine)
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        """Wait until everything is written."""
        self._mlflow.flush_trace_async_logging()

    def _write(self, root: ReadableSpan, spans: Sequence[ReadableSpan]) -> None:
        models = {str(m) for s in spans if (m := (s.attributes or {}).get("gen_ai.request.model"))}
        tags = {"spec_id": root.name, "model": ", ".join(sorted(models))}
        whole = self._begin(root, None, tags)
        self._write_children(root, whole, spans)
        _end(whole, root)
        for event in root.events:
            facts: Mapping[str, Any] = event.attributes or {}
            if (score := facts.get("gen_ai.evaluation.score.value")) is not None:
                name = str(facts["gen_ai.evaluation.name"])
                self._mlflow.flush_trace_async_logging()
                self._mlflow.log_feedback(trace_id=whole.trace_id, name=name, value=score)

    def _write_children(
        self, parent: ReadableSpan, written: Any, spans: Sequence[ReadableSpan]
    ) -> None:
        for span in spans:
            if span.parent and parent.context and span.parent.span_id == parent.context.span_id:
                child = self._begin(span, written, None)
                self._write_children(span, child, spans)
                _end(child, span)

    def _begin(self, span: ReadableSpan, parent: Any, tags: dict[str, str] | None) -> Any:
        facts = dict(span.attributes or {})
        operation = str(facts.get("gen_ai.operation.name", ""))
        usage = {part: facts.get(USAGE.format(part)) for part in ("input", "output")}
        if operation == "chat" and None not in usage.values():
            counts = {f"{part}_tokens": count for part, count in usage.items()}
            total = sum(int(str(count)) for count in usage.values())
            facts["mlflow.chat.tokenUsage"] = counts | {"total_tokens": total}
        return self._mlflow.start_span_no_context(
            name=span.name,
            span_type=TYPES.get(operation, "TOOL" if "url.path" in facts else "CHAIN"),
            parent_span=parent,
            inputs=_first(facts, INPUTS),
            attributes={name: v for name, v in facts.items() if name not in (*INPUTS, *OUTPUTS)},
            tags=tags,
            start_time_ns=span.start_time,
        )


def _end(written: Any, span: ReadableSpan) -> None:
    status = "OK" if span.status.is_ok else "ERROR"
    outputs = _first(dict(span.attributes or {}), OUTPUTS) or span.status.description
    written.end(outputs=outputs, status=status, end_time_ns=span.end_time)


def _first(facts: Mapping[str, Any], names: Sequence[str]) -> Any:
    """The value of the first name that is there, read where it is JSON."""
    text = next((facts[name] for name in names if name in facts), None)
    try:
        return None if text is None else json.loads(str(text))
    except ValueError:
        return text


def _trace(span: ReadableSpan) -> int:
    return span.context.trace_id if span.context else 0
