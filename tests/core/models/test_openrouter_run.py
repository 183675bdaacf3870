"""A whole run with a model of OpenRouter, whose price is known only from its replies."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.cli import app
from core.runs.results import RunResults
from tests.kit.fake_openai import FakeOpenAI
from tests.kit.records import results_at

Play = Callable[..., RunResults]


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Plays one task with a model of OpenRouter that this server answers for."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-1b5b2e66dd77ac0e")
    for name in [name for name in os.environ if name.upper().endswith("_PROXY")]:
        monkeypatch.delenv(name)

    def go(server: FakeOpenAI, *more: str, extra: str = "{}") -> RunResults:
        backend = f'{{ model = "openrouter/some/model", base_url = "{server.base_url}" }}'
        Path("m.toml").write_text(f"[models.mine]\nextra = {extra}\nbackends = [{backend}]\n")
        words = ["--models", "m.toml", "--evaluator", "mine", "--worker", "mine", *more]
        done = CliRunner().invoke(app, [*words, "--task", "required_coupon_works"])
        (folder,) = Path("logs").iterdir()
        assert "Traceback" not in done.output
        return RunResults.model_validate(results_at(folder))

    return go


def test_a_run_costs_what_the_replies_state_and_each_request_asks_for_it(play: Play) -> None:
    with FakeOpenAI(cost=0.001) as server:
        results = play(server)
    assert results.tasks[0].score == 1.0
    assert results.totals.cost_usd == pytest.approx(0.001 * len(server.seen))
    assert all(ask.body["usage"] == {"include": True} for ask in server.seen)


@pytest.mark.parametrize("option", ["--max-dollars", "--task-dollars"])
def test_a_dollar_limit_holds_though_the_price_is_known_only_from_replies(
    play: Play, option: str
) -> None:
    with FakeOpenAI(cost=0.001) as server:
        (task,) = play(server, option, "0.0015").tasks
    assert len(server.seen) == 2, "the call that reaches the limit is the last one"
    assert task.failure == "limit"
    assert "limit reached: 0.0015 dollars" in (task.error or "")


def test_with_a_dollar_limit_a_reply_that_states_no_cost_is_the_last_one(play: Play) -> None:
    with FakeOpenAI() as server:
        (task,) = play(server, "--max-dollars", "1").tasks
    assert len(server.seen) == 1
    assert task.failure == "limit"
    assert "the limit of 1 dollars for a run cannot be enforced" in (task.error or "")
