"""Run folders read for statistics: old, open, broken and foreign ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.models.model_call import Usage
from core.runs.errors import NotRecorded
from tests.workshop.views.stats_runs import done, run_folder
from workshop.views.stats import By, read_run, read_runs, statistics


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


def test_times_of_other_zones_are_told_in_utc(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "east", done("tea"))
    change(folder, lambda results: results.update(created="2026-05-05T01:30:00+05:00"))
    assert read_run(folder).day == "2026-05-04"


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


def test_an_open_run_counts_with_its_tasks_so_far(tmp_path: Path) -> None:
    run_folder(tmp_path, "open", done("tea"), finished=False)
    found = read_runs(tmp_path)
    assert len(found.runs[0].results.tasks) == 1
    assert found.notes == ("1 of 1 runs are not finished: counted with the tasks so far",)


def test_unknown_stays_unknown(tmp_path: Path) -> None:
    run_folder(
        tmp_path,
        "run",
        done("tea", None, tokens=Usage(prompt=900), cost_usd=None, acts=1, harm=None),
        done("cup", 0.0, outcome="error", error="no answer"),
        done("pot", 0.0, outcome="unfinished", failure="limit", attempt=2),
    )
    found = statistics(tmp_path, read_runs(tmp_path), [By.TASK]).groups[By.TASK]
    cup, pot, tea = sorted(found, key=lambda group: group.name)
    means = tea.figures.means
    assert (tea.figures.score, means["tokens"], means["cost_usd"]) == (None, None, None)
    assert (tea.figures.unjudged, tea.figures.harm.passed) == (1, 0)
    assert cup.figures.failures == {"unknown": 1}
    assert (cup.figures.means["tokens"], cup.figures.means["turns"]) == (1000, 2)
    assert pot.figures.failures == {"limit": 1}


def test_the_real_platform_is_no_unknown_pack(tmp_path: Path) -> None:
    real = run_folder(tmp_path, "real", done("tea"), pack=None, base_url="https://erc.example")
    assert read_run(real).pack == "real platform"


def test_one_run_folder_is_a_folder_of_one_run(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "run", done("tea"))
    (folder / "prompts").mkdir(exist_ok=True)
    found = read_runs(folder)
    assert [run.name for run in found.runs] == ["run"]
    assert found.notes == ()


def test_a_run_without_results_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotRecorded, match="none of its tasks is done"):
        read_run(run_folder(tmp_path, "run"))
