"""Traces and figures in MLflow: one trace a task, one MLflow run for the run."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from typing import Any

from core.models.redact import redact
from core.runs.results import RunResults
from workshop.views.tracing.span_tree import Span

_DEFAULTS = {
    # Neither usage statistics nor lists of prices are sent or fetched.
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    # Many spans in one transaction: one for each takes seconds a task.
    "MLFLOW_ASYNC_TRACE_LOGGING_MAX_SPAN_BATCH_SIZE": "65536",
    "MLFLOW_ASYNC_TRACE_LOGGING_MAX_WORKERS": "1",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "15",
}
EXPERIMENT = "erc3-agent"
"""Default of MLFLOW_EXPERIMENT_NAME."""
SPANS_AT_ONCE = 1_000
"""So many are written together: one transaction for each takes seconds a task."""
_NOTHING: tuple[object, ...] = (None, "", (), [])
_TYPES = {"task": "AGENT", "turn": "CHAIN", "model": "CHAT_MODEL", "tool": "TOOL"}
_USAGE = "mlflow.chat.tokenUsage"
_COST = "mlflow.llm.cost"
_RUN = "mlflow.sourceRun"


class MlflowSink:
    """Writes to the store of MLFLOW_TRACKING_URI."""

    def __init__(self, run_id: str, options: Mapping[str, object]) -> None:
        """``options``: what the run was asked for; kept as the parameters of the MLflow run.

        Raises:
            Exception: of MLflow, where the store cannot be reached or written.
        """
        for variable, default in _DEFAULTS.items():
            os.environ.setdefault(variable, default)
        # A collector is for OpenTelemetry: with one named MLflow would write there instead.
        for variable in [name for name in os.environ if name.startswith("OTEL_EXPORTER_OTLP")]:
            del os.environ[variable]
        import mlflow
        from mlflow.entities import Param

        self._mlflow = mlflow
        self._client = mlflow.MlflowClient()
        name = os.environ.get("MLFLOW_EXPERIMENT_NAME") or EXPERIMENT
        self._experiment: str = mlflow.set_experiment(name).experiment_id
        self._run: str = self._client.create_run(self._experiment, run_name=run_id).info.run_id
        self._waiting = 0
        given = {name: value for name, value in options.items() if value not in _NOTHING}
        params = [Param(name, redact(str(value))[:500]) for name, value in given.items()]
        self._client.log_batch(self._run, params=params)

    def task(self, span: Span) -> None:
        """Write one task as a trace."""
        self._write(span, None)
        self._waiting += sum(1 for _ in span.walk())
        if self._waiting >= SPANS_AT_ONCE:
            self._mlflow.flush_trace_async_logging()
            self._waiting = 0

    def close(self, results: RunResults | None) -> str:
        """Write the run's figures and end the MLflow run; its page of traces."""
        if results:
            totals = results.totals
            figures = totals.model_dump(exclude={"groups", "requests", "tokens"})
            figures["prompt_tokens"] = totals.tokens.prompt
            figures["completion_tokens"] = totals.tokens.completion
            known = {name: value for name, value in figures.items() if value is not None}
            metric, now = self._mlflow.entities.Metric, int(time.time() * 1000)
            metrics = [metric(name, value, now, 0) for name, value in known.items()]
            self._client.log_batch(self._run, metrics=metrics)
        self._mlflow.flush_trace_async_logging()
        done = bool(results and results.finished)
        self._client.set_terminated(self._run, "FINISHED" if done else "KILLED")
        return f"#/experiments/{self._experiment}/traces"

    def _write(self, span: Span, parent: Any) -> None:
        more: dict[str, Any] = {}
        if parent is None:
            tags = {"spec_id": span.name, "outcome": str(span.facts.get("outcome", ""))}
            tags |= {} if span.score is None else {"score": f"{span.score:g}"}
            metadata = {_RUN: self._run}
            more = {"tags": tags, "metadata": metadata, "experiment_id": self._experiment}
        written = self._mlflow.start_span_no_context(
            span.name if span.kind != "model" else f"{span.name} {span.model}",
            span_type=_TYPES.get(span.kind, "UNKNOWN"),
            parent_span=parent,
            inputs=_inputs(span),
            attributes=_attributes(span),
            start_time_ns=span.started_ns,
            **more,
        )
        for child in span.children:
            self._write(child, written)
        if span.error:
            written.set_attribute("error.type", span.error_type or "")
            written.set_attribute("error.message", span.error)
        written.end(
            outputs=_outputs(span),
            status="ERROR" if span.error else "OK",
            end_time_ns=span.ended_ns,
        )


def _inputs(span: Span) -> Any:
    if span.kind != "model":
        return _value(span.inputs)
    stored = [message for message in span.messages if message.text is not None]
    messages = [{"role": message.role, "content": message.text} for message in stored]
    return {"model": span.model, "messages": messages}


def _outputs(span: Span) -> Any:
    if span.kind == "model" and span.outputs is not None:
        message = {"role": "assistant", "content": span.outputs}
        return {"choices": [{"message": message, "finish_reason": span.finish_reason}]}
    return _value(span.outputs)


def _value(text: str | None) -> Any:
    """JSON as what it holds, so that its parts can be folded; any other text as it is."""
    try:
        return None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return text


def _attributes(span: Span) -> dict[str, Any]:
    attributes: dict[str, Any] = dict(span.facts)
    if span.kind != "model":
        # Tokens and dollars of a task are summed up from its calls by MLflow itself.
        return attributes
    usage = span.usage
    if usage.prompt is not None and usage.completion is not None:
        attributes[_USAGE] = {
            "input_tokens": usage.prompt,
            "output_tokens": usage.completion,
            "total_tokens": usage.prompt + usage.completion,
        } | ({} if usage.cached is None else {"cache_read_input_tokens": usage.cached})
    # An unknown price is said to be none, or MLflow would look one up for itself.
    attributes[_COST] = None if span.cost_usd is None else {"total_cost": span.cost_usd}
    attributes["mlflow.llm.model"] = span.model
    first, _, rest = span.model.partition("/")
    return attributes | ({"mlflow.llm.provider": first} if rest else {})
