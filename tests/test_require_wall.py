"""Runs on machines with and without an operating-system wall around the sandbox."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from cli.cli import app
from core.runs.manifest import Identity, Manifest
from tests.kit.commands import type_words, write_pack
from tests.worker.sandbox.kinds import STANDING

Call = Callable[..., Result]
PROBE = "worker.sandbox.isolation.probe_landlock"
"""What tries the isolation out: its text says why it does not count."""


@pytest.fixture
def call(tmp_path: Path, shop_json: Any, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Plays one task in an empty folder."""
    monkeypatch.chdir(tmp_path)
    write_pack(tmp_path / "pack.json", shop_json(task_text="Buy 1x helicopter"))
    return partial(type_words, "--pack", "pack.json", "--json")


@pytest.mark.promise("generated code is contained")
def test_a_wall_can_be_required(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as bare:
        bare.setattr(PROBE, lambda: "no such call")
        done = call("--require-wall")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "--require-wall" in done.stderr
    assert "no such call" in done.stderr
    assert not Path("logs").exists()
    for kind in STANDING:
        monkeypatch.setenv("WORKER_SANDBOX", kind)
        assert call("--require-wall").exit_code == 0
    monkeypatch.setenv("WORKER_SANDBOX", "monty")
    assert call("--require-wall").exit_code == 1


@pytest.mark.parametrize("kind", [*STANDING, None])
def test_a_missing_isolation_is_warned_of_also_with_json(
    call: Call, monkeypatch: pytest.MonkeyPatch, kind: str | None
) -> None:
    if kind is None:
        monkeypatch.setattr(PROBE, lambda: "no such call")
    else:
        monkeypatch.setenv("WORKER_SANDBOX", kind)
    done = call()
    assert done.exit_code == 0
    json.loads(done.stdout)
    warned = any(
        line.startswith("warning: sandbox: monty") and "no such call" in line
        for line in done.stderr.splitlines()
    )
    assert warned == (kind is None)


@pytest.mark.promise("generated code is contained")
@pytest.mark.parametrize(
    ("typed", "chosen", "plays"),
    [(None, "auto", False), ("n\n", "auto", False), ("", "auto", False), ("y\n", "auto", True),
     (None, "monty", True)],
)  # fmt: skip
def test_a_real_session_is_played_in_monty_only_by_consent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str | None, chosen: str, plays: bool
) -> None:
    """Without an account key a run that may play ends one check later, at the missing key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(PROBE, lambda: "no such call")
    monkeypatch.setattr("cli.run.at_terminal", lambda: typed is not None)
    monkeypatch.delenv("ERC3_API_KEY", raising=False)
    env = {"WORKER_SANDBOX": chosen, "EVALUATOR_BASE_URL": "http://127.0.0.1:9/v1"}
    words = ["--real", "--evaluator", "openai/x", "--no-preflight"]
    done = CliRunner().invoke(app, words, env=env, input=typed)
    assert done.exit_code == 1
    assert ("ERC3_API_KEY" in done.stderr) == plays
    assert ("nothing was played" in done.stderr or "no terminal" in done.stderr) != plays
    assert plays or not (tmp_path / "logs").exists()


def test_only_a_session_whose_code_runs_is_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(PROBE, lambda: "no such call")
    monkeypatch.setenv("WORKER_SANDBOX", "auto")

    def is_asked(*words: str) -> bool:
        done = CliRunner().invoke(app, [*words, "--no-preflight"])
        assert done.exit_code == 1
        return "asks before it plays in Monty" in done.stderr

    def stored(name: str, **options: object) -> str:
        folder = tmp_path / name
        folder.mkdir()
        Manifest(
            run_id=name, created="now", benchmark="store", identity=Identity(), options=options
        ).write(folder)
        return str(folder)

    assert is_asked("--real", "--evaluator", "openai/x")
    assert not is_asked("--real", "--evaluator", "openai/x", "--strategy", "next-step")
    assert is_asked("--resume", stored("coded", real=True))
    assert not is_asked("--resume", stored("typed", real=True, strategy="next-step"))
    assert not is_asked("--resume", stored("simulated"))
