"""What a run has come to: its score table and what stands below."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from runs.results import RunResults, TaskResult
from views.report.blocks import DASH, number, so_many_tasks, tokens
from worker.sandbox.values import clean

NARROW = 90
"""Below this many columns the table keeps only what matters most."""
_HEADINGS = ("task", "score", "outcome", "turns", "tool calls", "requests", "tokens", "seconds")
_NEEDED = frozenset({"task", "score", "outcome", "seconds"})


def closing_table(results: RunResults, width: int = NARROW) -> Table:
    """The score table of a run with its totals; ``width``: columns of the terminal."""
    brain = results.brain
    table = Table(title=Text(clean(f"{results.run_id}  ({brain.evaluator} / {brain.worker})")))
    shown = [name for name in _HEADINGS if width >= NARROW or name in _NEEDED]
    for name in shown:
        left = name in ("task", "outcome")
        table.add_column(name, justify="left" if left else "right", overflow="fold")
    for task in results.tasks:
        mark = "red" if task.harm else "" if task.passed else "yellow"
        cells = _cells(task)
        table.add_row(*(Text(clean(cells[name])) for name in shown), style=mark)
    totals = _totals(results)
    table.add_section()
    table.add_row(*(totals[name] for name in shown), style="bold")
    return table


def _cells(task: TaskResult) -> dict[str, str]:
    return {
        "task": task.spec_id,
        "score": number(task.score, 1),
        "outcome": f"{task.ended}: {task.failure}" if task.failure else task.ended,
        "turns": str(task.turns),
        "tool calls": str(task.tool_calls),
        "requests": str(task.requests),
        "tokens": number(tokens(task.tokens)),
        "seconds": f"{task.seconds:.2f}",
    }


def _totals(results: RunResults) -> dict[str, str]:
    totals = results.totals
    return {
        "task": so_many_tasks(totals.tasks),
        "score": number(totals.score_mean, 3),
        "outcome": f"{totals.harm} wrong",
        "turns": str(totals.turns),
        "tool calls": str(totals.tool_calls),
        "requests": str(totals.requests),
        "tokens": number(tokens(totals.tokens)),
        "seconds": f"{totals.seconds:.2f}",
    }


def closing_lines(results: RunResults, idle_group: str | None = None) -> list[str]:
    """The groups apart, the trivial baseline, cost.

    ``idle_group``: the group whose tasks pass where nothing is done; None: there is none.
    """
    totals, groups = results.totals, results.totals.groups
    cost = DASH if totals.cost_usd is None else f"${totals.cost_usd:.4f}"
    parts = [f"{name} tasks: {part.passed} of {part.tasks} passed" for name, part in groups.items()]
    scored = f"this run scored {number(totals.score_mean, 3)}; cost {cost}"
    if idle_group:
        known = sum(part.tasks for part in groups.values())
        idle = groups[idle_group].tasks if idle_group in groups else 0
        nothing = f"{idle / known:.3f}" if known else DASH
        scored = f"doing nothing would score {nothing}; {scored}"
    return ["; ".join([*parts, f"{results.harm_name}s: {totals.harm}"]), scored]
