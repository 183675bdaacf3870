"""``--strategy`` on the command line: what it chooses, refuses, and how such a run goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.kit.commands import type_words


@pytest.fixture
def invoke(tmp_path: Path) -> Callable[..., Any]:
    def run(*words: object) -> Any:
        return type_words(*words, "--out", tmp_path / "logs")

    return run


def runs(folder: Path) -> list[Path]:
    return sorted((folder / "logs").iterdir())


def test_a_run_keeps_its_strategy_and_a_fork_must_have_the_same(
    invoke: Callable[..., Any], tmp_path: Path
) -> None:
    spec = "required_coupon_works"
    done = invoke("--strategy", "next-step", "--task", spec, "--json")
    assert done.exit_code == 0, done.output
    (folder,) = runs(tmp_path)
    manifest = json.loads((folder / "run.json").read_text())
    assert manifest["options"]["strategy"] == "next-step"
    assert manifest["options"]["max_turns"] == 30
    assert manifest["options"]["name"] == "next-step"
    assert manifest["identity"]["prompts"].keys() == {"next-step"}
    assert {p.stem for p in (folder / "prompts").iterdir()} == {
        manifest["identity"]["prompts"]["next-step"]
    }
    fork = ("--fork", folder, "--task", spec, "--turn", 2)
    other = invoke(*fork, "--strategy", "evaluator-worker")
    assert other.exit_code == 2
    assert "was played with --strategy next-step" in other.output
    same = invoke(*fork)
    assert same.exit_code == 0, same.output


def test_a_run_that_died_goes_on_with_its_strategy(
    lives: Callable[[], Any], tmp_path: Path
) -> None:
    life = lives()
    words = ["--strategy", "next-step", "--out", life.folder / "logs", "--quiet"]
    assert life.live(*words, "--task", "exact_quantity_ghost_stock", until=12) == 137
    assert life.live("--resume", life.run, "--quiet", until=25) == 137
    again = ["--resume", life.run, "--quiet", "--prompt-tokens", 9_000, "--force"]
    model = "faulty/store?rate=0"
    assert life.live(*again, "--evaluator", model) == 0, life.said[-1]
    results = life.results()
    assert results["totals"]["score_mean"] == 1.0
    assert results["brain"] == {"evaluator": model, "worker": model}
