"""The columns in which a task's result is shown: one list for terminal, report and pair page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Generic, TypeVar

from core.runs.results import TaskResult, Totals, totals_of
from core.runs.run_view import RunView
from core.runs.summary import EFFECTS
from core.terminal.figures import DASH, dollars, number, seconds, so_many_tasks, tokens

Shown = TypeVar("Shown")


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
    terminal: bool = True
    """Whether a terminal has room for it."""


def _figure(
    name: str,
    heading: str,
    of: Callable[[Any], Any],
    show: Callable[[Any], str],
    total: Callable[[Totals], str] | None = None,
    **more: Any,
) -> Column[TaskResult]:
    """A column of ``of`` a result; its total is ``of`` the totals, shown in the same way."""
    total = total or (lambda sums: show(of(sums)))
    return Column(name, heading, of, lambda task: show(of(task)), total, **more)


def _ended(task: TaskResult) -> str:
    effects = effects_text({name: getattr(task, name) for name in EFFECTS})
    causes = task.failure or (task.cause or "").partition(":")[0], effects
    why = ", ".join(filter(None, causes))
    return f"{task.ended}: {why}" if why else task.ended


COLUMNS: tuple[Column[TaskResult], ...] = (
    _figure(
        "task", "Task", attrgetter("spec_id"), str, lambda sums: so_many_tasks(sums.tasks),
        figure=False,
    ),
    _figure(
        "score", "Score", attrgetter("score"), lambda score: number(score, 1),
        lambda sums: number(sums.score_mean, 3),
    ),
    Column(
        "outcome", "Outcome", attrgetter("ended"), _ended,
        lambda sums: f"{sums.harm} wrong", figure=False,
    ),
    _figure("turns", "Turns", attrgetter("turns"), number),
    _figure(
        "calls", "Tool calls", attrgetter("tool_calls"), number, short="Calls", terminal=False
    ),
    _figure("requests", "Requests", attrgetter("requests"), number, terminal=False),
    _figure("tokens", "Tokens", lambda one: tokens(one.tokens), number, bar=True),
    _figure("cost", "Dollars", attrgetter("cost_usd"), dollars),
    _figure("time", "Time", attrgetter("seconds"), seconds, bar=True),
)  # fmt: skip
"""A new one is an entry here and a field of ``TaskResult``."""


def effects_text(counts: Mapping[str, int | None]) -> str:
    """Effects that were lost, doubled or unauthorised; "" where none was."""
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


def totals(run: RunView) -> Totals:
    """Sums over the tasks that are done and whose result can be read."""
    return totals_of((task.result for task in run.tasks if task.result), run.manifest.seconds)
