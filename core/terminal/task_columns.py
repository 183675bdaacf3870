"""The columns in which a task's result is shown: one list for terminal, report and pair page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from core.models.model_call import total_usage
from core.runs.results import TaskResult, Totals, totals_of
from core.runs.run_view import RunView
from core.runs.task_record import TaskRecord
from core.terminal.figures import DASH, dollars, known_sum, number, seconds, so_many_tasks, tokens

Shown = TypeVar("Shown")


@dataclass(frozen=True, kw_only=True)
class TaskFigures:
    """What one task has come to; None is unknown."""

    spec_id: str
    score: float | None
    outcome: str
    failure: str | None = None
    """Why it ended early."""
    turns: int
    tool_calls: int | None
    requests: int | None
    tokens: int | None
    cost_usd: float | None
    seconds: float | None


@dataclass(frozen=True)
class Column(Generic[Shown]):
    """One column: where its values come from and how they are shown."""

    name: str
    """Its class and its key on a page."""
    heading: str
    value: Callable[[Shown], Any]
    """What it is sorted by: all texts or all numbers; None is unknown and comes last."""
    text: Callable[[Shown], str]
    total: Callable[[Totals], str] = lambda _: DASH
    """Its cell in the line of the sums."""
    short: str = ""
    """The heading where there is little room; "" for the same."""
    figure: bool = True
    """Figures stand at the right."""
    needed: bool = False
    """Shown also on a narrow terminal."""
    bar: bool = False
    """A page shows how much it is of the largest of the run."""


def _figure(
    name: str,
    heading: str,
    field: str,
    show: Callable[[Any], str],
    total: Callable[[Totals], str] | None = None,
    **more: Any,
) -> Column[TaskFigures]:
    """A column of one field; its total is shown in the same way."""
    value = attrgetter(field)
    sums = total or (lambda sums: show(value(sums)))
    return Column(name, heading, value, lambda task: show(value(task)), sums, **more)


COLUMNS: tuple[Column[TaskFigures], ...] = (
    _figure(
        "task", "Task", "spec_id", str, lambda sums: so_many_tasks(sums.tasks),
        figure=False, needed=True,
    ),
    _figure(
        "score", "Score", "score", lambda score: number(score, 1),
        lambda sums: number(sums.score_mean, 3), needed=True,
    ),
    Column(
        "outcome", "Outcome", lambda t: t.outcome,
        lambda t: f"{t.outcome}: {t.failure}" if t.failure else t.outcome,
        lambda sums: f"{sums.harm} wrong", figure=False, needed=True,
    ),
    _figure("turns", "Turns", "turns", number),
    _figure("calls", "Tool calls", "tool_calls", number, short="Calls"),
    _figure("requests", "Requests", "requests", number),
    _figure("tokens", "Tokens", "tokens", number, lambda s: number(tokens(s.tokens)), bar=True),
    _figure("cost", "Dollars", "cost_usd", dollars),
    _figure("time", "Time", "seconds", seconds, needed=True, bar=True),
)  # fmt: skip


def figures_of_result(task: TaskResult) -> TaskFigures:
    """What a result says, as a run wrote it."""
    return _figures(task.model_dump(), task.spec_id, task.score, task.ended)


def figures_of_record(task: TaskRecord) -> TaskFigures:
    """What a folder says, whole or not; of a task under way what is known so far."""
    record = _under_way(task) if task.result is None else task.result
    return _figures(record, task.spec_id, task.score, task.outcome)


def totals(run: RunView) -> Totals:
    """Sums over the tasks that are done and whose result can be read."""
    results = []
    for task in run.tasks:
        try:
            results.append(TaskResult.model_validate(task.result))
        except ValidationError:
            continue
    return totals_of(results, run.seconds or 0.0)


def _under_way(task: TaskRecord) -> dict[str, Any]:
    done = [act for act in task.turns if act.turn]
    return {
        "turns": len(done),
        "tool_calls": sum(len(act.tools) for act in done),
        "requests": sum(act.requests for act in done),
        "tokens": total_usage(task.calls).model_dump(),
        "cost_usd": known_sum(call.cost_usd for call in task.calls),
    }


def _figures(
    record: dict[str, Any], spec_id: str, score: float | None, outcome: str
) -> TaskFigures:
    """The figures of a record; one that cannot be read is unknown."""
    spent = record.get("tokens")
    spent = spent if isinstance(spent, dict) else {}
    return TaskFigures(
        spec_id=spec_id,
        score=score,
        outcome=outcome,
        failure=record.get("failure"),
        turns=_whole(record.get("turns")) or 0,
        tool_calls=_whole(record.get("tool_calls")),
        requests=_whole(record.get("requests")),
        tokens=known_sum(_whole(spent.get(name)) for name in ("prompt", "completion")),
        cost_usd=_real(record.get("cost_usd")),
        seconds=_real(record.get("seconds")),
    )


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _real(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
