"""Statistics on a terminal or in a pipe; as lists if it is narrow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from core.terminal.console import plain_line
from core.terminal.figures import DASH, number
from core.text import clean
from workshop.views.stats.groups import By, Group, Statistics
from workshop.views.stats.interval import Share

NOTES_SHOWN = 8
UNBOUNDED = 10_000
NAME_WIDTH = 16
"""A name is folded, but not narrower than this."""
GAP = (0, 1, 0, 0)
FOOT = (
    "passed: with the 95 % Wilson interval, as wide as for that many different tasks "
    "(by task: that many trials)",
    "outside: failed for an external reason (a key, the platform, an interruption), counted "
    "in no score; ended early: by the agent itself or by a limit",
    "dollars, tokens, turns, seconds: mean of a task, over those that know it; times in UTC",
)


Cell = Callable[[Group], str]
FIGURES: dict[str, Cell] = {
    "since": lambda g: (g.first or DASH)[:10],
    "runs": lambda g: f"{g.runs:,}",
    "passed": lambda g: f"{g.passed.passed:,}/{g.passed.of:,}",
    "95 %": lambda g: _interval(g.passed),
    "score": lambda g: number(g.score_mean, 3),
    "harm": lambda g: f"{g.harm:,}",
    "dollars": lambda g: number(g.cost_usd, 4),
    "tokens": lambda g: number(g.tokens, 0),
    "turns": lambda g: number(g.turns, 1),
    "seconds": lambda g: number(g.seconds, 1),
}
KINDS: dict[str, Cell] = {
    "ended early": lambda g: _kinds(g.failures),
    "outside": lambda g: _kinds(g.outside),
}
"""Why tasks ended otherwise; the second only where there are such."""


def _interval(share: Share) -> str:
    known = share.low is not None and share.high is not None
    return f"{share.low:.2f}–{share.high:.2f}" if known else DASH


def _kinds(counts: Mapping[str, int]) -> str:
    return clean(", ".join(f"{kind} {n:,}" for kind, n in counts.items())) or DASH


def show_statistics(console: Console, statistics: Statistics) -> None:
    """Each grouping as a table, then what is to be known about it."""
    for by, groups in statistics.groups.items():
        _table(console, by, groups, statistics.totals)
    if unjudged := sum(total.unjudged for total in statistics.totals):
        text = f"{unjudged:,} tasks with irreversible actions were never scored: "
        plain_line(console, f"{text}whether they did harm is unknown")
    for line in FOOT:
        plain_line(console, line, "dim")
    for note in statistics.notes[:NOTES_SHOWN]:
        plain_line(console, f"note: {note}", "yellow")
    if (more := len(statistics.notes) - NOTES_SHOWN) > 0:
        plain_line(console, f"note: and {more} more, all of them with --json", "yellow")


def _table(console: Console, by: By, groups: Sequence[Group], totals: Sequence[Group]) -> None:
    """Show all figures, as a list where a table is too wide."""
    rows = [*groups, *(totals if len(groups) > len(totals) else ())]
    table = Table(title=Text(f"by {by}"), title_justify="left", box=box.SIMPLE, padding=GAP)
    table.add_column(by, overflow="fold", min_width=NAME_WIDTH)
    for heading in FIGURES:
        table.add_column(heading, justify="right", no_wrap=True)
    kinds = list(KINDS) if any(group.outside for group in rows) else list(KINDS)[:1]
    for heading in kinds:
        table.add_column(heading, overflow="fold", min_width=len(heading))
    for group in rows:
        cells = [(FIGURES | KINDS)[heading](group) for heading in (*FIGURES, *kinds)]
        style = f"{'bold ' if group in totals else ''}{'red' if group.harm else ''}"
        table.add_row(*map(Text, (clean(group.name), *cells)), style=style.strip())
    unbounded = console.options.update(max_width=UNBOUNDED)
    if Measurement.get(console, unbounded, table).minimum <= console.width:
        console.print(table)
        return
    plain_line(console, f"by {by}", "italic")
    for group in rows:
        plain_line(console, group.name, "bold")
        text = ", ".join(f"{heading} {cell(group)}" for heading, cell in (FIGURES | KINDS).items())
        for line in Text(text).wrap(console, max(1, console.width - 2)):
            console.print(Text("  ") + line, highlight=False)
