"""Which models play where none is named, and that no real session is played by a script."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from cli.options import Options
from cli.platform import REAL_URL
from cli.run_models import check_models, run_models, with_models
from core.runs.errors import Usage
from tests.kit.commands import type_words

REFERENCE = "openai/gpt-oss-120b"
VARIABLES = (
    "EVALUATOR_MODEL", "WORKER_MODEL", "EVALUATOR_BASE_URL", "WORKER_BASE_URL", "MODELS_FILE",
    "NEBIUS_API_KEY", "OPENROUTER_API_KEY",
)  # fmt: skip
MINE, OTHER = {"EVALUATOR_MODEL": "openai/mine"}, {"WORKER_MODEL": "openai/other"}
NEBIUS, ROUTER = {"NEBIUS_API_KEY": "some-key"}, {"OPENROUTER_API_KEY": "some-key"}
SERVER = "http://127.0.0.1:8000/v1"


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.setenv(name, "")


@pytest.mark.parametrize(
    ("env", "asked", "evaluator", "worker"),
    [
        # the reference model at the first provider whose key is set
        (NEBIUS, {}, f"nebius/{REFERENCE}", ""),
        (ROUTER, {}, f"openrouter/{REFERENCE}", ""),
        (ROUTER | NEBIUS, {}, f"nebius/{REFERENCE}", ""),
        (NEBIUS, {"strategy": "next-step"}, f"nebius/{REFERENCE}", ""),
        # an evaluator that is named alone plays both roles
        (NEBIUS, {"evaluator": "openai/mine"}, "openai/mine", ""),
        (NEBIUS | MINE, {}, "openai/mine", ""),
        (NEBIUS | MINE | OTHER, {}, "openai/mine", "openai/other"),
        (NEBIUS | MINE | OTHER, {"strategy": "next-step"}, "openai/mine", ""),
        # a server of one's own is asked for no provider's model
        (NEBIUS | {"EVALUATOR_BASE_URL": SERVER}, {}, "scripted/store", ""),
        (NEBIUS | {"WORKER_BASE_URL": SERVER}, {}, "scripted/store", ""),
        # recorded replies fit a run as shipped
        ({}, {}, "recorded/store", ""),
        ({}, {"jobs": 2, "tasks": ("a",)}, "recorded/store", ""),
        ({}, {"benchmark": "company"}, "recorded/company", ""),
        ({}, {"evaluator": "scripted/store"}, "scripted/store", ""),
        *(
            ({}, changed, "scripted/store", "")
            for changed in (
                {"strategy": "next-step"}, {"prompts": Path("mine")}, {"stages": "none"},
                {"guards": "none"}, {"pack": Path("own.json")}, {"max_turns": 3},
                {"faults": "acknowledgement"},
            )
        ),
    ],
)  # fmt: skip
def test_who_plays_where_not_everybody_is_named(
    monkeypatch: pytest.MonkeyPatch,
    env: dict[str, str],
    asked: dict[str, Any],
    evaluator: str,
    worker: str,
) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    options, notice = with_models(Options.model_validate(asked))
    assert (options.evaluator, options.worker) == (evaluator, worker or evaluator)
    is_reference = REFERENCE in evaluator
    assert (f"{evaluator}; --evaluator scripted/store plays" in notice) is is_reference
    assert "some-key" not in notice


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
    check(real=True, **{**asked, "evaluator": "openai/x", "worker": "openai/y"})


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
    ("asked", "why"),
    [
        ({"evaluator": "openai/x", "worker": "scripted/store"}, "all roles or none"),
        ({"worker": "openai/x"}, "all roles or none"),
        ({"evaluator": "canned/x", "worker": "openai/x"}, "all roles or none"),
        ({"evaluator": "scripted/company"}, "plays --benchmark company"),
        ({"evaluator": "faulty/company?rate=0.1"}, "plays --benchmark company"),
        ({"evaluator": "recorded/company"}, "plays --benchmark company"),
        ({"evaluator": "scripted/literal", "benchmark": "erc3-dev"}, "plays --benchmark store"),
    ],
)
def test_a_scripted_model_plays_all_roles_of_its_benchmark_or_none(
    asked: dict[str, str], why: str
) -> None:
    with pytest.raises(Usage, match=why):
        run_models(Options.model_validate(asked))


def test_it_is_refused_before_anything_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform_of: Any, shop_json: Any
) -> None:
    simulator = platform_of(shop_json())
    monkeypatch.chdir(tmp_path)
    env = {"ERC3_API_KEY": "key-mine", "ERC3_BASE_URL": simulator.base_url}
    done = type_words("--real", "--yes", **env)
    assert done.exit_code == 2, done.output
    assert "scripted model" in done.stderr
    assert not [*simulator.platform.sessions, *tmp_path.iterdir()]


@pytest.mark.parametrize("model", ["recorded/store", "scripted/store"])
def test_a_fork_is_played_by_the_models_of_its_run(tmp_path: Path, model: str) -> None:
    words = ["--task", "required_coupon_works", "--out", tmp_path, "--json"]
    assert type_words(*words, "--evaluator", model).exit_code == 0
    done = type_words(*words, "--fork", "latest", "--turn", "2")
    assert (done.exit_code, f'"evaluator": "{model}"' in done.stdout) == (0, True), done.output
    assert '"score": 1.0' in done.stdout
