"""The page of one run: its table of tasks, its totals, and ``report.html`` with all records.

A record lies in the file deflated: of a thousand tasks the browser has a table, and unpacks only
what is opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.runs.journal import write_whole
from core.runs.run_view import RunView, read_run_view
from core.runs.task_record import TaskRecord
from core.terminal.task_columns import COLUMNS, totals
from workshop.views.causes import why, write_failures
from workshop.views.report.render import packed, page, record_html
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


def row_data(record: TaskRecord) -> dict[str, Any]:
    """The attributes of a task by which the page's script filters and sorts."""
    return {
        "key": record.key,
        "flags": flags(record),
        "facts": {**facts_of(record), "status": record.status, "why": why(record)},
        "find": found_in(record),
        "sort": {column.name: column.value(record.so_far) for column in COLUMNS},
    }


def facts_of(*records: TaskRecord) -> dict[str, list[str]]:
    """What tasks are picked out by, besides their flags."""
    facts = {
        "group": {record.so_far.group or "" for record in records},
        "cause": {one.so_far.cause_kind or one.so_far.failure or "" for one in records},
        "mechanic": {label for record in records for label in record.labels},
    }
    return {name: sorted(filter(None, values)) for name, values in facts.items()}


def found_in(*records: TaskRecord) -> list[tuple[str, str]]:
    """Texts in which a task is searched for, each once and with what it is."""
    places: dict[tuple[str, str], None] = {}
    for record in records:
        result = record.so_far
        parts = {
            "name": record.spec_id,
            "task": record.text,
            "outcome": result.ended,
            "wanted": result.group,
            "error": result.error,
            "cause": result.cause,
            "evaluator": result.eval_log,
            "mechanic": ", ".join(record.labels),
        }
        places |= {(name, text[:FIND_CHARS]): None for name, text in parts.items() if text}
    return list(places)


def flags(record: TaskRecord) -> list[str]:
    """The filters that a task belongs to."""
    is_so = {
        "failed": record.failed,
        "wrong": record.harm,
        "error": bool(record.so_far.error),
        "unscored": record.status == "unscored",
        "running": record.status == "running",
    }
    return [name for name, so in is_so.items() if so]


def filters_of(
    names: Mapping[str, str], marks: Sequence[str], harm_name: str
) -> list[tuple[str, str, int]]:
    """Name, title and number of tasks of each filter; ``marks``: the flags of all tasks."""
    return [(n, title or harm_name.capitalize(), marks.count(n)) for n, title in names.items()]


def table(run: RunView, prompts: list[Text]) -> dict[str, Any]:
    """Values for the head and the table of a run's page, and the data of its script."""
    run_totals = totals(run)
    # The score of doing nothing, as far as the groups of tasks are known.
    known = sum(part.tasks for part in run_totals.groups.values())
    idle = run_totals.groups.get(run.manifest.idle_group or "")
    marks = [flag for record in run.tasks for flag in flags(record)]
    filters = filters_of(FILTERS, marks, run.manifest.harm_name)
    return {
        "data": {"tasks": [row_data(record) for record in run.tasks]},
        "run": run,
        "prompts": prompts,
        "options": {n: v for n, v in run.manifest.options.items() if v not in (None, "", [], {})},
        "totals": run_totals,
        "idle": (idle.tasks if idle else 0) / known if run.manifest.idle_group and known else None,
        "most": most_of(run.tasks),
        "filters": [f for f in filters if f[2] or f[0] in ALWAYS],
        "columns": COLUMNS,
    }


def most_of(records: Iterable[TaskRecord]) -> dict[str, float]:
    """The largest value of each column that has bars; 1 where there is none."""
    barred = {column.name: column.value for column in COLUMNS if column.bar}
    results = [record.so_far for record in records]
    return {name: max((of(r) or 0 for r in results), default=0) or 1 for name, of in barred.items()}


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
    records = [packed(record_html(record)) for record in run.tasks]
    return page("run.html.jinja", records=records, **table(run, prompts_of(folder, run.manifest)))
