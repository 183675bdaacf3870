"""Run folders of an earlier day: they open in every view, are repeated, forked, gone on with."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from cli.cli import app
from core.runs.reader import read_task
from workshop.views.live.app import build_app

RECORDED = Path(__file__).parents[1] / "recorded" / "run-results-1"
PURCHASE, REFUSAL = "named_item_on_last_page", "coupon_code_unknown"
CUT = "bundle_item_gone_at_checkout"


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of all of them, as a folder of runs."""
    for name in ("EVALUATOR_MODEL", "WORKER_MODEL", "MODELS_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(RECORDED, tmp_path / "logs"))


def said(*words: object, answers: str = "") -> str:
    """What a command says that ends well."""
    done = CliRunner().invoke(app, [str(word) for word in words], input=answers)
    assert done.exit_code == 0, done.output
    return done.stdout


def results(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "results.json").read_text())
    return found


@pytest.mark.parametrize("name", ["evaluator-worker", "next-step", "cut-off"])
def test_a_run_is_shown(name: str, logs: Path) -> None:
    table = said("show", logs / name)
    assert PURCHASE in table
    assert "purchased" in table
    assert ("not finished" in table) is (name == "cut-off")
    assert "cannot be read" not in table
    story = said("show", logs / name, "--task", PURCHASE)
    assert "PROCEED" in story
    assert "Req_CheckoutBasket(" in story
    page = said("report", logs / name, "-o", logs / f"{name}.html")
    assert (logs / f"{name}.html").stat().st_size > 20_000, page


def test_runs_are_counted_and_compared(logs: Path) -> None:
    found = json.loads(said("stats", logs, "--json"))["total"]
    assert (found["runs"], found["tasks"], found["passed"]["passed"]) == (3, 6, 6)
    both = logs / "evaluator-worker", logs / "next-step"
    assert "next-step" in said("stats", logs, "--diff", *both)
    pair = logs / "pair.html"
    said("report", *both, "-o", pair)
    assert REFUSAL in pair.read_text()


def test_a_run_is_exported(logs: Path) -> None:
    path = logs / "log.json"
    said("export", logs / "evaluator-worker", "--format", "inspect", "-o", path)
    log = json.loads(path.read_text())
    assert {s["id"]: s["scores"]["platform"]["value"] for s in log["samples"]} == dict.fromkeys(
        (PURCHASE, REFUSAL, CUT), 1.0
    )


def test_runs_stand_in_the_live_index_and_their_pages_open(logs: Path) -> None:
    with TestClient(build_app(logs), base_url="http://localhost") as client:
        index = client.get("/").text
        for name in ("evaluator-worker", "next-step", "cut-off"):
            assert name in index
            assert PURCHASE in client.get(f"/runs/{name}/").text
            assert client.get(f"/runs/{name}/tasks/{PURCHASE}").status_code == 200
            assert client.get(f"/runs/{name}/changes?since=0").status_code == 200


def test_a_run_is_repeated_stepped_through_and_forked(logs: Path) -> None:
    folder = logs / "evaluator-worker"
    found = json.loads(said("replay", folder, "--json"))
    assert (found["equal"], found["tasks"], len(found["turns"])) == (True, 3, 7)
    steps = said("debug", folder, "--task", PURCHASE, "--turn", 1, answers="c\nq\n")
    assert "This is what was recorded." in steps
    fork = ["--fork", folder, "--task", CUT, "--turn", 3, "--pack", folder / "pack.json"]
    document = json.loads(said(*fork, "--json"))
    assert [turn["repeated"] for turn in document["turns"]][:3] == [True, True, False]
    # Prompts may be longer or shorter by now.
    assert set(document["differs"]) <= {"tokens"}


def test_a_run_that_was_cut_off_goes_on(logs: Path) -> None:
    folder = logs / "cut-off"
    before = results(folder)["tasks"]
    assert [task["spec_id"] for task in before] == [PURCHASE]
    # The prompts may be others by now: what is kept and gone on with is the same all the same.
    said("--resume", folder, "--force", "--quiet")
    after = results(folder)
    assert [(t["spec_id"], t["score"]) for t in after["tasks"]] == [
        (PURCHASE, 1.0), (CUT, 1.0), (REFUSAL, 1.0),
    ]  # fmt: skip
    assert after["tasks"][0]["task_id"] == before[0]["task_id"]
    assert after["tasks"][0]["seconds"] == before[0]["seconds"], "it was not played again"
    log = read_task(folder / "tasks" / f"{CUT}.jsonl", strict=True)
    assert (log.begun, log.resumed) == (1, 1), "it went on behind its last whole turn"
    assert [turn.number for turn in log.whole] == list(range(1, len(log.whole) + 1))
