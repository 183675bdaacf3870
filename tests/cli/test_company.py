"""The company through the whole house: played, shown, repeated, forked, taken apart, in the lab."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.cli import app
from company_tools.wiki_store import hash_of
from core.models.kept_files import cache_folder
from core.runs.manifest import read_manifest
from tests.kit.records import results_at
from workshop.simulator.company.pack import BUNDLED_PACK
from workshop.simulator.worlds import load_pack


def cli(*words: object, said: str = "") -> tuple[int, str]:
    done = CliRunner().invoke(app, [str(word) for word in words], input=said)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


@cache
def a_writing_task() -> str:
    for scenario in load_pack(BUNDLED_PACK).scenarios:
        if [event.type for event in scenario.expect.events] == ["Evt_TimeEntryLogged"]:
            return scenario.spec_id
    raise AssertionError("no task logs time")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("logs")
    with pytest.MonkeyPatch.context() as clean:
        for name in ("EVALUATOR_MODEL", "WORKER_MODEL", "MODELS_FILE"):
            clean.delenv(name, raising=False)
        code, text = cli(
            "--benchmark", "company", "--task", a_writing_task(), "--out", out, "--quiet",
            "--guards", "-looked",
        )  # fmt: skip
    assert code == 0, text
    (folder,) = out.iterdir()
    return folder


def result(folder: Path) -> dict[str, Any]:
    (task,) = results_at(folder)["tasks"]
    return dict(task)


def test_it_is_played_without_a_key(run: Path) -> None:
    played = result(run)
    assert (played["score"], played["verdict"], played["acts"]) == (1.0, "ok_answer", 1)
    assert (played["harm"], played["group"]) == (False, "answer")
    results = results_at(run)
    assert results["harm_name"] == "wrong write"
    assert list(results["totals"]["groups"]) == ["answer", "deny", "clarify", "other"]


def test_its_manifest_says_which_guards_were_on(run: Path) -> None:
    assert json.loads((run / "run.json").read_text())["options"]["guards"] == "-looked"


def test_its_pages_lie_in_the_users_cache_by_hash(run: Path) -> None:
    folder = cache_folder()
    assert folder is not None
    versions = [json.loads(file.read_text()) for file in (folder / "wiki").iterdir()]
    assert versions
    assert all(hash_of(version["pages"]) == version["sha1"] for version in versions)
    assert not (run / "wiki").exists()


def test_the_next_run_takes_them_from_there(run: Path, tmp_path: Path) -> None:
    again = ("--benchmark", "company", "--task", a_writing_task(), "--out", tmp_path, "--quiet")
    code, text = cli(*again)
    assert code == 0, text
    (folder,) = tmp_path.iterdir()
    written = "".join(file.read_text(encoding="utf-8") for file in folder.rglob("*.jsonl"))
    assert "/whoami" in written
    assert "/wiki/load" not in written


def test_it_is_shown_and_repeated(run: Path) -> None:
    code, text = cli("show", run)
    assert code == 0
    assert "ok_answer" in text
    code, text = cli("replay", run)
    assert code == 0, text
    assert "equal" in text


def test_it_is_forked(run: Path, tmp_path: Path) -> None:
    turn = result(run)["turns"]
    code, text = cli(
        "--benchmark", "company", "--fork", run, "--task", a_writing_task(), "--turn", turn,
        "--out", tmp_path, "--quiet",
    )  # fmt: skip
    assert code == 0, text
    (folder,) = tmp_path.iterdir()
    assert result(folder)["score"] == 1.0
    assert result(folder)["acts"] == 1


def test_it_is_taken_apart(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "new.json"
    words = ("debug", run, "--task", a_writing_task(), "--turn", 1)
    code, text = cli(*words, said=f"n\nsave {path}\nq\n")
    assert code == 0, text
    assert f"written: {path}" in text
    (scenario,) = load_pack(path).scenarios
    (original,) = (s for s in load_pack(BUNDLED_PACK).scenarios if s.spec_id == a_writing_task())
    assert (scenario.spec_id, scenario.user) == (original.spec_id, original.user)
    assert scenario.expect.outcomes == original.expect.outcomes


@pytest.mark.parametrize("id", ["erc3-dev", "erc3-test", "erc3-prod"])
def test_the_platforms_own_ids_play_it_too(id: str, tmp_path: Path) -> None:
    code, text = cli(
        "--benchmark", id, "--task", a_writing_task(), "--out", tmp_path, "--quiet"
    )  # fmt: skip
    assert code == 0, text


def test_the_lab_plays_it_beside_trivial_players(tmp_path: Path) -> None:
    pack = json.loads(BUNDLED_PACK.read_text(encoding="utf-8"))
    pack["scenarios"] = pack["scenarios"][:3]
    small = tmp_path / "three.json"
    small.write_text(json.dumps(pack))
    words = [
        "regress", "--benchmark", "company", "--pack", small, "--jobs", 1, "--out", tmp_path,
        "--guards", "none", "--json",
    ]  # fmt: skip
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    summary = json.loads(done.stdout)
    assert read_manifest(tmp_path / summary["run_id"]).options["guards"] == "none"
    players = {one["name"]: one["score"] for one in summary["summaries"]}
    assert players["agent"] > players["always-denied_security"]
    assert {"name-lookup", "always-ok_not_found"} <= players.keys()
