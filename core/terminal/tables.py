"""Tables of a run: what it has come to when it is over, and what a folder says of it."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from core.runs.results import RunResults, TaskResult, Totals
from core.runs.run_view import RunView
from core.terminal.console import plain_line
from core.terminal.figures import DASH, dollars, number, seconds, tokens
from core.terminal.task_columns import (
    COLUMNS,
    Column,
    TaskFigures,
    figures_of_record,
    figures_of_result,
    totals,
)
from core.text import clean

NARROW = 90
"""Below this many columns a table keeps only what matters most,"""
TIGHT = 70
"""and below so many not the time either."""


def summary_table(results: RunResults, width: int = NARROW) -> Table:
    """The score table of a run with its totals; ``width``: columns of the terminal."""
    pair = results.brain
    models = " / ".join(dict.fromkeys((pair.evaluator, pair.worker)))
    title = f"{results.run_id}  ({models})"
    rows = ((figures_of_result(task), _colour(task)) for task in results.tasks)
    return _table(title, rows, results.totals, width)


def _colour(task: TaskResult) -> str:
    return "red" if task.harm else "" if task.passed else "yellow"


def _table(title: str, rows: Iterable[tuple[TaskFigures, str]], sums: Totals, width: int) -> Table:
    """A line for each task in its colour, and one for the sums."""
    table = Table(title=Text(clean(title)))
    columns = [column for column in COLUMNS if _has_room(column, width)]
    for column in columns:
        heading = column.heading.lower()
        table.add_column(heading, justify="right" if column.figure else "left", overflow="fold")
    for figures, colour in rows:
        table.add_row(*(Text(clean(c.text(figures))) for c in columns), style=colour)
    table.add_section()
    table.add_row(*(column.total(sums) for column in columns), style="bold")
    return table


def _has_room(column: Column[TaskFigures], width: int) -> bool:
    if width >= NARROW:
        return True
    # Names that are folded can be neither read nor copied.
    return column.needed and (width >= TIGHT or column.name != "time")


def summary_lines(results: RunResults, idle_group: str | None = None) -> list[str]:
    """The groups apart, the trivial baseline, cost.

    ``idle_group``: the group whose tasks pass where nothing is done; None: there is none.
    """
    sums, groups = results.totals, results.totals.groups
    cost = DASH if sums.cost_usd is None else f"${sums.cost_usd:.4f}"
    parts = [f"{name} tasks: {part.passed} of {part.tasks} passed" for name, part in groups.items()]
    played = any(not task.infrastructure_failure for task in results.tasks)
    score = (
        f"this run scored {number(sums.score_mean, 3)}" if played else "no score: no task played"
    )
    scored = f"{score}; cost {cost}"
    if idle_group:
        known = sum(part.tasks for part in groups.values())
        idle = groups[idle_group].tasks if idle_group in groups else 0
        nothing = f"{idle / known:.3f}" if known else DASH
        scored = f"doing nothing would score {nothing}; {scored}"
    return ["; ".join([*parts, f"{results.harm_name}s: {sums.harm}"]), scored]


def overview(console: Console, run: RunView) -> None:
    """Every task of a folder with what it came to, and the sums of the run."""
    sums = totals(run)
    rows = (
        (figures_of_record(task), "red" if task.harm else "yellow" if task.failed else "")
        for task in run.tasks
    )
    console.print(_table(run.name, rows, sums, console.width))
    groups = "".join(f"{n} {p.passed} of {p.tasks}; " for n, p in sums.groups.items())
    text = (
        f"score {number(sums.score_mean, 3)}; {groups}{run.harm_name}s {sums.harm}; "
        f"{number(tokens(sums.tokens))} tokens, {dollars(sums.cost_usd)}, {seconds(run.seconds)}"
    )
    plain_line(console, text + ("" if run.finished else "; not finished"))
    for problem in run.problems:
        plain_line(console, problem, "red")
