"""Run folders read for statistics: old, open, broken and foreign ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.workshop.views.stats_runs import done, run_folder
from workshop.views.stats import read_run, read_runs


def change(folder: Path, edit: Any) -> None:
    path = folder / "run.json"
    results = json.loads(path.read_text())
    edit(results)
    path.write_text(json.dumps(results))


def test_one_model_does_all_where_the_strategy_has_one(tmp_path: Path) -> None:
    first = run_folder(tmp_path, "first", done("tea"), worker="lab/two")
    step = run_folder(tmp_path, "step", done("tea"), options={"strategy": "next-step"}, worker="w")
    assert (read_run(first).strategy, read_run(first).models) == (
        "evaluator-worker",
        ("lab/one", "lab/two"),
    )
    assert (read_run(step).strategy, read_run(step).models) == ("next-step", ("lab/one",))


def test_runs_come_by_time_and_those_without_one_last(tmp_path: Path) -> None:
    run_folder(tmp_path, "a-unknown", done("tea"), hours=None)
    run_folder(tmp_path, "b-late", done("tea"), hours=3)
    run_folder(tmp_path, "c-early", done("tea"), hours=1)
    runs = read_runs(tmp_path).runs
    assert [run.name for run in runs] == ["c-early", "b-late", "a-unknown"]
    assert [run.day for run in runs] == ["2026-05-04", "2026-05-05", None]


def test_what_cannot_be_read_is_named_and_the_rest_counts(tmp_path: Path) -> None:
    run_folder(tmp_path, "good", done("tea"))
    torn = run_folder(tmp_path, "torn") / "results.jsonl"
    torn.write_text('{"spec_id": "a"}\n{"spec_id": "b", "outcome"')
    other = run_folder(tmp_path, "other")
    change(other, lambda manifest: manifest.update(format="run/9"))
    (tmp_path / "killed" / "tasks").mkdir(parents=True)
    (tmp_path / "photos").mkdir()
    (tmp_path / ".cache").mkdir()
    (tmp_path / "notes.txt").write_text("hello")
    found = read_runs(tmp_path)
    assert [run.name for run in found.runs] == ["good"]
    told = "\n".join(found.notes)
    for name in (
        "torn: results.jsonl: line 1",
        "other/run.json: has the format run/9",
        "killed has no",
    ):
        assert name in told
    assert len(found.notes) == 3


def test_one_run_folder_is_a_folder_of_one_run(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "run", done("tea"))
    (folder / "prompts").mkdir(exist_ok=True)
    found = read_runs(folder)
    assert [run.name for run in found.runs] == ["run"]
    assert found.notes == ()
