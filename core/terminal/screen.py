"""The look of a run at one moment, for a terminal of any width.

What benchmarks and models wrote is never markup here, and steers no terminal.
"""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from core.runs.results import TaskResult
from core.terminal import figures
from core.terminal.figures import counted
from core.terminal.progress_state import Running, Snapshot
from core.text import clean

WIDE = 100
"""From so many columns on a task is one line."""
NARROW_LINES = 3
FAILED_SHOWN = 5
LEAST_LINES = 4
"""For the running tasks, however low the terminal."""


def screen(view: Snapshot, width: int, height: int, harm_name: str) -> RenderableType:
    """Summary, the tasks under way, the newest failures; in at most ``height`` lines.

    Where that is too low for all of it the rest is counted.
    """
    summary = summary_lines(view, harm_name, width)
    used = len(summary)
    failures = _failures(view, min(FAILED_SHOWN, max(1, (height - used) // 3)), harm_name)
    room = max(LEAST_LINES, height - used - len(failures) - 1)
    each = 1 if width >= WIDE else NARROW_LINES
    shown = view.running
    if len(shown) * each > room:
        shown = shown[: max(1, (room - 1) // each)]
    rows: list[RenderableType] = []
    if shown:
        rows = [_table(shown, view)] if width >= WIDE else [_tall(row, view) for row in shown]
    hidden = len(view.running) - len(shown)
    more = [_line(f"… and {hidden} more running")] if hidden else []
    return Group(*map(_line, summary), *rows, *more, *failures)


def summary_lines(view: Snapshot, harm_name: str, width: int = WIDE) -> list[str]:
    """How far the run is and what it has cost: two lines, or more where they would not fit."""
    total = str(view.total) if view.total else figures.DASH
    waiting = max(view.total - view.done - len(view.running), 0)
    counts = [f"{view.done}/{total} done", f"{view.passed} passed", f"{view.failed} failed"]
    if view.harm:
        counts.append(counted(view.harm, harm_name))
    counts.append(f"{len(view.running)} running")
    if waiting:
        counts.append(f"{waiting} waiting")
    spent = [
        f"{figures.number(figures.tokens(view.spent.usage))} tokens",
        f"{figures.dollars(view.spent.dollars)} spent",
        _clock(view.seconds),
    ]
    if view.left is not None:
        spent.append(f"about {_roughly(view.left)} left")
    return [*_lines(counts, width), *_lines(spent, width)]


def _lines(parts: list[str], width: int) -> list[str]:
    """Parts in a row, and in another one where the first has no room for them."""
    lines = [parts[0]]
    for part in parts[1:]:
        if len(lines[-1]) + len(part) + 2 < width:
            lines[-1] += f", {part}"
        else:
            lines[-1] += ","
            lines.append(part)
    return lines


def verdict_style(result: TaskResult) -> str:
    """The colour of how a task ended."""
    if result.harm:
        return "bold red"
    if result.failure:
        return "red"
    return "green" if result.passed else "yellow" if result.failed else ""


def finished_line(
    result: TaskResult, done: int, total: int, harm_name: str, width: int | None = None
) -> Text:
    """A task that is over, on one line of that ``width`` at most: what matters least goes first."""
    head, name = f"[{done}/{total}] ", _one(result.spec_id)
    score = figures.number(result.score, 1)
    wrong = f", {harm_name}" if result.harm else ""
    verdict = clean(f"{score}, {result.ended}{wrong}")
    tail = f", {figures.counted(result.turns, 'turn')}, {result.seconds:.1f} s"
    if width is not None:
        room = width - cell_len(f"{head}: {verdict}")
        tail = tail if cell_len(name + tail) <= room else ""
        name = set_cell_size(name, max(room - 1, 1)) + "…" if cell_len(name) > room else name
    line = Text(f"{head}{name}: ", no_wrap=True, overflow="ellipsis")
    return line.append(verdict, style=verdict_style(result)).append(tail, style="dim")


def error_line(error: str) -> Text:
    """Why a task ended early, below its line."""
    return _line(f"    {clean(error)}", "dim")


def _table(rows: tuple[Running, ...], view: Snapshot) -> Table:
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(no_wrap=True, overflow="ellipsis", max_width=36)
    for justify in ("left", "left", "right", "right", "right"):
        table.add_column(no_wrap=True, justify=justify)
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
    for row in rows:
        table.add_row(
            Text(_one(row.task.spec_id)), *map(Text, _figures(row, view)), Text(_thought(row))
        )
    return table


def _tall(row: Running, view: Snapshot) -> Group:
    """A task on three lines, for a terminal too narrow for one."""
    turn, state, tokens, dollars, seconds = _figures(row, view)
    return Group(
        _line(f"{_one(row.task.spec_id)} · {turn} · {seconds}", "bold"),
        _line(f"  {state} · {tokens} · {dollars}"),
        _line(f"  {_thought(row)}", "dim"),
    )


def _figures(row: Running, view: Snapshot) -> tuple[str, str, str, str, str]:
    return (
        f"turn {row.turn or figures.DASH}",
        _one(row.state) or figures.DASH,
        f"{figures.number(figures.tokens(row.spent.usage))} tokens",
        f"{figures.dollars(row.spent.dollars)} spent",
        _clock(view.now - row.began),
    )


def _failures(view: Snapshot, most: int, harm_name: str) -> list[Text]:
    shown = view.failures[:most]
    if not shown:
        return []
    hidden = view.failed - len(shown)
    newest = f", the newest {len(shown)}" if hidden else ""
    return [
        _line(f"failed: {view.failed}{newest}", "bold"),
        *(_failure(one, harm_name) for one in shown),
    ]


def _failure(result: TaskResult, harm_name: str) -> Text:
    reason = _one(figures.reason(result.error or "", result.eval_log))
    how = harm_name if result.harm else result.ended
    text = f"  {_one(result.spec_id)}  {figures.number(result.score, 1)}  {how}"
    return _line(f"{text}: {reason}" if reason else text, "red")


def _thought(row: Running) -> str:
    return _one(row.thought) or figures.DASH


def _one(text: str) -> str:
    """A text of somebody else's as one harmless line."""
    return clean(" ".join(text[:1_000].split()))


def _line(text: str, style: str = "") -> Text:
    return Text(text, style=style, no_wrap=True, overflow="ellipsis")


def _clock(seconds: float) -> str:
    """A time that goes on, in whole seconds."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return (
        f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
    )


def _roughly(seconds: float) -> str:
    """A guess, no finer than it is good."""
    if seconds < 60:
        return f"{max(10, round(seconds / 10) * 10)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{round(minutes / 60)} h"
