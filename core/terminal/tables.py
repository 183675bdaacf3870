"""Tables of a run: what it has come to when it is over, and what a folder says of it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from core.runs.results import RunResults, TaskResult, Totals
from core.runs.run_view import RunView
from core.terminal.console import plain_line
from core.terminal.ending import worst_first
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

ROWS = 40
"""A run with more tasks shows only those that failed at its end, and no more than these."""
DROPPED = ("requests", "calls", "turns", "cost", "tokens", "time")
"""Columns that a narrow terminal goes without, the first one first."""
BORDER = 3
"""Characters of a column beside its text."""


def summary_table(results: RunResults, width: int) -> Table:
    """The score table of a run with its totals; ``width``: columns of the terminal."""
    pair, tasks = results.brain, results.tasks
    models = " / ".join(dict.fromkeys((pair.evaluator, pair.worker)))
    title = f"{results.run_id}  ({models})"
    listed = tasks if len(tasks) <= ROWS else worst_first(results)[:ROWS]
    rows = [(figures_of_result(task), _colour(task)) for task in listed]
    return _table(title, rows, results.totals, width, hidden=len(tasks) - len(listed))


def _colour(task: TaskResult) -> str:
    return "red" if task.harm else "" if task.passed else "yellow"


def _table(
    title: str,
    rows: Sequence[tuple[TaskFigures, str]],
    sums: Totals,
    width: int,
    hidden: int = 0,
) -> Table:
    """A line for each task in its colour, and one for the sums; ``hidden``: tasks left out.

    Columns are left out until no word has to be cut in two.
    """
    more = f"… and {hidden} more" if hidden else ""
    widths = {
        column.name: max(
            len(more) if column.name == "task" else 0,
            len(column.heading),
            len(column.total(sums)),
            *(_longest(column, figures) for figures, _ in rows),
        )
        for column in COLUMNS
    }
    columns, dropped = list(COLUMNS), iter(DROPPED)
    while not (fits := sum(widths[c.name] + BORDER for c in columns) < width):
        if (name := next(dropped, None)) is None:
            break
        columns = [column for column in columns if column.name != name]
    table = Table(title=Text(clean(title)))
    for column in columns:
        table.add_column(
            column.heading.lower(),
            justify="right" if column.figure else "left",
            overflow="fold",
            no_wrap=fits and column.name != "outcome",
            min_width=widths[column.name] if fits else None,
        )
    for figures, colour in rows:
        table.add_row(*(Text(clean(c.text(figures))) for c in columns), style=colour)
    if more:
        table.add_row(more, style="dim")
    table.add_section()
    table.add_row(*(column.total(sums) for column in columns), style="bold")
    return table


def _longest(column: Column[TaskFigures], figures: TaskFigures) -> int:
    """Characters that must fit on one line: the longest word of an outcome."""
    text = clean(column.text(figures))
    return max(map(cell_len, text.split() if column.name == "outcome" else [text]), default=0)


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
    rows = [
        (figures_of_record(task), "red" if task.harm else "yellow" if task.failed else "")
        for task in run.tasks
    ]
    console.print(
        _table(f"{run.heading}{', a fork' if run.fork else ''}", rows, sums, console.width)
    )
    groups = "".join(f"{n} {p.passed} of {p.tasks}; " for n, p in sums.groups.items())
    score = "no score" if sums.score_mean is None else f"score {number(sums.score_mean, 3)}"
    text = (
        f"{score}; {groups}{run.harm_name}s {sums.harm}; "
        f"{number(tokens(sums.tokens))} tokens, {dollars(sums.cost_usd)}, {seconds(run.seconds)}"
    )
    plain_line(console, text + ("" if run.finished else "; not finished"))
    for problem in run.problems:
        plain_line(console, problem, "red")
