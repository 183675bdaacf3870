"""Run folders read for statistics: old, open, broken and foreign ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.models.model_call import Usage
from core.runs.reader import NotRecorded
from tests.workshop.views.stats_runs import done, run_folder
from workshop.views.stats.groups import By, read_run, read_runs, statistics


def change(folder: Path, edit: Any) -> None:
    path = folder / "results.json"
    results = json.loads(path.read_text())
    edit(results)
    path.write_text(json.dumps(results))


def test_a_run_without_manifest_counts_with_what_it_knows(tmp_path: Path) -> None:
    run_folder(tmp_path, "old", done("tea"), manifest=False, worker="lab/two")
    found = read_runs(tmp_path)
    (run,) = found.runs
    assert (run.prompts, run.strategy, run.scenarios) == (None, None, {})
    assert (run.models, run.pack, run.day) == (("lab/one", "lab/two"), "small", "2026-05-04")
    assert found.notes == ("no run.json in 1 of 1 runs: prompt and strategy are not known",)


def test_a_manifest_without_strategy_is_of_the_first_one(tmp_path: Path) -> None:
    first = run_folder(tmp_path, "first", prompts={"worker": "code"}, worker="lab/two")
    step = run_folder(
        tmp_path, "step", options={"strategy": "next-step"}, prompts={"next-step": "x"}, worker="w"
    )
    assert read_run(first).strategy == "evaluator-worker"
    assert read_run(step).strategy == "next-step"
    assert read_run(step).models == ("lab/one",), "one model does all"


def test_runs_come_by_time_and_those_without_one_last(tmp_path: Path) -> None:
    run_folder(tmp_path, "a-unknown", hours=None)
    run_folder(tmp_path, "b-late", hours=3)
    run_folder(tmp_path, "c-early", hours=1)
    runs = read_runs(tmp_path).runs
    assert [run.name for run in runs] == ["c-early", "b-late", "a-unknown"]
    assert [run.day for run in runs] == ["2026-05-04", "2026-05-05", None]


def test_times_of_other_zones_are_told_in_utc(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "east")
    change(folder, lambda results: results.update(started="2026-05-05T01:30:00+05:00"))
    assert read_run(folder).day == "2026-05-04"


def test_what_cannot_be_read_is_named_and_the_rest_counts(tmp_path: Path) -> None:
    run_folder(tmp_path, "good", done("tea"))
    run_folder(tmp_path, "torn").joinpath("results.json").write_text('{"format": "run-resu')
    other = run_folder(tmp_path, "other")
    change(other, lambda results: results.update(format="run-results/9"))
    (tmp_path / "killed" / "tasks").mkdir(parents=True)
    (tmp_path / "photos").mkdir()
    (tmp_path / ".cache").mkdir()
    (tmp_path / "notes.txt").write_text("hello")
    found = read_runs(tmp_path)
    assert [run.name for run in found.runs] == ["good"]
    told = "\n".join(found.notes)
    for name in ("torn/results.json", "other/results.json", "killed has no results.json"):
        assert name in told
    assert len(found.notes) == 3


def test_a_broken_manifest_costs_only_what_it_would_tell(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "run", done("tea"), prompts={"worker": "code"})
    (folder / "run.json").write_text("{}")
    found = read_runs(tmp_path)
    assert found.runs[0].prompts is None
    assert len(found.runs[0].results.tasks) == 1
    assert any("run.json" in note and "run_id" in note for note in found.notes)


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
    assert (tea.score_mean, tea.tokens, tea.cost_usd) == (None, None, None)
    assert (tea.unjudged, tea.harm) == (1, 0)
    assert (cup.failures, cup.tokens, cup.turns) == ({"unknown": 1}, 1000, 2)
    assert pot.failures == {"limit": 1}


def test_the_real_platform_is_no_unknown_pack(tmp_path: Path) -> None:
    real = run_folder(tmp_path, "real", pack=None, base_url="https://erc.example")
    assert read_run(real).pack == "real platform"
    assert read_run(run_folder(tmp_path, "old", pack=None, manifest=False)).pack is None


def test_one_run_folder_is_a_folder_of_one_run(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "run", done("tea"))
    (folder / "prompts").mkdir(exist_ok=True)
    found = read_runs(folder)
    assert [run.name for run in found.runs] == ["run"]
    assert found.notes == ()


def test_only_results_and_manifest_are_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = run_folder(tmp_path, "run", done("tea"), prompts={"worker": "code"})
    (folder / "tasks").mkdir()
    (folder / "tasks" / "tea.jsonl").write_text("{}\n")
    opened: list[str] = []
    really = Path.open

    def note(path: Path, *args: Any, **kwargs: Any) -> Any:
        opened.append(path.name)
        return really(path, *args, **kwargs)

    monkeypatch.setattr(Path, "open", note)
    assert len(read_runs(tmp_path).runs) == 1
    assert sorted(opened) == ["results.json", "run.json"]


def test_a_folder_without_results_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(NotRecorded, match=r"no results\.json"):
        read_run(tmp_path)
