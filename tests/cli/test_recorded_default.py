"""Without a model a run plays recorded replies, and a scripted model where they would not fit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.cli import app
from cli.options import Options
from cli.run_models import with_models


@pytest.fixture(autouse=True)
def no_models(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "EVALUATOR_MODEL", "WORKER_MODEL", "EVALUATOR_BASE_URL", "WORKER_BASE_URL",
        "NEBIUS_API_KEY", "OPENROUTER_API_KEY",
    ):  # fmt: skip
        monkeypatch.delenv(name, raising=False)


def models(**given: object) -> tuple[str, str]:
    options, _ = with_models(Options.model_validate(given))
    return options.evaluator, options.worker


@pytest.mark.parametrize("benchmark", ["store", "company"])
def test_a_run_as_shipped_plays_the_recorded_replies(benchmark: str) -> None:
    recorded = f"recorded/{benchmark}"
    assert models(benchmark=benchmark) == (recorded, recorded)
    assert models(benchmark=benchmark, jobs=2, tasks=("a",)) == (recorded, recorded)


@pytest.mark.parametrize(
    "given",
    [
        {"strategy": "next-step"},
        {"prompts": Path("mine")},
        {"stages": "none"},
        {"guards": "none"},
        {"pack": Path("own.json")},
        {"max_turns": 3},
        {"faults": "acknowledgement"},
    ],
    ids=lambda given: next(iter(given)),
)
def test_what_changes_the_question_is_played_by_a_scripted_model(given: dict[str, object]) -> None:
    evaluator, _ = models(**given)
    assert evaluator == "scripted/store"


def test_a_model_that_is_named_plays() -> None:
    assert models(evaluator="scripted/store") == ("scripted/store", "scripted/store")


def test_a_recorded_run_is_forked_with_its_replies_and_another_is_not(tmp_path: Path) -> None:
    for evaluator, forked in (("recorded/store", 1.0), ("scripted/store", 1.0)):
        out = tmp_path / evaluator.partition("/")[0]
        words = ["--task", "required_coupon_works", "--out", str(out), "--json"]
        asked = [*words, "--evaluator", evaluator]
        assert CliRunner().invoke(app, asked).exit_code == 0
        done = CliRunner().invoke(app, [*words, "--fork", "latest", "--turn", "2"])
        (task,) = json.loads(done.stdout)["tasks"]
        assert task["score"] == forked
