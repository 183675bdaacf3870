"""``--strategy`` on the command line: what it chooses, refuses, and how such a run goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.runs.manifest import read_manifest
from tests.kit.commands import type_words


def test_a_run_keeps_its_strategy_and_a_fork_must_have_the_same(tmp_path: Path) -> None:
    out, spec = ("--out", tmp_path), "required_coupon_works"
    done = type_words("--strategy", "next-step", "--task", spec, "--json", *out)
    assert done.exit_code == 0, done.output
    (folder,) = tmp_path.iterdir()
    manifest = read_manifest(folder)
    kept = {name: manifest.options[name] for name in ("strategy", "max_turns", "name")}
    assert kept == {"strategy": "next-step", "max_turns": 30, "name": "next-step"}
    assert [*manifest.identity.prompts] == ["next-step"]
    assert {p.stem for p in (folder / "prompts").iterdir()} == {*manifest.identity.prompts.values()}
    fork = ("--fork", folder, "--task", spec, "--turn", 2, *out)
    other = type_words(*fork, "--strategy", "evaluator-worker")
    assert other.exit_code == 2
    assert "was played with --strategy next-step" in other.output
    same = type_words(*fork)
    assert same.exit_code == 0, same.output


def test_a_run_that_died_goes_on_with_its_strategy(lives: Callable[[], Any]) -> None:
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
