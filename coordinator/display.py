"""What a run shows: progress while it goes on, a table at the end."""

from __future__ import annotations

import threading

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from coordinator.config import TaskInfo
from coordinator.records import RunResults, TaskResult, Turn
from models.records import ModelCall

DASH = "–"


class Progress:
    """Live lines of the tasks under way on a terminal; one plain line a task in a pipe."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._total = 0
        self._done = 0
        self._passed = 0
        self._active: dict[str, str] = {}
        self._lock = threading.Lock()
        self._live = Live(self._table(), console=console, refresh_per_second=8, transient=True)

    def __enter__(self) -> Progress:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        if self._console.is_terminal:
            self._live.stop()

    def expect(self, total: int) -> None:
        """Say how many tasks there are."""
        self._total = total

    def task_started(self, task: TaskInfo) -> None:
        """Show a task as running."""
        self._update(task.spec_id, "started")

    def call_done(self, task: TaskInfo, call: ModelCall) -> None:
        """Nothing to show."""

    def turn_done(self, task: TaskInfo, turn: Turn) -> None:
        """Show what the evaluator thinks."""
        thought = " ".join(turn.decision.thought.split())
        self._update(task.spec_id, f"turn {turn.number}: {thought}")

    def task_done(self, result: TaskResult) -> None:
        """Print the task's line and drop it from the running ones."""
        with self._lock:
            self._active.pop(result.spec_id, None)
            self._done += 1
            self._passed += result.passed
            score = DASH if result.score is None else f"{result.score:.1f}"
            line = (
                f"[{self._done}/{self._total}] {result.spec_id}: {score}, {result.outcome}, "
                f"{result.turns} turns, {result.seconds:.1f} s"
            )
            self._console.print(escape(line), highlight=False)
            if result.error:
                self._console.print(escape(f"    {result.error}"), highlight=False)
            self._live.update(self._table())

    def _update(self, spec_id: str, text: str) -> None:
        with self._lock:
            self._active[spec_id] = text
            self._live.update(self._table())

    def _table(self) -> Table:
        table = Table.grid(padding=(0, 1))
        table.add_row(f"{self._done}/{self._total} done, {self._passed} passed")
        for spec_id, text in self._active.items():
            width = max(20, self._console.width - len(spec_id) - 4)
            table.add_row(f"{escape(spec_id)}  {escape(text[:width])}")
        return table


def closing_table(results: RunResults) -> Table:
    """The score table of a run, totals and the trivial baseline below."""
    table = Table(
        title=escape(f"{results.run_id}  ({results.brain.evaluator} / {results.brain.worker})")
    )
    for heading in (
        "task",
        "score",
        "outcome",
        "turns",
        "tool calls",
        "requests",
        "tokens",
        "seconds",
    ):
        table.add_column(heading, justify="left" if heading in ("task", "outcome") else "right")
    for task in results.tasks:
        mark = "red" if task.wrong_checkout else "" if task.passed else "yellow"
        table.add_row(
            escape(task.spec_id),
            _score(task.score),
            task.outcome,
            str(task.turns),
            str(task.tool_calls),
            str(task.store_requests),
            _count(task.tokens.prompt, task.tokens.completion),
            f"{task.seconds:.2f}",
            style=mark,
        )
    totals = results.totals
    table.add_section()
    table.add_row(
        f"{totals.tasks} tasks",
        _score(totals.score_mean, 3),
        f"{totals.wrong_checkouts} wrong",
        str(totals.turns),
        str(totals.tool_calls),
        str(sum(t.store_requests for t in results.tasks)),
        _count(totals.tokens.prompt, totals.tokens.completion),
        f"{totals.seconds:.2f}",
        style="bold",
    )
    return table


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
        f"this run scored {_score(totals.score_mean, 3)}; cost {cost}",
    ]


def _score(score: float | None, digits: int = 1) -> str:
    return DASH if score is None else f"{score:.{digits}f}"


def _count(*parts: int | None) -> str:
    return DASH if any(p is None for p in parts) else f"{sum(p or 0 for p in parts):,}"
