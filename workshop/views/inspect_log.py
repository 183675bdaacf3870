"""A run as a log of Inspect AI: one sample a task, with messages, events, score and usage."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

from inspect_ai import event, log, model
from inspect_ai.model import ModelUsage
from inspect_ai.scorer import Score
from inspect_ai.tool import ToolCall, ToolCallError

from core.models.model_call import Usage, known_sum
from core.models.redact import redact
from core.runs.prompts import read_prompts
from core.runs.run_view import RunView
from core.runs.task_record import TaskRecord
from core.terminal.task_columns import totals
from workshop.views.tracing.span_tree import Span, task_span

SCORER = "platform"
UNKNOWN_MODEL = "none/unknown"
LAST_SECOND = 253_402_300_799.0
"""Seconds of the year 9999, the last with dates."""
NOT_KEPT = "(this text was not stored)"


def write_log(view: RunView, folder: Path, path: Path) -> None:
    """Write a run into a file that ends in ``.eval`` or ``.json``. Raises OSError."""
    log.write_eval_log(log_of(view, folder), str(path))


def log_of(view: RunView, folder: Path) -> log.EvalLog:
    """The whole run as a log; ``folder`` holds the texts of its prompts."""
    shared = read_prompts(folder)
    began = _instant(view.started)
    used: set[str] = set()
    samples = []
    for record in view.tasks:
        name = record.spec_id if record.spec_id not in used else record.key
        used.add(name)
        span = task_span(record, shared)
        if not span.started:
            span = task_span(record, shared, (began.timestamp(), began.timestamp()))
        samples.append(sample_of(record, span, name))
    return log.EvalLog(
        status="success" if view.finished else "started",
        eval=_spec(view, began, [sample.id for sample in samples]),
        results=_results(view, samples),
        stats=log.EvalStats(
            started_at=began.isoformat(),
            completed_at=_instant(view.finished).isoformat() if view.finished else "",
            model_usage=_sum(sample.model_usage for sample in samples),
            role_usage=_sum(sample.role_usage for sample in samples),
        ),
        samples=samples,
    )


def _spec(view: RunView, began: datetime, ids: list[int | str]) -> log.EvalSpec:
    models = view.brain
    worker = model.ModelConfig(model=models.worker if models else UNKNOWN_MODEL)
    return log.EvalSpec(
        eval_id=view.name,
        run_id=view.name,
        created=began.isoformat(),
        task=view.benchmark or "task",
        task_id=view.name,
        dataset=log.EvalDataset(
            name=view.pack, samples=len(ids), sample_ids=[str(sample_id) for sample_id in ids]
        ),
        model=models.evaluator if models else UNKNOWN_MODEL,
        model_roles={"worker": worker},
        config=log.EvalConfig(),
        metadata={"problems": list(view.problems)} if view.problems else None,
    )


def _results(view: RunView, samples: list[log.EvalSample]) -> log.EvalResults:
    run_totals = totals(view)
    figures = {
        "mean": run_totals.score_mean,
        "passed": sum(record.status == "passed" for record in view.tasks),
        "harm": run_totals.harm,
    }
    metrics = {
        name: log.EvalMetric(name=name, value=value)
        for name, value in figures.items()
        if value is not None
    }
    score = log.EvalScore(
        name=SCORER, scorer=SCORER, scored_samples=run_totals.scored,
        unscored_samples=len(samples) - run_totals.scored, metrics=metrics,
    )  # fmt: skip
    done = sum(sample.error is None and sample.scores is not None for sample in samples)
    return log.EvalResults(total_samples=len(samples), completed_samples=done, scores=[score])


def _sum(usages: Iterable[dict[str, ModelUsage]]) -> dict[str, ModelUsage]:
    total: dict[str, ModelUsage] = {}
    for usage in usages:
        for name, spent in usage.items():
            total[name] = total[name] + spent if name in total else spent
    return total


def _instant(text: str | None) -> datetime:
    """A moment with its zone; of a run that tells none the beginning of time."""
    try:
        moment = datetime.fromisoformat(text or "")
    except ValueError:
        return datetime.fromtimestamp(0, UTC)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def sample_of(record: TaskRecord, span: Span, name: str) -> log.EvalSample:
    """The sample of a task; ``span`` is its tree, ``name`` its unique id in the log."""
    calls = [child for child in span.walk() if child.kind == "model"]
    error = redact(record.error)
    score = None
    if record.score is not None:
        score = Score(
            value=record.score,
            answer=record.outcome,
            explanation=redact(record.eval_log),
            metadata={"passed": record.status == "passed", "harm": record.harm},
        )
    return log.EvalSample(
        id=name,
        epoch=1,
        input=span.inputs or "",
        target=record.group,
        messages=list(_messages(span)),
        output=_output(calls[-1]) if calls else model.ModelOutput(),
        scores={SCORER: score} if score else None,
        metadata=dict(span.facts) | {"cost_usd": span.cost_usd},
        events=list(_events(record, span, score)),
        model_usage=_used(calls, lambda call: call.model),
        role_usage=_used(calls, lambda call: call.name),
        started_at=_when(span.started).isoformat(),
        completed_at=_when(span.ended).isoformat(),
        total_time=span.ended - span.started,
        uuid=f"{name}-{record.task_id}",
        error=log.EvalError(message=error, traceback="", traceback_ansi="") if error else None,
    )


def _messages(span: Span) -> Iterator[model.ChatMessage]:
    """The task as one conversation: what was decided, which tools were called, what they said."""
    yield model.ChatMessageUser(content=span.inputs or "", id=f"{span.name}-task")
    for turn in span.children:
        tools = [child for child in turn.children if child.kind == "tool"]
        head = f"{span.name}-{turn.name}-{turn.facts['attempt']}"
        yield model.ChatMessageAssistant(
            id=head,
            content=turn.outputs or turn.error or "",
            tool_calls=[
                ToolCall(id=f"{head}-{n}", function=tool.name, arguments=_arguments(tool))
                for n, tool in enumerate(tools)
            ]
            or None,
        )
        for number, tool in enumerate(tools):
            yield model.ChatMessageTool(
                id=f"{head}-{number}-said", tool_call_id=f"{head}-{number}", function=tool.name,
                content=tool.outputs or "", error=_tool_error(tool),
            )  # fmt: skip


def _events(record: TaskRecord, span: Span, score: Score | None) -> Iterator[event.Event]:
    """The turns, notes of the journal, the score, in order.

    What has no time of its own has that of what it is in.
    """
    for number, turn in enumerate(span.children):
        yield from _turn(turn, f"{span.name}-{number}", span.started)
    end = _at(span.ended, span.started)
    for note in record.notes:
        yield event.InfoEvent(source="journal", data=redact(note), **end)
    if score:
        yield event.ScoreEvent(score=score, scorer=SCORER, **end)


def _turn(turn: Span, own: str, began: float) -> Iterator[event.Event]:
    first = turn.started or began
    inside: dict[str, Any] = {"span_id": own}
    begin, end = inside | _at(first, began), inside | _at(turn.ended or first, began)
    yield event.SpanBeginEvent(
        id=own, name=turn.name, type="agent", metadata=dict(turn.facts), **begin
    )
    if turn.inputs is not None:
        yield event.InfoEvent(source="state", data=turn.inputs, **begin)
    for number, child in enumerate(turn.children):
        common = inside | _at(child.started or first, began)
        if child.kind == "model":
            yield _model(child, common)
        else:
            yield _tool(child, f"{own}-{number}", common)
    if turn.error:
        yield event.InfoEvent(source="error", data=turn.error, **end)
    yield event.SpanEndEvent(id=own, **end)


def _model(call: Span, common: dict[str, Any]) -> event.ModelEvent:
    kinds = {"system": model.ChatMessageSystem, "assistant": model.ChatMessageAssistant}
    messages: list[model.ChatMessage] = [
        kinds.get(m.role, model.ChatMessageUser)(content=NOT_KEPT if m.text is None else m.text)
        for m in call.messages
    ]
    return event.ModelEvent(
        model=call.model, role=call.name, input=messages,
        tools=[], tool_choice="none", config=model.GenerateConfig(), output=_output(call),
        error=call.error, metadata=dict(call.facts), completed=_ended(call, common),
        working_time=call.ended - call.started, **common,
    )  # fmt: skip


def _tool(tool: Span, own: str, common: dict[str, Any]) -> event.ToolEvent:
    sent = [f"{wire.name} {wire.inputs}: {wire.facts['outcome']}" for wire in tool.children]
    return event.ToolEvent(
        id=own, function=tool.name, arguments=_arguments(tool), result=tool.outputs or "",
        error=_tool_error(tool), metadata=dict(tool.facts) | {"requests": sent},
        completed=_ended(tool, common), working_time=tool.ended - tool.started, **common,
    )  # fmt: skip


def _at(seconds: float, began: float) -> dict[str, Any]:
    return {"timestamp": _when(seconds), "working_start": max(seconds - began, 0.0)}


def _ended(span: Span, common: dict[str, Any]) -> datetime:
    began: datetime = common["timestamp"]
    return _when(began.timestamp() + span.ended - span.started)


def _output(call: Span) -> model.ModelOutput:
    usage = _usage(call.usage, call.cost_usd)
    seconds = call.ended - call.started
    if call.error and not call.outputs:
        return model.ModelOutput(model=call.model, usage=usage, time=seconds, error=call.error)
    message = model.ChatMessageAssistant(
        content=call.outputs or "", model=call.model, source="generate"
    )
    reason: Any = "max_tokens" if call.finish_reason == "length" else call.finish_reason
    stop_reason: Any = reason if reason in get_args(model.StopReason) else "unknown"
    choice = model.ChatCompletionChoice(message=message, stop_reason=stop_reason)
    return model.ModelOutput(model=call.model, choices=[choice], usage=usage, time=seconds)


def _usage(usage: Usage, dollars: float | None) -> ModelUsage | None:
    """Known usage only: this record has no way to say that a count is unknown."""
    if usage.prompt is None or usage.completion is None:
        return None
    return ModelUsage(
        input_tokens=usage.prompt - (usage.cached or 0),
        output_tokens=usage.completion,
        total_tokens=usage.prompt + usage.completion,
        input_tokens_cache_read=usage.cached,
        reasoning_tokens=usage.reasoning,
        total_cost=dollars,
    )


def _used(calls: list[Span], by: Callable[[Span], str]) -> dict[str, ModelUsage]:
    groups: dict[str, list[Span]] = {}
    for call in calls:
        groups.setdefault(by(call), []).append(call)
    usages = {
        name: _usage(
            sum((call.usage for call in some), Usage.nothing()),
            known_sum(call.cost_usd for call in some),
        )
        for name, some in groups.items()
    }
    return {name: usage for name, usage in usages.items() if usage is not None}


def _arguments(tool: Span) -> dict[str, Any]:
    arguments = json.loads(tool.inputs or "{}")
    return arguments if isinstance(arguments, dict) else {"arguments": arguments}


def _tool_error(tool: Span) -> ToolCallError | None:
    return ToolCallError("unknown", tool.error) if tool.error else None


def _when(seconds: float) -> datetime:
    return datetime.fromtimestamp(min(max(seconds, 0.0), LAST_SECOND), UTC)
