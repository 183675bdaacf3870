"""Statistics and differences on a terminal or in a pipe; where it is narrow, as lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from core.terminal.console import plain_line
from core.terminal.figures import DASH, number
from core.text import clean
from workshop.views.stats.interval import Share
from workshop.views.stats.records import By, Group, Statistics

NOTES_SHOWN = 8
UNBOUNDED = 10_000
NAME_WIDTH = 16
"""A name is folded, but not narrower than this."""
GAP = (0, 1, 0, 0)
FOOT = (
    "passed: with the 95 % Wilson interval, as wide as for that many different tasks "
    "(by task: that many trials)",
    "outside: ended for a reason outside of the agent (a key, the platform, an interrupt), counted "
    "in no score; ended early: by the agent itself or by a limit",
    "dollars, tokens, turns, seconds: mean of a task, over those that know it; times in UTC",
)


@dataclass(frozen=True)
class Column:
    """A figure of a group."""

    heading: str
    cell: Callable[[Group], str]


COLUMNS = (
    Column("since", lambda g: (g.first or DASH)[:10]),
    Column("runs", lambda g: f"{g.runs:,}"),
    Column("passed", lambda g: f"{g.passed.passed:,}/{g.passed.of:,}"),
    Column("95 %", lambda g: interval(g.passed)),
    Column("score", lambda g: number(g.score_mean, 3)),
    Column("harm", lambda g: f"{g.harm:,}"),
    Column("dollars", lambda g: number(g.cost_usd.mean, 4)),
    Column("tokens", lambda g: number(g.tokens.mean, 0)),
    Column("turns", lambda g: number(g.turns.mean, 1)),
    Column("seconds", lambda g: number(g.seconds.mean, 1)),
)

EARLY = "ended early"
ENDED: dict[str, Callable[[Group], dict[str, int]]] = {
    EARLY: lambda g: g.failures,
    "outside": lambda g: g.outside,
}
"""Why tasks ended otherwise; the second only where there are such."""
LEFT_OUT = ((By.DAY, "since"), (By.RUN, "runs"))
"""Figures that say nothing where runs are put together so."""


def interval(share: Share) -> str:
    """The interval of a share."""
    if share.low is None or share.high is None:
        return DASH
    return f"{share.low:.2f}–{share.high:.2f}"


def kinds(counts: Mapping[str, int]) -> str:
    """How many tasks ended so, by kind."""
    return clean(", ".join(f"{kind} {n:,}" for kind, n in counts.items())) or DASH


def show_statistics(console: Console, statistics: Statistics) -> None:
    """Each grouping as a table, then what is to be known about it."""
    for by, groups in statistics.groups.items():
        _table(console, by, groups, statistics.total)
    if unjudged := statistics.total.unjudged:
        text = f"{unjudged:,} tasks with acts that cannot be undone were never scored: "
        plain_line(console, f"{text}whether they did harm is unknown")
    for line in FOOT:
        plain_line(console, line, "dim")
    show_notes(console, statistics.notes)


def show_notes(console: Console, notes: Sequence[str]) -> None:
    """The notes, not too many of them."""
    for note in notes[:NOTES_SHOWN]:
        plain_line(console, f"note: {note}", "yellow")
    if (more := len(notes) - NOTES_SHOWN) > 0:
        plain_line(console, f"note: and {more} more, all of them with --json", "yellow")


def _table(console: Console, by: By, groups: Sequence[Group], total: Group) -> None:
    """The widest form that fits: all columns, without the first, none."""
    columns = [c for c in COLUMNS if (by, c.heading) not in LEFT_OUT]
    rows = [*groups, *([total] if len(groups) > 1 else ())]
    unbounded = console.options.update(max_width=UNBOUNDED)
    for fitting in (columns, columns[1:]):
        table = _with_columns(by, rows, fitting)
        if Measurement.get(console, unbounded, table).minimum <= console.width:
            console.print(table)
            return
    plain_line(console, f"by {by}", "italic")
    for group in rows:
        _list(console, group, columns)


def _with_columns(by: By, rows: Sequence[Group], columns: Sequence[Column]) -> Table:
    table = Table(title=Text(f"by {by}"), title_justify="left", box=box.SIMPLE, padding=GAP)
    table.add_column(by, overflow="fold", min_width=NAME_WIDTH)
    for column in columns:
        table.add_column(column.heading, justify="right", no_wrap=True)
    ended = [heading for heading, of in ENDED.items() if heading == EARLY or any(map(of, rows))]
    for heading in ended:
        table.add_column(heading, overflow="fold", min_width=len(heading))
    for group in rows:
        ends = [kinds(ENDED[heading](group)) for heading in ended]
        cells = [clean(group.name), *(column.cell(group) for column in columns), *ends]
        table.add_row(*map(Text, cells), style=_style(group))
    return table


def _list(console: Console, group: Group, columns: Sequence[Column]) -> None:
    """A group where there is no room for columns: its name, then its figures."""
    plain_line(console, group.name, "bold")
    named = [f"{column.heading} {column.cell(group)}" for column in columns]
    ends = (f"{heading}: {kinds(of(group))}" for heading, of in ENDED.items())
    text = ", ".join([*named, *ends])
    for line in Text(text).wrap(console, max(1, console.width - 2)):
        console.print(Text("  ") + line, highlight=False)


def _style(group: Group) -> str:
    colour = "red" if group.harm else ""
    return colour if group.parts else f"bold {colour}"
