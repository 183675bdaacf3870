"""The difference between two runs on a terminal or in a pipe."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from core.terminal.console import plain_line
from core.terminal.figures import DASH, number
from core.text import clean
from workshop.views.stats.difference import Difference, PromptChange
from workshop.views.stats.records import Group
from workshop.views.stats.table import GAP, interval, kinds, show_notes

NAMED_AT_MOST = 12
LINES = {"+": "green", "-": "red", "@": "cyan"}
MEANS = (("dollars a task", "cost_usd", 4), ("tokens a task", "tokens", 0),
         ("turns a task", "turns", 1), ("seconds a task", "seconds", 1))  # fmt: skip


def show_difference(console: Console, found: Difference) -> None:
    """The figures side by side, what is not the same, and the prompts as unified diffs."""
    _figures(console, found)
    plain_line(console, _paired(found))
    for label, specs in (("better", found.better), ("worse", found.worse)):
        if specs:
            more = len(specs) - NAMED_AT_MOST
            rest = f" and {more} more" if more > 0 else ""
            plain_line(console, f"{label}: {', '.join(specs[:NAMED_AT_MOST])}{rest}")
    for change in found.changes:
        was, now = (DASH if value is None else value for value in (change.was, change.now))
        plain_line(console, f"{change.what}: was {was}, is {now}", "bold")
    _prompts(console, found)
    show_notes(console, found.notes)


def _figures(console: Console, found: Difference) -> None:
    table = Table(box=box.SIMPLE, padding=GAP)
    table.add_column("")
    for group in (found.was, found.now):
        table.add_column(Text(clean(group.name)), justify="right", overflow="fold")
    table.add_column("change", justify="right", no_wrap=True)
    for row in _rows(found.was, found.now):
        table.add_row(*map(Text, row))
    console.print(table)


def _rows(was: Group, now: Group) -> list[tuple[str, str, str, str]]:
    rows = [_row("score", was.score_mean, now.score_mean, 3)]
    before, after = (f"{g.passed.passed}/{g.passed.of}" for g in (was, now))
    rows.append(("passed", before, after, _change(was.passed.passed, now.passed.passed, 0)))
    rows.append(_row("share that passed", was.passed.share, now.passed.share, 3))
    rows.append(("  95 %", interval(was.passed), interval(now.passed), ""))
    rows.append(_row("harm", was.harm, now.harm, 0))
    for label, name, digits in MEANS:
        rows.append(_row(label, getattr(was, name).mean, getattr(now, name).mean, digits))
    rows.append(("ended early", kinds(was.failures), kinds(now.failures), ""))
    return [*rows, ("outside of the agent", kinds(was.outside), kinds(now.outside), "")]


def _row(
    label: str, was: float | None, now: float | None, digits: int
) -> tuple[str, str, str, str]:
    return label, number(was, digits), number(now, digits), _change(was, now, digits)


def _change(was: float | None, now: float | None, digits: int) -> str:
    return DASH if was is None or now is None else f"{now - was:+,.{digits}f}"


def _paired(found: Difference) -> str:
    if found.paired_change is None:
        return "no task is the same in both runs, played and scored in both"
    return (
        f"tasks played and scored in both: {found.tasks_in_both}, "
        f"score {found.paired_change:+.3f}; better {len(found.better)}, worse {len(found.worse)}"
    )


def _prompts(console: Console, found: Difference) -> None:
    score = "the score with it is not known"
    if found.score_change is not None:
        score = f"score {found.score_change:+.3f}"
        if found.paired_change is not None:
            score += f", {found.paired_change:+.3f} over the tasks in both"
    if found.prompts is None:
        plain_line(console, f"prompts: not known of both runs ({score})", "bold")
    elif not found.prompts:
        plain_line(console, f"prompts: the same ({score})", "bold")
    for prompt in found.prompts or ():
        plain_line(console, f"prompt of the {prompt.role} ({score}): {_what(prompt)}", "bold")
        for line in filter(None, (prompt.diff or "").split("\n")):
            text = Text(clean(line), style=LINES.get(line[0], ""))
            console.print(text, soft_wrap=True, highlight=False)


def _what(prompt: PromptChange) -> str:
    if prompt.was is None or prompt.now is None:
        only = "only in the second run" if prompt.was is None else "only in the first run"
        return only if prompt.diff is not None else f"{only}, its text is not kept"
    return "changed" if prompt.diff is not None else "changed, a text of it is not kept"
