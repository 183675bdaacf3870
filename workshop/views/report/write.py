"""``report.html``: one file with the whole of a run in it.

The story of each task lies in the file deflated: of a thousand tasks the browser has a table, and
only what is opened is ever unpacked.
"""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from core.runs.journal import write_whole
from core.runs.run_view import read_run_view
from core.runs.task_record import TaskRecord
from workshop.views.report.render import packed, page, story_html
from workshop.views.report.setup import setup_of
from workshop.views.report.task_table import rows_of, table


def write_report(folder: Path) -> Path:
    """Write ``report.html`` into a run folder, whatever state the run is in; its path.

    Raises:
        NotRecorded: the folder is no run folder.
        OSError: the file could not be written.
    """
    path = folder / "report.html"
    write_whole(path, run_page(folder))
    return path


def run_page(folder: Path) -> str:
    """The page of one run with all its stories in it. Raises NotRecorded."""
    pages: dict[str, Markup] = {}

    def tell(record: TaskRecord) -> TaskRecord:
        pages[record.key] = packed(story_html(record))
        return record.outline()

    run = read_run_view(folder, tell)
    rows = rows_of(run.tasks)
    records = [pages[record.key] for record in run.tasks]
    data = {"tasks": [row.data for row in rows]}
    return page("run.html.jinja", data, records=records, **table(run, rows, setup_of(folder)))
