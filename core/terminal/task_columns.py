"""The columns in which a task's result is shown: one list for terminal, report and pair page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Generic, TypeVar

from core.models.model_call import known_sum, total_usage
from core.runs.results import TaskResult, Totals, totals_of
from core.runs.run_view import RunView
from core.runs.summary import EFFECTS
from core.runs.task_record import TaskRecord
from core.terminal.figures import DASH, dollars, number, seconds, so_many_tasks, tokens

Shown = TypeVar("Shown")


@dataclass(frozen=True, kw_only=True)
class TaskFigures:
    """One task as a row of a table: its result, or what is known of it so far."""

    result: TaskResult

    @property
    def spec_id(self) -> str:
        """Its name."""
        return self.result.spec_id

    @property
    def score(self) -> float | None:
        """Its score; None is unknown."""
        return self.result.score

    @property
    def outcome(self) -> str:
        """How it ended, in the benchmark's word if it has one, or that it is running."""
        return self.result.ended


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
    of: Callable[[Any], Any],
    show: Callable[[Any], str],
    total: Callable[[Totals], str] | None = None,
    **more: Any,
) -> Column[TaskFigures]:
    """A column of ``of`` a result; its total is ``of`` the totals, shown in the same way."""
    return Column(
        name,
        heading,
        lambda task: of(task.result),
        lambda task: show(of(task.result)),
        total or (lambda sums: show(of(sums))),
        **more,
    )


def _ended(task: TaskFigures) -> str:
    result = task.result
    causes = result.failure or (result.cause or "").partition(":")[0], effects_text(result)
    why = ", ".join(filter(None, causes))
    return f"{result.ended}: {why}" if why else result.ended


COLUMNS: tuple[Column[TaskFigures], ...] = (
    _figure(
        "task", "Task", attrgetter("spec_id"), str, lambda sums: so_many_tasks(sums.tasks),
        figure=False,
    ),
    _figure(
        "score", "Score", attrgetter("score"), lambda score: number(score, 1),
        lambda sums: number(sums.score_mean, 3),
    ),
    Column(
        "outcome", "Outcome", attrgetter("outcome"), _ended,
        lambda sums: f"{sums.harm} wrong", figure=False,
    ),
    _figure("turns", "Turns", attrgetter("turns"), number),
    _figure("calls", "Tool calls", attrgetter("tool_calls"), number, short="Calls"),
    _figure("requests", "Requests", attrgetter("requests"), number),
    _figure("tokens", "Tokens", lambda one: tokens(one.tokens), number, bar=True),
    _figure("cost", "Dollars", attrgetter("cost_usd"), dollars),
    _figure("time", "Time", attrgetter("seconds"), seconds, bar=True),
)  # fmt: skip
"""A new one is an entry here and a field of ``TaskResult``."""


def effects_text(counted: TaskResult | Totals) -> str:
    """Effects that were lost, doubled or unauthorised; "" where none was."""
    counts = {name: getattr(counted, name) for name in EFFECTS}
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


def figures_of_result(task: TaskResult) -> TaskFigures:
    """The row of a result."""
    return TaskFigures(result=task)


def figures_of_record(task: TaskRecord) -> TaskFigures:
    """The row of a task in a folder; of a running one what is known so far."""
    return TaskFigures(result=task.result or _so_far(task))


def _so_far(task: TaskRecord) -> TaskResult:
    done = [turn for turn in task.turns if turn.turn]
    return TaskResult(
        spec_id=task.spec_id,
        outcome="unfinished",
        verdict=task.outcome,
        turns=len(done),
        tool_calls=sum(len(turn.tools) for turn in done),
        requests=sum(turn.requests for turn in done),
        tokens=total_usage(task.calls),
        cost_usd=known_sum(call.cost_usd for call in task.calls),
        seconds=sum(turn.seconds or 0.0 for turn in done),
    )


def totals(run: RunView) -> Totals:
    """Sums over the tasks that are done and whose result can be read."""
    return totals_of((task.result for task in run.tasks if task.result), run.seconds or 0.0)
