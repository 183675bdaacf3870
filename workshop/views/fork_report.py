"""The result of a fork beside that of the run that it was forked from."""

from __future__ import annotations

from typing import Literal

from rich.table import Table
from rich.text import Text

from core.runs.results import TaskResult
from core.runs.summary import Figures
from core.runs.task_record import TaskRecord
from core.terminal.console import CAUTION
from core.terminal.figures import DASH
from core.terminal.task_columns import COLUMNS, figures_of_result
from core.text import clean
from workshop.views.report.pairs import parting, steps_of

JUDGED = ("score", "outcome")
"""Columns that are marked where they differ; other figures nearly always do."""


class ForkSide(Figures):
    """The task in one of the two runs; no result: it did not end."""

    run_id: str
    result: TaskResult | None


class ForkReport(Figures):
    """A task before and now; ``turn`` is the first that the fork played itself."""

    format: Literal["run-fork/3"] = "run-fork/3"
    spec_id: str
    turn: int
    difference: str
    """The first difference of the turns, in a few words; A is the original, B the fork."""
    original: ForkSide
    fork: ForkSide

    @property
    def heading(self) -> str:
        """One line above the table."""
        forked = f"{self.spec_id}: {self.original.run_id}, forked at turn {self.turn}"
        return f"{clean(forked)}; first difference: {self.difference}"


def compare(original: TaskRecord, fork: TaskRecord, turn: int) -> ForkReport:
    """Put a fork beside its original."""
    return ForkReport(
        spec_id=original.spec_id,
        turn=turn,
        difference=parting(steps_of(original), steps_of(fork)).text,
        original=ForkSide(run_id=original.run_id, result=original.result),
        fork=ForkSide(run_id=fork.run_id, result=fork.result),
    )


def fork_table(report: ForkReport) -> Table:
    """The figures of both runs, a line each."""
    table = Table("", "A: before", "B: now")
    for column in COLUMNS[1:]:
        before, now = (
            clean(column.text(figures_of_result(side.result))) if side.result else DASH
            for side in (report.original, report.fork)
        )
        style = CAUTION if column.name in JUDGED and before != now else ""
        table.add_row(column.heading.lower(), Text(before), Text(now), style=style)
    return table
