"""The columns in which a task's result is shown: one list for terminal, report and pair page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Generic, TypeVar

from core.models.model_call import known_sum
from core.runs.results import TaskResult, Totals, totals_of
from core.runs.run_view import RunView
from core.runs.summary import EFFECTS
from core.runs.task_record import TaskRecord
from core.terminal.figures import DASH, dollars, number, seconds, so_many_tasks, tokens, tokens_of

Shown = TypeVar("Shown")


@dataclass(frozen=True, kw_only=True)
class TaskFigures:
    """The figures of one task; None is unknown."""

    spec_id: str
    score: float | None
    outcome: str
    failure: str | None = None
    """Why it ended early, and which effects went wrong."""
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
    """The sort key: all texts or all numbers; None is unknown and comes last."""
    text: Callable[[Shown], str]
    total: Callable[[Totals], str] = lambda _: DASH
    """Its cell in the line of the sums."""
    short: str = ""
    """The heading where there is little room; "" for the same."""
    figure: bool = True
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
        figure=False,
    ),
    _figure(
        "score", "Score", "score", lambda score: number(score, 1),
        lambda sums: number(sums.score_mean, 3),
    ),
    Column(
        "outcome", "Outcome", lambda t: t.outcome,
        lambda t: f"{t.outcome}: {t.failure}" if t.failure else t.outcome,
        lambda sums: f"{sums.harm} wrong", figure=False,
    ),
    _figure("turns", "Turns", "turns", number),
    _figure("calls", "Tool calls", "tool_calls", number, short="Calls"),
    _figure("requests", "Requests", "requests", number),
    _figure("tokens", "Tokens", "tokens", number, lambda s: number(tokens(s.tokens)), bar=True),
    _figure("cost", "Dollars", "cost_usd", dollars),
    _figure("time", "Time", "seconds", seconds, bar=True),
)  # fmt: skip


def effects_text(counted: TaskResult | Totals) -> str:
    """Effects that were lost, doubled or unauthorised; "" where none was."""
    counts = {name: getattr(counted, name) for name in EFFECTS}
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


def figures_of_result(task: TaskResult) -> TaskFigures:
    """Read from a result."""
    causes = task.failure or (task.cause or "").partition(":")[0], effects_text(task)
    return TaskFigures(
        spec_id=task.spec_id,
        score=task.score,
        outcome=task.ended,
        failure=", ".join(filter(None, causes)) or None,
        turns=task.turns,
        tool_calls=task.tool_calls,
        requests=task.requests,
        tokens=tokens(task.tokens),
        cost_usd=task.cost_usd,
        seconds=task.seconds,
    )


def figures_of_record(task: TaskRecord) -> TaskFigures:
    """Read from a folder; of a running task what is known so far."""
    if task.result:
        return figures_of_result(task.result)
    done = [turn for turn in task.turns if turn.turn]
    return TaskFigures(
        spec_id=task.spec_id,
        score=None,
        outcome=task.outcome,
        turns=len(done),
        tool_calls=sum(len(turn.tools) for turn in done),
        requests=sum(turn.requests for turn in done),
        tokens=tokens_of(task.calls),
        cost_usd=known_sum(call.cost_usd for call in task.calls),
        seconds=None,
    )


def totals(run: RunView) -> Totals:
    """Sums over the tasks that are done and whose result can be read."""
    return totals_of((task.result for task in run.tasks if task.result), run.seconds or 0.0)
