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
        mark = "red" if task.wrong_checkout else "" if task.passed else "yellow"
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
        "outcome": f"{task.outcome}: {task.failure}" if task.failure else task.outcome,
        "turns": str(task.turns),
        "tool calls": str(task.tool_calls),
        "requests": str(task.store_requests),
        "tokens": number(tokens(task.tokens)),
        "seconds": f"{task.seconds:.2f}",
    }


def _totals(results: RunResults) -> dict[str, str]:
    totals = results.totals
    return {
        "task": so_many_tasks(totals.tasks),
        "score": number(totals.score_mean, 3),
        "outcome": f"{totals.wrong_checkouts} wrong",
        "turns": str(totals.turns),
        "tool calls": str(totals.tool_calls),
        "requests": str(sum(t.store_requests for t in results.tasks)),
        "tokens": number(tokens(totals.tokens)),
        "seconds": f"{totals.seconds:.2f}",
    }


def closing_lines(results: RunResults) -> list[str]:
    """Buy and refuse apart, the trivial baseline, cost."""
    totals = results.totals
    known = totals.buy.tasks + totals.refuse.tasks
    nothing = f"{totals.refuse.tasks / known:.3f}" if known else DASH
    cost = DASH if totals.cost_usd is None else f"${totals.cost_usd:.4f}"
    return [
        f"buy tasks: {totals.buy.passed} of {totals.buy.tasks} passed; "
        f"refuse tasks: {totals.refuse.passed} of {totals.refuse.tasks} passed; "
        f"wrong checkouts: {totals.wrong_checkouts}",
        f"doing nothing would score {nothing}; "
        f"this run scored {number(totals.score_mean, 3)}; cost {cost}",
    ]
