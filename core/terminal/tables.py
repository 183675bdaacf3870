"""Tables of a run, and the lines after its table about what went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rich import box
from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from core.runs.results import Failure, RunResults, TaskResult, Totals
from core.runs.run_view import RunView
from core.terminal.console import CAUTION, plain_line
from core.terminal.figures import (
    DASH,
    counted,
    cut,
    dollars,
    number,
    reason,
    seconds,
    so_many_tasks,
    spent_by_role,
    tokens,
)
from core.terminal.task_columns import COLUMNS, effects_text, totals
from core.text import clean

ROWS = 40
"""A run with more tasks shows only those that failed at its end, and no more than these."""
LINES = 10
NAMED = 3
"""Tasks that are named where many ended for one reason."""
REASON_CHARS = 200
_CAUSES: dict[Failure, str] = {
    "model": "no answer from the model",
    "benchmark": "no answer from the platform",
    "internal": "internal errors",
    "sandbox": "the sandbox died",
    "interrupted": "interrupted",
    "limit": "cut off by a limit",
    "agent": "the agent left them unfinished",
    "reply": "unreadable replies of the model",
}


def summary_table(results: RunResults) -> Table:
    """The score table of a run with its totals."""
    pair, tasks = results.brain, results.tasks
    models = " / ".join(dict.fromkeys((pair.evaluator, pair.worker)))
    title = f"{results.run_id}  ({models})"
    listed = tasks if len(tasks) <= ROWS else worst_first(results)[:ROWS]
    rows = [(task, "red" if task.harm else "" if task.passed else CAUTION) for task in listed]
    return _table(title, rows, results.totals, hidden=len(tasks) - len(listed))


def _table(
    title: str, rows: Sequence[tuple[TaskResult, str]], sums: Totals, hidden: int = 0
) -> Table:
    """A line for each task in its colour, and one for the sums; ``hidden``: tasks left out."""
    columns = [column for column in COLUMNS if column.terminal]
    table = Table(title=Text(clean(title)), box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for column in columns:
        table.add_column(
            column.heading.lower(),
            justify="right" if column.figure else "left",
            overflow="fold",
            no_wrap=column.figure,
        )
    for task, colour in rows:
        table.add_row(*(Text(clean(column.text(task))) for column in columns), style=colour)
    if hidden:
        table.add_row(f"… and {hidden} more", style="dim")
    table.add_section()
    table.add_row(*(column.total(sums) for column in columns), style="bold")
    return table


def summary_lines(results: RunResults, idle_group: str | None = None) -> list[str]:
    """The groups apart, the trivial baseline, cost.

    ``idle_group``: the group whose tasks pass where nothing is done; None: there is none.
    """
    sums, groups = results.totals, results.totals.groups
    cost = DASH if sums.cost_usd is None else f"${sums.cost_usd:.4f}"
    parts = [f"{name} tasks: {part.passed} of {part.tasks} passed" for name, part in groups.items()]
    parts.append(f"{results.harm_name}s: {sums.harm}")
    if effects := effects_text(sums.effects):
        parts.append(f"effects: {effects}")
    judged = "; ".join(parts)
    if all(task.infrastructure_failure for task in results.tasks):
        began = "each task that began ended for an external reason"
        scored = f"no score: {began if results.tasks else 'no task began'}; cost {cost}"
        return [judged, scored]
    scored = f"this run scored {number(sums.score_mean, 3)}; cost {cost}"
    if idle_group:
        known = sum(part.tasks for part in groups.values())
        idle = groups[idle_group].tasks if idle_group in groups else 0
        nothing = f"{idle / known:.3f}" if known else DASH
        scored = f"doing nothing would score {nothing}; {scored}"
    note = [results.brain.note] if results.brain.note else []
    note += [results.caveat] if results.caveat else []
    return [judged, scored, *note]


def overview(console: Console, run: RunView) -> None:
    """Every task of a folder with what it came to, and the sums of the run."""
    sums = totals(run)
    rows = [
        (task.so_far, "red" if task.harm else CAUTION if task.failed else "") for task in run.tasks
    ]
    title = f"{run.heading}{', a fork' if run.manifest.fork else ''}"
    console.print(_table(title, rows, sums))
    groups = "".join(f"{n} {p.passed} of {p.tasks}; " for n, p in sums.groups.items())
    score = "no score" if sums.score_mean is None else f"score {number(sums.score_mean, 3)}"
    effects = f"effects {told}; " if (told := effects_text(sums.effects)) else ""
    text = (
        f"{score}; {groups}{run.manifest.harm_name}s {sums.harm}; {effects}"
        f"{number(tokens(sums.tokens))} tokens, {dollars(sums.cost_usd)}, {seconds(sums.seconds)}"
    )
    if run.manifest.waits or not run.manifest.finished:
        text += "; not submitted" if run.manifest.waits else "; not finished"
    plain_line(console, text)
    asked = [call for task in run.tasks for act in task.turns for call in act.asked]
    for line in spent_by_role(asked):
        plain_line(console, f"  {line}")
    if note := run.manifest.brain.note:
        plain_line(console, note)
    for problem in run.problems:
        plain_line(console, problem, "red")


def worst_first(results: RunResults) -> list[TaskResult]:
    """The failed tasks, those with the worst cause first."""
    return sorted((task for task in results.tasks if task.failed), key=_rank)


def summary_bar(results: RunResults, unplayed: int = 0) -> Rule:
    """The last line of a run: what it has come to, in its colour."""
    passed = sum(task.passed for task in results.tasks)
    failed = sum(task.failed for task in results.tasks)
    counts = {
        f"{passed} passed": "green",
        f"{failed} failed": "red",
        counted(results.totals.harm, results.harm_name): "bold red",
        f"{len(results.tasks) - passed - failed} without a score": "",
        f"{unplayed} not played": CAUTION,
    }
    text = Text(", ").join(
        Text(clean(words), style=style) for words, style in counts.items() if words[:2] != "0 "
    )
    text = text or Text("no task was played")
    text.append(f" in {seconds(results.totals.seconds)}", style="dim")
    bad, short = failed or results.totals.harm, unplayed or not results.tasks
    return Rule(text, characters="═", style="red" if bad else CAUTION if short else "green")


def ending(results: RunResults, unplayed: int = 0) -> list[Text]:
    """Failed tasks by cause, the worst first, in at most :data:`LINES` lines; none: no lines.

    ``unplayed``: tasks of the run that have no result.
    """
    failed = worst_first(results)
    groups = [(cause, list(alike)) for (_, cause), alike in groupby(failed, key=_rank)]
    if not groups and not unplayed:
        return []
    heading = f"failed: {len(failed)} of {len(results.tasks) + unplayed}"
    heading += f"; {unplayed} not played" if unplayed else ""
    head = [Text(heading, style="bold")]
    if results.tasks and all(task.failure == "model" for task in results.tasks):
        text = f"the model never answered: all {so_many_tasks(len(failed))} ended without it"
        head.append(Text(text, style="bold red"))
    lines = [_line(cause or results.harm_name, tasks) for cause, tasks in groups]
    if len(lines) > (room := LINES - len(head)):
        hidden = sum(len(tasks) for _, tasks in groups[room - 1 :])
        lines = [*lines[: room - 1], Text(f"  … and {hidden} more")]
    return [*head, *lines]


def _rank(task: TaskResult) -> tuple[int, str]:
    if task.harm:
        return 0, ""
    if task.failure:
        return 1 + list(_CAUSES).index(task.failure), _CAUSES[task.failure]
    if task.cause:
        return len(_CAUSES) + 1, task.cause_kind
    return len(_CAUSES) + 2, task.ended


def _line(cause: str, tasks: Sequence[TaskResult]) -> Text:
    first = tasks[0]
    names = ", ".join(task.spec_id for task in tasks[:NAMED])
    more = f" and {len(tasks) - NAMED} more" if len(tasks) > NAMED else ""
    told = "" if cause == first.cause_kind else f": {_reason(first)}"
    text = f"  {cause}, {so_many_tasks(len(tasks))} ({names}{more}){told}"
    return Text(clean(text), style="red" if first.harm or first.failure else CAUTION)


def _reason(task: TaskResult) -> str:
    text = reason(task.error or "", task.eval_log, task.cause or "")
    return cut(" ".join(text.split()), REASON_CHARS) or "reason unknown"
