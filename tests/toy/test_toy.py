"""A benchmark that is added by the recipe in CONTRIBUTING plays everywhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from cli import registry
from cli.cli import app
from tests.kit.records import results_at
from workshop.simulator import worlds


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    """Register the benchmark for one test: the messages of other tests name all there are."""
    known = [(names, dict(names)) for names in (registry._by_id, worlds.WORLDS)]
    registry.register("tests.toy.benchmark:TOY")
    yield
    for names, before in known:
        names.clear()
        names.update(before)  # type: ignore[arg-type]


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    done = call("run", "--benchmark", "toy", "--out", tmp_path, "--quiet")
    assert done.exit_code == 0, done.output
    (folder,) = tmp_path.iterdir()
    return folder


def test_a_benchmark_takes_at_most_250_lines() -> None:
    files = [path for path in Path(__file__).parent.iterdir() if path.is_file()]
    parts = [path.read_text(encoding="utf-8") for path in files if path != Path(__file__)]
    assert sum(len(text.splitlines()) for text in parts) <= 250


def test_a_run_of_it_is_scored_replayed_and_reported(run: Path) -> None:
    results = results_at(run)
    assert {t["spec_id"]: (t["score"], t["acts"], t["outcome"]) for t in results["tasks"]} == {
        "add-two": (1, 1, "finished"),
        "already-there": (1, 0, "finished"),
        "impossible": (1, 0, "finished"),
    }
    assert (results["harm_name"], results["benchmark"]) == ("wrong sum", "toy")
    replayed = call("replay", run, "--json")
    assert (replayed.exit_code, json.loads(replayed.stdout)["equal"]) == (0, True)
    assert "add-two" in (run / "report.html").read_text(encoding="utf-8")


def test_the_lab_plays_it_beside_its_floor(tmp_path: Path) -> None:
    done = call("regress", "--benchmark", "toy", "--jobs", 1, "--out", tmp_path, "--json")
    assert done.exit_code == 0, done.output
    agent, nothing = json.loads(done.stdout)["summaries"]
    assert (agent["passed"]["passed"], nothing["passed"]["passed"]) == (3, 2)
    assert agent["groups"]["grow"]["passed"] == 1
