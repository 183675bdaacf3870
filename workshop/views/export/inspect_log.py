"""A run as a log of Inspect AI: one sample a task, its spans as the sample's events."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from inspect_ai import log
from inspect_ai.model import ModelConfig, ModelUsage

from core.runs.prompts import read_prompts
from core.runs.run_view import RunView
from core.terminal.task_columns import totals
from workshop.views.export.inspect_sample import sample_of
from workshop.views.tracing.span_tree import task_span

SCORER = "platform"
UNKNOWN_MODEL = "none/unknown"


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
        window = (began.timestamp(), began.timestamp())
        span = task_span(record, shared)
        if not span.started:
            span = task_span(record, shared, window)
        samples.append(sample_of(record, span, name, SCORER))
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
    brain = view.brain
    worker = ModelConfig(model=brain.worker if brain else UNKNOWN_MODEL)
    return log.EvalSpec(
        eval_id=view.name,
        run_id=view.name,
        created=began.isoformat(),
        task=view.benchmark or "task",
        task_id=view.name,
        dataset=log.EvalDataset(
            name=view.pack, samples=len(ids), sample_ids=[str(sample_id) for sample_id in ids]
        ),
        model=brain.evaluator if brain else UNKNOWN_MODEL,
        model_roles={"worker": worker},
        config=log.EvalConfig(),
        metadata={"problems": list(view.problems)} if view.problems else None,
    )


def _results(view: RunView, samples: list[log.EvalSample]) -> log.EvalResults:
    sums = totals(view)
    figures = {
        "mean": sums.score_mean,
        "passed": sum(record.status == "passed" for record in view.tasks),
        "harm": sums.harm,
    }
    metrics = {
        name: log.EvalMetric(name=name, value=value)
        for name, value in figures.items()
        if value is not None
    }
    score = log.EvalScore(
        name=SCORER, scorer=SCORER, scored_samples=sums.scored,
        unscored_samples=len(samples) - sums.scored, metrics=metrics,
    )  # fmt: skip
    done = sum(sample.error is None and sample.scores is not None for sample in samples)
    return log.EvalResults(total_samples=len(samples), completed_samples=done, scores=[score])


def _sum(usages: Iterable[dict[str, ModelUsage]]) -> dict[str, ModelUsage]:
    """By model or role what is known to have been used."""
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
