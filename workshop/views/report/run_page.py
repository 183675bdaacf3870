"""The page of one run: its table of tasks, its totals, and ``report.html`` with all records.

A record lies in the file deflated: of a thousand tasks the browser has a table, and unpacks only
what is opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from markupsafe import Markup

from core.runs.journal import write_whole
from core.runs.results import TaskResult
from core.runs.run_view import RunView, read_run_view
from core.runs.task_record import TaskRecord
from core.terminal.task_columns import COLUMNS, totals
from workshop.views.causes import cause_of, judged_as, write_failures
from workshop.views.report.render import packed, page, piece, record_html
from workshop.views.report.setup import Text, prompts_of

FILTERS = {
    "failed": "Failed",
    "wrong": "",
    "error": "Error",
    "unscored": "Not scored",
    "running": "Running",
}
"""Labels of buttons by name; "": the benchmark's word for harm."""
ALWAYS = ("failed", "wrong", "error")
"""Filters that are there also where no task belongs to them."""
FIND_CHARS = 2_000


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    record: TaskRecord
    result: TaskResult
    """Of a running task what is known so far."""
    shares: Mapping[str, float]
    """Percent of the run's largest value by column, for the small bars."""

    @property
    def wanted(self) -> str:
        """The expected class of the task, if the platform shows one."""
        return self.record.group

    @property
    def why(self) -> str:
        """Why it failed; "" if it did not or the reason is unknown."""
        record = self.record
        if not record.failed and not record.harm:
            return ""
        return cause_of(record) or judged_as(record)

    @property
    def data(self) -> dict[str, Any]:
        """The attributes by which the page's script filters and sorts."""
        record = self.record
        return {
            "key": record.key,
            "flags": flags(record),
            "facts": {**facts_of(record), "status": record.status, "why": self.why},
            "find": found_in(record),
            "sort": {column.name: column.value(self.result) for column in COLUMNS},
        }


def facts_of(*records: TaskRecord) -> dict[str, list[str]]:
    """What tasks are picked out by, besides their flags."""
    facts = {
        "group": {record.group for record in records},
        "cause": {r.result.cause_kind or r.result.failure or "" for r in records if r.result},
        "mechanic": {label for record in records for label in record.labels},
    }
    return {name: sorted(filter(None, values)) for name, values in facts.items()}


def found_in(*records: TaskRecord) -> list[tuple[str, str]]:
    """Texts in which a task is searched for, each once and with what it is."""
    places: dict[tuple[str, str], None] = {}
    for record in records:
        parts = {
            "name": record.spec_id,
            "task": record.text,
            "outcome": record.outcome,
            "wanted": record.group,
            "error": record.error,
            "cause": record.cause,
            "evaluator": record.eval_log,
            "mechanic": ", ".join(record.labels),
        }
        places |= {(name, text[:FIND_CHARS]): None for name, text in parts.items() if text}
    return list(places)


def flags(record: TaskRecord) -> list[str]:
    """The filters that a task belongs to."""
    is_so = {
        "failed": record.failed,
        "wrong": record.harm,
        "error": bool(record.error),
        "unscored": record.status == "unscored",
        "running": record.status == "running",
    }
    return [name for name, so in is_so.items() if so]


def rows_of(records: Iterable[TaskRecord]) -> list[Row]:
    """A row for each task; the bars are relative to the largest among them."""
    results = [(record, record.so_far) for record in records]
    barred = {column.name: column.value for column in COLUMNS if column.bar}
    most = {name: max((of(r) or 0 for _, r in results), default=0) for name, of in barred.items()}
    rows = []
    for record, result in results:
        shares = {n: round(100 * (of(result) or 0) / (most[n] or 1), 1) for n, of in barred.items()}
        rows.append(Row(record, result, shares))
    return rows


def filters_of(
    names: Mapping[str, str], marks: Sequence[str], harm_name: str
) -> list[tuple[str, str, int]]:
    """Name, title and number of tasks of each filter; ``marks``: the flags of all tasks."""
    return [(n, title or harm_name.capitalize(), marks.count(n)) for n, title in names.items()]


def table(run: RunView, rows: list[Row], prompts: list[Text]) -> dict[str, Any]:
    """Values for the head and the table of a run's page."""
    run_totals = totals(run)
    # The score of doing nothing, as far as the groups of tasks are known.
    known = sum(part.tasks for part in run_totals.groups.values())
    idle = run_totals.groups.get(run.manifest.idle_group or "")
    marks = [flag for row in rows for flag in flags(row.record)]
    filters = filters_of(FILTERS, marks, run.manifest.harm_name)
    return {
        "run": run,
        "prompts": prompts,
        "options": {n: v for n, v in run.manifest.options.items() if v not in (None, "", [], {})},
        "totals": run_totals,
        "idle": (idle.tasks if idle else 0) / known if run.manifest.idle_group and known else None,
        "rows": rows,
        "filters": [f for f in filters if f[2] or f[0] in ALWAYS],
        "columns": COLUMNS,
    }


def row_html(row: Row) -> Markup:
    """One row of the table of tasks."""
    return piece("table.html.jinja", "row", row)


def worst_first(run: RunView) -> RunView:
    """The run with harm first, then what failed, then the rest in its order."""
    return replace(run, tasks=tuple(sorted(run.tasks, key=lambda t: (not t.harm, not t.failed))))


def write_report(folder: Path) -> Path:
    """Write ``report.html`` and ``failures/`` into a run folder, whatever state the run is in.

    Returns the path of the page.

    Raises NotRecorded: the folder is no run folder; OSError: the file could not be written.
    """
    path, run = folder / "report.html", read_run_view(folder)
    write_whole(path, _page_of(run, folder))
    write_failures(folder, run.tasks)
    return path


def run_page(folder: Path) -> str:
    """The page of one run with all its records in it. Raises NotRecorded."""
    return _page_of(read_run_view(folder), folder)


def _page_of(run: RunView, folder: Path) -> str:
    run = worst_first(run)
    rows = rows_of(run.tasks)
    records = [packed(record_html(record)) for record in run.tasks]
    data = {"tasks": [row.data for row in rows]}
    values = table(run, rows, prompts_of(folder, run.manifest))
    return page("run.html.jinja", data, records=records, **values)
