"""One list of columns: every table of task results is made of it."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from runs.results import read_results
from runs.run_view import read_run_view
from tests.run_folders import RunFolder, asked, hostile_run, worked
from views.report.pairs import pair_page
from views.report.write import run_page
from views.task_columns import COLUMNS, figures_of_result, figures_of_story
from views.terminal.tables import closing_table, overview


def sorted_by(page: str) -> list[str]:
    found = re.search(r'<script type="application/json" id="page">(.*?)</script>', page, re.S)
    assert found
    tasks: list[dict[str, Any]] = json.loads(found[1])["tasks"]
    headings = re.findall(r'data-sort="(\w+)"', page)
    assert all(set(task["sort"]) == set(headings) for task in tasks)
    return headings


def test_every_table_is_made_of_the_list(tmp_path: Path) -> None:
    run = read_run_view(hostile_run(tmp_path / "run"))
    assert sorted_by(run_page(tmp_path / "run")) == [c.name for c in COLUMNS]
    compared = [c.name for c in COLUMNS if c.compared]
    assert sorted_by(pair_page(run, run)) == [n.replace("outcome", "change") for n in compared]
    file = io.StringIO()
    overview(Console(file=file, width=140), run)
    for column in COLUMNS:
        assert column.heading.lower() in file.getvalue()


@pytest.mark.parametrize("width", [60, 80, 200])
def test_a_run_at_its_end_and_its_folder_show_the_same(tmp_path: Path, width: int) -> None:
    run = RunFolder(tmp_path / "run").task("tea", asked(), worked(), cost_usd=0.5, seconds=3.0)
    path = run.write()
    results = read_results(path)
    (story,) = read_run_view(path).tasks
    assert figures_of_story(story) == figures_of_result(results.tasks[0])
    shown = [column.header for column in closing_table(results, width).columns]
    needed = [c.heading.lower() for c in COLUMNS if c.needed or width == 200]
    assert shown == [name for name in needed if width > 60 or name != "time"]
