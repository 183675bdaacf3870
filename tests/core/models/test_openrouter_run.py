"""A whole run with a model of OpenRouter, with and without its price list."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.cli import app
from core.models import openrouter_prices
from tests.fake_openai import FakeOpenAI
from tests.hostile_models import HostileModels, said

PRICING = {"prompt": "0.000001", "completion": "0.000002", "input_cache_read": "0.0000005"}


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-1b5b2e66dd77ac0e")
    for name in [name for name in os.environ if name.upper().endswith("_PROXY")]:
        monkeypatch.delenv(name)
    return "mine"


def play(model: str, url: str, monkeypatch: pytest.MonkeyPatch, *more: str) -> tuple[int, str]:
    """Play one task with prices from an address; exit code and what was printed."""
    monkeypatch.setenv("OPENROUTER_MODELS_URL", url)
    words = ["--models", "m.toml", "--evaluator", model, "--worker", model, *more]
    done = CliRunner().invoke(app, [*words, "--task", "stock_exactly_enough"])
    openrouter_prices.use(None)
    return done.exit_code, done.output


def serve(server: FakeOpenAI) -> None:
    backend = f'{{ model = "openrouter/some/model", base_url = "{server.base_url}" }}'
    Path("m.toml").write_text(f"[models.mine]\nbackends = [{backend}]\n")


def test_a_run_is_priced_by_the_list_which_is_asked_for_once(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = {"data": [{"id": "some/model", "pricing": PRICING}]}
    with FakeOpenAI() as server, HostileModels(said(rows)) as listing:
        serve(server)
        code, output = play(model, listing.base_url, monkeypatch, "--max-dollars", "1")
        assert code == 0, output
        (folder,) = Path("logs").iterdir()
        totals = json.loads((folder / "results.json").read_text())["totals"]
        billed = server.billed
        fresh = billed.prompt - billed.cached
        assert totals["cost_usd"] == pytest.approx(
            fresh * 1e-6 + billed.cached * 5e-7 + billed.completion * 2e-6, rel=1e-6
        )
        assert listing.requests == 1


def test_a_run_without_the_list_goes_on_and_says_so_once(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        nowhere = f"http://127.0.0.1:{listener.getsockname()[1]}/models"
    with FakeOpenAI() as server:
        serve(server)
        code, output = play(model, nowhere, monkeypatch)
    assert code == 0
    assert output.count("OpenRouter's list of models: cannot be reached") == 1


def test_a_replay_does_not_ask_for_the_list(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI() as server:
        serve(server)
        code, output = play(model, "none", monkeypatch, "--record", "tape.jsonl")
        assert code == 0, output
    with HostileModels(said({"data": []})) as listing:
        code, output = play(model, listing.base_url, monkeypatch, "--replay", "tape.jsonl")
        assert code == 0, output
        assert listing.requests == 0
