"""``report.html``: one file with the whole of a run in it.

The table is plain HTML. The story of each task is made here, by the same functions that the live
pages use, and lies in the file deflated: a run of a thousand tasks is a page of a thousand
rows for the browser, and only what is opened is ever unpacked.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from markupsafe import Markup

from runs.journal import write_whole
from runs.reading import read_run_view
from runs.story import RunView, Story
from views.report.render import packed, page
from views.report.rows import FILTERS, Row, flags, labels, rows_of, totals
from views.report.story import story_html

COLUMNS = (
    ("task", "Task"), ("score", "Score"), ("outcome", "Outcome"), ("turns", "Turns"),
    ("calls", "Calls"), ("requests", "Requests"), ("tokens", "Tokens"), ("cost", "Dollars"),
    ("time", "Time"),
)  # fmt: skip


def write_report(folder: Path) -> Path:
    """Write ``report.html`` into a run folder, whatever state the run is in; its path.

    Raises:
        NotRecorded: the folder is no run folder.
        OSError: the file could not be written.
    """
    path = folder / "report.html"
    with _collector_paused():
        write_whole(path, run_page(folder))
    return path


@contextmanager
def _collector_paused() -> Iterator[None]:
    """No garbage collection: among all the objects of a run it takes longer than the report does,
    which makes no cycles.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def run_page(folder: Path) -> str:
    """The page of one run with all its stories in it. Raises NotRecorded."""
    told: dict[str, Markup] = {}

    def tell(story: Story) -> Story:
        told[story.key] = packed(story_html(story))
        return story.outline()

    run = read_run_view(folder, tell)
    rows = rows_of(run.stories)
    stories = [told[story.key] for story in run.stories]
    data = {"tasks": [row.data for row in rows]}
    return page("run.html.jinja", data, stories=stories, **table(run, rows))


def table(run: RunView, rows: list[Row]) -> dict[str, Any]:
    """What the head and the table of a run's page are made of."""
    flagged = [flag for row in rows for flag in flags(row.story)]
    shown = [
        (name, title or run.harm_name.capitalize(), flagged.count(name))
        for name, title in FILTERS.items()
    ]
    return {
        "run": run,
        "totals": totals(run),
        "rows": rows,
        "filters": [f for f in shown if f[2] or f[0] in ("failed", "wrong", "error")],
        "labels": labels(run.stories),
        "columns": COLUMNS,
    }
