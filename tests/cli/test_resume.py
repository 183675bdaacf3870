"""A run that is cut off anywhere goes on: nothing is lost and nothing is bought twice."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.cli import app
from core.runs.reader import read_task
from core.runs.results import NAME, read_lines, read_results
from tests.markers import seeds
from workshop.simulator.store.pack import BUNDLED_PACK


def small_pack(path: Path, count: int = 6) -> Path:
    raw = json.loads(BUNDLED_PACK.read_text(encoding="utf-8"))
    buys = [s for s in raw["scenarios"] if s["expect"]["checkouts"]]
    raw["scenarios"] = buys[:count]
    path.write_text(json.dumps(raw))
    return path


def purchases(run: Path) -> dict[str, int]:
    """Successful checkouts by task, by the platform's own books."""
    from workshop.simulator.server import serve
    from workshop.simulator.worlds import load_pack

    manifest = json.loads((run / "run.json").read_text())
    with serve(load_pack(run / "pack.json"), state=run / "platform.jsonl") as simulator:
        platform = simulator.platform
        return {task: len(platform.acts(task)) for _, task, _ in manifest["tasks"]}


@pytest.mark.promise("nothing lost at a kill")
def test_tasks_that_a_run_closed_after_a_failure_are_played_again_and_have_one_result(
    tmp_path: Path,
) -> None:
    pack, logs = small_pack(tmp_path / "pack.json", 2), tmp_path / "logs"
    dead = ("--evaluator", "faulty/store?rate=1&kinds=http-401")
    done = CliRunner().invoke(app, ["--pack", str(pack), "--out", str(logs), "--quiet", *dead])
    assert done.exit_code == 1
    (run,) = logs.iterdir()
    before = {one.spec_id: one for one in read_lines(run / NAME)}
    assert [one.failure for one in before.values()] == ["model"] * 2
    lines = (run / NAME).read_text().count("\n")
    models = ("--evaluator", "scripted/store", "--worker", "scripted/store", "--force")
    assert CliRunner().invoke(app, ["--resume", str(run), *models, "--quiet"]).exit_code == 0
    after = {one.spec_id: one for one in read_lines(run / NAME)}
    assert (run / NAME).read_text().count("\n") > lines, "the file is only appended to"
    assert {spec: one.score for spec, one in after.items()} == dict.fromkeys(before, 1.0)
    assert all(after[spec].task_id != one.task_id for spec, one in before.items())
    results = read_results(run)
    assert (len(results.tasks), results.totals.score_mean) == (2, 1.0)
    assert results.finished


def until_done(lives: Any, pack: Path, seed: int, *, jobs: int = 1) -> int:
    """Live, die and resume until the run is over; how often it died."""
    rng = random.Random(seed)
    for _ in range(60):
        words: list[object] = ["--resume", lives.run, "--jobs", jobs, "--quiet"]
        if lives.run is None:
            words = ["--pack", pack, "--jobs", jobs, "--out", lives.folder / "logs", "--quiet"]
        code = lives.live(*words, until=rng.randint(10, 150), whole=rng.random() < 0.5)
        if code == 0:
            return int(lives.deaths)
        assert code == 137, lives.said[-1]
    raise AssertionError("the run never came to its end")


@pytest.mark.promise("nothing lost at a kill")
@pytest.mark.parametrize("seed", seeds(2, 1))
def test_a_run_killed_at_random_writes_comes_to_the_same_end(
    lives: Callable[[], Any], tmp_path: Path, seed: int
) -> None:
    pack = small_pack(tmp_path / "pack.json")
    life = lives()
    deaths = until_done(life, pack, seed, jobs=1 + seed % 2)
    assert deaths >= 2
    results = life.results()
    assert results["totals"]["score_mean"] == 1.0
    assert results["totals"]["harm"] == 0
    assert results["finished"]
    assert set(purchases(life.run).values()) == {1}
    for path in (life.run / "tasks").glob("*.jsonl"):
        memory = read_task(path, strict=True)
        assert memory.result is not None
        assert [t.number for t in memory.whole] == list(range(1, len(memory.whole) + 1))
        assert memory.result.turns == len(memory.whole)


@pytest.mark.promise("nothing lost at a kill")
def test_a_run_that_is_over_resumes_to_the_same_results(
    lives: Callable[[], Any], tmp_path: Path
) -> None:
    life = lives()
    pack = small_pack(tmp_path / "pack.json", 2)
    assert life.live("--pack", pack, "--out", life.folder / "logs", "--quiet") == 0
    before = life.results()
    assert life.live("--resume", life.run, "--quiet") == 0
    after = life.results()
    assert after["tasks"] == before["tasks"]
    assert after["started"] == before["started"]


def begun(lives: Callable[[], Any], tmp_path: Path) -> tuple[Any, Path]:
    """A run that died in its second task."""
    life = lives()
    pack = small_pack(tmp_path / "pack.json", 3)
    words = ["--pack", pack, "--out", life.folder / "logs", "--quiet"]
    assert life.live(*words, until=70) == 137
    assert life.run is not None
    return life, pack


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--evaluator", "faulty/store"], "model of the evaluator: was scripted/store, is fau"),
        (["--task", "x"], "leave out --task"),
        (["--real"], "leave out --real"),
    ],
)
def test_another_run_is_refused(
    lives: Callable[[], Any], tmp_path: Path, words: list[str], said: str
) -> None:
    life, _ = begun(lives, tmp_path)
    assert life.live("--resume", life.run, *words) in (1, 2)
    assert said in life.said[-1]
    assert "Traceback" not in life.said[-1]


def test_a_changed_prompt_is_refused_by_its_file(lives: Callable[[], Any], tmp_path: Path) -> None:
    life, _ = begun(lives, tmp_path)
    manifest = json.loads((life.run / "run.json").read_text())
    old = manifest["identity"]["prompts"]["evaluator"]
    text = (life.run / "prompts" / f"{old}.txt").read_text()
    (life.run / "prompts" / ("0" * 64 + ".txt")).write_text("An older first line.\n" + text)
    manifest["identity"]["prompts"]["evaluator"] = "0" * 64
    (life.run / "run.json").write_text(json.dumps(manifest))
    assert life.live("--resume", life.run) == 1
    assert f"prompt of the evaluator: its text is in prompts/{'0' * 64}.txt" in life.said[-1]
    assert life.live("--resume", life.run, "--force", "--quiet") == 0
    assert life.results()["totals"]["score_mean"] == 1.0


def test_a_changed_pack_is_refused_and_forced_begins_the_rest_anew(
    lives: Callable[[], Any], tmp_path: Path
) -> None:
    life, pack = begun(lives, tmp_path)
    raw = json.loads(pack.read_text())
    raw["scenarios"][2]["task_text"] = "Buy 1x nothing that exists"
    raw["scenarios"][2]["expect"] = {"checkouts": 0}
    del raw["scenarios"][2]["oracle"]
    pack.write_text(json.dumps(raw))
    assert life.live("--resume", life.run) == 1
    assert f"scenarios changed: {raw['scenarios'][2]['spec_id']}" in life.said[-1]
    assert life.live("--resume", life.run, "--force", "--quiet") == 0
    results = life.results()
    assert [t["score"] for t in results["tasks"]] == [1.0, 1.0, 1.0]
    assert results["tasks"][2]["verdict"] == "declined"


def test_a_failure_from_outside_is_tried_again_and_its_first_attempt_stays(
    lives: Callable[[], Any], tmp_path: Path
) -> None:
    life = lives(scripts={"nothing": []})
    pack = small_pack(tmp_path / "pack.json", 2)
    words = ["--pack", pack, "--out", life.folder / "logs", "--quiet"]
    assert life.live(*words, "--evaluator", "canned/nothing") == 1
    failed = life.results()["tasks"]
    assert [t["failure"] for t in failed] == ["model", "model"]
    again = ["--resume", life.run, "--force", "--quiet"]
    again += ["--evaluator", "scripted/store", "--worker", "scripted/store"]
    assert life.live(*again) == 0
    tasks = life.results()["tasks"]
    assert [(t["score"], t["attempt"], t["failure"]) for t in tasks] == [(1.0, 2, None)] * 2
    for path in (life.run / "tasks").glob("*.jsonl"):
        records = [json.loads(line) for line in path.read_text().splitlines()]
        assert [r["attempt"] for r in records if r["type"] == "task"] == [1, 2]
        assert len([r for r in records if r["type"] == "result"]) == 2


@pytest.mark.parametrize("content", [None, "{}", '{"format": "other"}', "no json"])
def test_a_folder_that_is_no_run_is_refused(
    lives: Callable[[], Any], tmp_path: Path, content: str | None
) -> None:
    life = lives()
    folder = tmp_path / "run"
    folder.mkdir()
    if content is not None:
        (folder / "run.json").write_text(content)
    assert life.live("--resume", folder) == (2 if content is None else 1)
    assert ("is not a run folder" if content is None else "run.json: ") in life.said[-1]
    assert "Traceback" not in life.said[-1]
