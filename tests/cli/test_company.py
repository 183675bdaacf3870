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


def test_it_is_played_without_a_key_and_shown_and_repeated(run: Path) -> None:
    played, results = result(run), results_at(run)
    assert (played["score"], played["verdict"], played["acts"]) == (1.0, "ok_answer", 1)
    assert (played["harm"], played["group"], results["harm_name"]) == (
        False,
        "answer",
        "wrong write",
    )
    assert list(results["totals"]["groups"]) == ["answer", "deny", "clarify", "other"]
    assert read_manifest(run).options["guards"] == "-looked"
    for words, said in ((["show"], "ok_answer"), (["replay"], "equal")):
        code, text = cli(*words, run)
        assert (code, said in text) == (0, True), text


def test_its_pages_lie_in_the_users_cache_by_hash_and_the_next_run_takes_them(
    run: Path, tmp_path: Path
) -> None:
    folder = cache_folder()
    assert folder is not None
    versions = [json.loads(file.read_text()) for file in (folder / "wiki").iterdir()]
    assert versions
    assert all(hash_of(version["pages"]) == version["sha1"] for version in versions)
    words = ("--benchmark", "erc3-dev", "--task", a_writing_task(), "--out", tmp_path, "--quiet")
    code, text = cli(*words, "--rulebook", "rules.md", "--rulebook", "no-such.md")
    assert code == 0, text
    assert "--rulebook no-such.md: this wiki has no such page" in text
    (again,) = tmp_path.iterdir()
    written = "".join(file.read_text(encoding="utf-8") for file in again.rglob("*.jsonl"))
    assert ("/whoami" in written, "/wiki/load" in written) == (True, False)


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


def test_a_page_that_is_too_large_for_the_briefing_is_named(tmp_path: Path) -> None:
    pack = json.loads(BUNDLED_PACK.read_text(encoding="utf-8"))
    for company in pack["companies"].values():
        company["wiki"]["history.md"] = "\n\n".join(f"Gull {n} flew by." for n in range(2000))
    large = tmp_path / "large.json"
    large.write_text(json.dumps(pack))
    words = ("--benchmark", "company", "--pack", large, "--task", a_writing_task())
    code, text = cli(*words, "--out", tmp_path / "logs", "--quiet", "--rulebook", "history.md")
    assert code == 0, text
    assert text.count("--rulebook history.md: left out") == 1


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
