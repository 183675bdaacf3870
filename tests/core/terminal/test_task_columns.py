"""One list of columns: every table of task results is made of it."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

from rich.console import Console

from core.runs.run_view import read_run_view
from core.terminal.tables import overview
from core.terminal.task_columns import COLUMNS
from tests.kit.run_folders import hostile_run
from workshop.views.report.pairs import PAIR_COLUMNS
from workshop.views.report.run_page import run_page
from workshop.views.report.versus import versus_page


def sorted_by(page: str) -> list[str]:
    match = re.search(r'<script type="application/json" id="page">(.*?)</script>', page, re.S)
    assert match
    tasks: list[dict[str, Any]] = json.loads(match[1])["tasks"]
    headings = re.findall(r'data-sort="(\w+)"', page)
    assert all(set(task["sort"]) == set(headings) for task in tasks)
    return headings


def test_every_table_is_made_of_the_list(tmp_path: Path) -> None:
    path = hostile_run(tmp_path / "run")
    assert sorted_by(run_page(path)) == [c.name for c in COLUMNS]
    assert sorted_by(versus_page(path, path)) == [c.name for c in PAIR_COLUMNS]
    file = io.StringIO()
    overview(Console(file=file, width=140), read_run_view(path))
    for column in COLUMNS:
        assert (column.heading.lower() in file.getvalue()) == column.terminal
