"""A run that is cut off anywhere goes on: nothing is lost and nothing is bought twice."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.cli import app
from core.runs.results import NAME, read_lines, read_results
from tests.cli.conftest import Lives, Zygote
from tests.kit.commands import type_words
from workshop.simulator.store.pack import BUNDLED_PACK


def small_pack(path: Path, count: int = 6) -> Path:
    raw = json.loads(BUNDLED_PACK.read_text(encoding="utf-8"))
    buys = [s for s in raw["scenarios"] if s["expect"]["checkouts"]]
    raw["scenarios"] = buys[:count]
    path.write_text(json.dumps(raw))
    return path


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


@pytest.fixture(scope="module")
def died(zygote: Zygote, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a life that died in its second task, with its pack."""
    life = Lives(zygote, tmp_path_factory.mktemp("died"))
    pack = small_pack(life.folder / "pack.json", 3)
    assert life.live("--pack", pack, "--out", life.folder / "logs", "--quiet", until=70) == 137
    assert life.run is not None
    return life.folder


@pytest.fixture
def life(zygote: Zygote, died: Path, tmp_path: Path) -> Lives:
    """A copy of it, with its pack."""
    again = Lives(zygote, Path(shutil.copytree(died, tmp_path / "life")))
    manifest = again.run / "run.json"
    manifest.write_text(manifest.read_text().replace(str(died), str(again.folder)))
    return again


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--evaluator", "faulty/store"], "model of the evaluator: was scripted/store, is fau"),
        (["--task", "x"], "leave out --task"),
        (["--real"], "leave out --real"),
    ],
)
def test_another_run_is_refused(life: Lives, words: list[str], said: str) -> None:
    assert life.live("--resume", life.run, *words) in (1, 2)
    assert said in life.said[-1]
    assert "Traceback" not in life.said[-1]


@pytest.mark.promise("nothing lost at a kill")
def test_a_changed_prompt_is_refused_by_its_file_and_what_is_over_stays_as_it_is(
    life: Lives,
) -> None:
    path = life.run / "run.json"
    manifest = json.loads(path.read_text())
    old = manifest["identity"]["prompts"]["evaluator"]
    text = (life.run / "prompts" / f"{old}.txt").read_text()
    (life.run / "prompts" / ("0" * 64 + ".txt")).write_text("An older first line.\n" + text)
    manifest["identity"]["prompts"]["evaluator"] = "0" * 64
    path.write_text(json.dumps(manifest))
    assert life.live("--resume", life.run) == 1
    assert f"prompt of the evaluator: its text is in prompts/{'0' * 64}.txt" in life.said[-1]
    assert life.live("--resume", life.run, "--force", "--quiet") == 0
    before = life.results()
    assert before["totals"]["score_mean"] == 1.0
    assert life.live("--resume", life.run, "--quiet") == 0
    after = life.results()
    assert (after["tasks"], after["started"]) == (before["tasks"], before["started"])


def test_a_changed_pack_is_refused_and_forced_begins_the_rest_anew(life: Lives) -> None:
    pack = life.folder / "pack.json"
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


@pytest.mark.parametrize("content", [None, "{}", '{"format": "other"}', "no json"])
def test_a_folder_that_is_no_run_is_refused(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "run.json").write_text(content)
    done = type_words("--resume", tmp_path)
    assert done.exit_code == (2 if content is None else 1)
    assert ("is not a run folder" if content is None else "run.json: ") in done.stderr
