"""Traces in a store of MLflow, without a server: the spans of a task, its score and its tags."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from workshop.views.tracing.spans import AGENT, OPERATION, Span

EXPERIMENT = "MLFLOW_EXPERIMENT_NAME"
TYPES = {"agent": "AGENT", "turn": "CHAIN", "model": "LLM", "tool": "TOOL", "request": "TOOL"}
"""What MLflow calls each kind; a request belongs to its tool."""


def store_place() -> str:
    """Where the store is."""
    return str(import_module("mlflow").get_tracking_uri())


def send(tasks: Iterable[Span], seconds: float) -> str:
    """Write a trace for each task, for at most so long; that time was up, or "".

    Raises whatever MLflow raises.
    """
    mlflow: Any = import_module("mlflow")
    mlflow.set_experiment(os.environ.get(EXPERIMENT) or AGENT)
    deadline = time.monotonic() + seconds
    for task in tasks:
        if time.monotonic() > deadline:
            return f"stopped after {seconds:.0f} s"
        models = {str(one.facts["gen_ai.request.model"]) for one in _all(task) if _is_chat(one)}
        tags = {"spec_id": task.name, "model": ", ".join(sorted(models))}
        written = _write(mlflow, task, None, tags)
        if task.score is not None:
            mlflow.flush_trace_async_logging()
            mlflow.log_feedback(trace_id=written.trace_id, name="score", value=task.score)
    mlflow.flush_trace_async_logging()
    return ""


def _write(mlflow: Any, span: Span, parent: Any, tags: dict[str, str] | None = None) -> Any:
    attributes = dict(span.facts)
    usage: list[Any] = [
        span.facts.get(f"gen_ai.usage.{part}_tokens") for part in ("input", "output")
    ]
    if _is_chat(span) and None not in usage:
        counts = {"input_tokens": usage[0], "output_tokens": usage[1]}
        attributes["mlflow.chat.tokenUsage"] = counts | {"total_tokens": sum(usage)}
    written = mlflow.start_span_no_context(
        name=span.name,
        span_type=TYPES[span.kind],
        parent_span=parent,
        inputs=span.inputs,
        attributes=attributes,
        tags=tags,
        start_time_ns=int(span.began * 1e9),
    )
    for inner in span.inside:
        _write(mlflow, inner, written)
    written.end(
        outputs=span.error or None if span.outputs is None else span.outputs,
        status="ERROR" if span.error else "OK",
        end_time_ns=int(span.ended * 1e9),
    )
    return written


def _is_chat(span: Span) -> bool:
    return span.facts.get(OPERATION) == "chat"


def _all(span: Span) -> Iterator[Span]:
    yield span
    for inner in span.inside:
        yield from _all(inner)
