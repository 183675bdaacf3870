"""The lines after a run's table about what went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rich.rule import Rule
from rich.text import Text

from core.runs.results import Failure, RunResults, TaskResult
from core.terminal.figures import counted, cut, number, reason, seconds, so_many_tasks
from core.text import clean

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
        f"{unplayed} not played": "yellow",
    }
    text = Text(", ").join(
        Text(clean(words), style=style) for words, style in counts.items() if words[:2] != "0 "
    )
    text = text or Text("no task was played")
    text.append(f" in {seconds(results.totals.seconds)}", style="dim")
    bad, short = failed or results.totals.harm, unplayed or not results.tasks
    return Rule(text, characters="═", style="red" if bad else "yellow" if short else "green")


def ending(results: RunResults, unplayed: int = 0) -> list[Text]:
    """Failed tasks by cause, the worst first, in at most :data:`LINES` lines; none: no lines.

    ``unplayed``: tasks of the run that have no result.
    """
    failed = worst_first(results)
    lines: list[tuple[Text, int]] = []
    for (_, cause), group in groupby(failed, key=_rank):
        lines += _lines(cause or results.harm_name, list(group))
    if not lines and not unplayed:
        return []
    heading = f"failed: {len(failed)} of {len(results.tasks) + unplayed}"
    heading += f"; {unplayed} not played" if unplayed else ""
    head = [Text(heading, style="bold")]
    if results.tasks and all(task.failure == "model" for task in results.tasks):
        text = f"the model never answered: all {so_many_tasks(len(failed))} ended without it"
        head.append(Text(text, style="bold red"))
    room = LINES - len(head)
    if len(lines) > room:
        hidden = sum(count for _, count in lines[room - 1 :])
        return [*head, *(line for line, _ in lines[: room - 1]), Text(f"  … and {hidden} more")]
    return [*head, *(line for line, _ in lines)]


def _rank(task: TaskResult) -> tuple[int, str]:
    """The rank of a cause, and its name; "" for harm."""
    if task.harm:
        return 0, ""
    if task.failure:
        return 1 + list(_CAUSES).index(task.failure), _CAUSES[task.failure]
    if task.cause:
        return len(_CAUSES) + 1, task.cause_kind
    return len(_CAUSES) + 2, task.ended


def _lines(cause: str, tasks: Sequence[TaskResult]) -> list[tuple[Text, int]]:
    """The lines of one cause, each with its number of tasks."""
    first = tasks[0]
    of_program = first.cause is not None and not first.failure and len(tasks) > 1
    if (first.failure or of_program) and not first.harm:
        names = ", ".join(task.spec_id for task in tasks[:NAMED])
        more = f" and {len(tasks) - NAMED} more" if len(tasks) > NAMED else ""
        text = f"  {cause}, {so_many_tasks(len(tasks))} ({names}{more})"
        text += "" if of_program else f": {_reason(first)}"
        return [(Text(clean(text), style="red"), len(tasks))]
    cause = first.ended if first.cause and not first.failure else cause
    style = "red" if first.harm else "yellow"
    texts = (f"  {cause}: {t.spec_id}  {number(t.score, 1)}  {_reason(t)}" for t in tasks)
    return [(Text(clean(text), style=style), 1) for text in texts]


def _reason(task: TaskResult) -> str:
    text = reason(task.error or "", task.eval_log, task.cause or "")
    return cut(" ".join(text.split()), REASON_CHARS) or "reason unknown"
