"""Which models play where none is named, and that no real session is played by a script."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.cli import app
from cli.options import Options
from cli.platform import REAL_URL
from cli.run_models import check_models, run_models, with_models
from core.runs.errors import Usage

REFERENCE = "openai/gpt-oss-120b"
VARIABLES = (
    "EVALUATOR_MODEL", "WORKER_MODEL", "EVALUATOR_BASE_URL", "WORKER_BASE_URL", "MODELS_FILE",
    "NEBIUS_API_KEY", "OPENROUTER_API_KEY",
)  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.setenv(name, "")


def played(**asked: Any) -> tuple[str, str, str]:
    """The model of each role, and what is said."""
    options, notice = with_models(Options.model_validate(asked))
    return options.evaluator, options.worker, notice


@pytest.mark.parametrize("strategy", ["evaluator-worker", "next-step"])
@pytest.mark.parametrize(
    ("keys", "provider"),
    [
        (["NEBIUS_API_KEY"], "nebius"),
        (["OPENROUTER_API_KEY"], "openrouter"),
        (["OPENROUTER_API_KEY", "NEBIUS_API_KEY"], "nebius"),
    ],
)
def test_a_providers_key_brings_its_reference_model(
    monkeypatch: pytest.MonkeyPatch, strategy: str, keys: list[str], provider: str
) -> None:
    for key in keys:
        monkeypatch.setenv(key, "some-key")
    evaluator, worker, notice = played(strategy=strategy)
    assert evaluator == worker == f"{provider}/{REFERENCE}"
    assert f"{provider.upper()}_API_KEY is set" in notice
    assert f"{provider}/{REFERENCE}; --evaluator scripted/store plays without an LLM" in notice
    assert "some-key" not in notice


def test_an_evaluator_that_is_named_alone_plays_both_roles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEBIUS_API_KEY", "some-key")
    assert played(evaluator="openai/mine") == ("openai/mine", "openai/mine", "")
    monkeypatch.setenv("EVALUATOR_MODEL", "openai/mine")
    assert played() == ("openai/mine", "openai/mine", "")
    monkeypatch.setenv("WORKER_MODEL", "openai/other")
    assert played() == ("openai/mine", "openai/other", "")
    assert played(strategy="next-step") == ("openai/mine", "openai/mine", "")


def test_a_worker_is_not_named_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEBIUS_API_KEY", "some-key")
    with pytest.raises(Usage, match="--worker names openai/mine for the worker alone"):
        played(worker="openai/mine")
    assert played(worker="scripted/store") == ("scripted/store", "scripted/store", "")
    monkeypatch.setenv("WORKER_MODEL", "openai/mine")
    with pytest.raises(Usage, match="WORKER_MODEL names openai/mine for the worker alone"):
        played()


@pytest.mark.parametrize("name", ["EVALUATOR_BASE_URL", "WORKER_BASE_URL"])
def test_a_server_of_ones_own_is_asked_for_no_providers_model(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("NEBIUS_API_KEY", "some-key")
    monkeypatch.setenv(name, "http://127.0.0.1:8000/v1")
    assert played() == ("scripted/store", "scripted/store", "")


def test_a_run_to_go_on_with_keeps_its_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEBIUS_API_KEY", "some-key")
    options, notice = with_models(Options.model_validate({"resume": "logs/x"}))
    assert not {"evaluator", "worker"} & options.model_fields_set
    assert notice == ""


def check(**asked: Any) -> None:
    """Check the models of a run with these options, as it begins."""
    options = Options.model_validate(asked)
    check_models(options, run_models(options), os.environ.get("ERC3_BASE_URL") or REAL_URL)


@pytest.mark.promise("no session submitted that was not played")
@pytest.mark.parametrize(
    "asked",
    [{}, {"strategy": "next-step"}, {"evaluator": "faulty/store", "worker": "faulty/store"}],
)
def test_no_real_session_is_played_by_a_script(asked: dict[str, str]) -> None:
    with pytest.raises(Usage, match="knows what is asked"):
        check(real=True, **asked)
    check(**asked)


def test_a_real_session_is_played_by_named_models() -> None:
    check(real=True, evaluator="openai/x", worker="openai/y")
    check(real=True, evaluator="openai/x", strategy="next-step")


@pytest.mark.parametrize(
    ("address", "is_near"),
    [
        ("http://127.0.0.1:8300", True),
        ("http://localhost:8300", True),
        ("http://[::1]:8300", True),
        ("", False),
        ("https://erc.example.org", False),
        ("http://127.0.0.1.example.org", False),
        ("http://10.0.0.1:8300", False),
    ],
)
def test_a_rehearsal_is_on_this_machine(
    monkeypatch: pytest.MonkeyPatch, address: str, is_near: bool
) -> None:
    monkeypatch.setenv("ERC3_BASE_URL", address)
    asked = {"real": True, "allow_scripted": True, "pack": "some.json"}
    if is_near:
        check(**asked)
    else:
        with pytest.raises(Usage, match="this machine"):
            check(**asked)


@pytest.mark.parametrize(
    "asked",
    [
        {"evaluator": "openai/x", "worker": "scripted/store"},
        {"evaluator": "scripted/store", "worker": "openai/x"},
        {"evaluator": "canned/x", "worker": "openai/x"},
    ],
)
def test_a_scripted_model_plays_all_roles_or_none(asked: dict[str, str]) -> None:
    with pytest.raises(Usage, match="all roles or none"):
        run_models(Options.model_validate(asked))


def test_it_is_refused_before_anything_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform_of: Any, shop_json: Any
) -> None:
    simulator = platform_of(shop_json())
    monkeypatch.chdir(tmp_path)
    env = {"ERC3_API_KEY": "key-mine", "ERC3_BASE_URL": simulator.base_url}
    done = CliRunner().invoke(app, ["--real", "--yes"], env=env)
    assert done.exit_code == 2
    assert "--allow-scripted" in done.output
    assert not simulator.platform.sessions
    assert not list(tmp_path.iterdir())


def test_what_plays_is_said_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shop_json: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    # Nobody listens there: what is said comes before anything is asked.
    (tmp_path / "models.toml").write_text(
        '[models."nebius/*"]\nattempts = 1\ntimeout_seconds = 0.1\ndeadline_seconds = 0.2\n'
    )
    words = ["--models", "models.toml", "--out", "logs", "--max-tokens", "0"]
    done = CliRunner().invoke(app, words, env={"NEBIUS_API_KEY": "some-key"})
    first = " ".join(done.output.split())[:200]
    assert first.startswith("no model is named and NEBIUS_API_KEY is set: evaluator and worker are")
