"""Runs on machines with and without an operating-system wall around the sandbox."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from cli.cli import app
from tests.worker.sandbox.kinds import STANDING

Call = Callable[..., Result]
WHY_NOT = "worker.sandbox.isolation.why_not"
"""What tries an isolation out: its text says why it does not count."""


@pytest.fixture
def pack(tmp_path: Path, shop_json: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "pack.json"
    shops = [shop_json(task_text="Buy 1x helicopter")]
    path.write_text(json.dumps({"format": "store-pack/1", "name": "one", "scenarios": shops}))
    return path


@pytest.fixture
def call(tmp_path: Path) -> Call:
    def run(*options: object) -> Result:
        words = [str(o) for o in ("--out", tmp_path / "logs", *options)]
        models = dict.fromkeys(("EVALUATOR_MODEL", "WORKER_MODEL"), "")
        return CliRunner().invoke(app, words, env=models)

    return run


@pytest.mark.promise("generated code is contained")
def test_a_wall_can_be_required(call: Call, pack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = ["--pack", pack, "--task", "shop", "--json", "--require-wall"]
    with monkeypatch.context() as bare:
        bare.setattr(WHY_NOT, lambda name: f"{name} not found")
        done = call(*run)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "--require-wall" in done.stderr
    assert "bubblewrap not found" in done.stderr
    assert not list(pack.parent.glob("logs/*"))
    for kind in STANDING:
        monkeypatch.setenv("WORKER_SANDBOX", kind)
        assert call(*run).exit_code == 0
    monkeypatch.setenv("WORKER_SANDBOX", "monty")
    assert call(*run).exit_code == 1


@pytest.mark.parametrize("kind", [*STANDING, None])
def test_a_missing_isolation_is_warned_of_also_with_json(
    call: Call, pack: Path, monkeypatch: pytest.MonkeyPatch, kind: str | None
) -> None:
    if kind is None:
        monkeypatch.setattr(WHY_NOT, lambda name: f"{name} not found")
    else:
        monkeypatch.setenv("WORKER_SANDBOX", kind)
    done = call("--pack", pack, "--task", "shop", "--json")
    assert done.exit_code == 0
    json.loads(done.stdout)
    line = (
        "warning: sandbox: monty, a subset of Python, without isolation by the operating system "
        "(bubblewrap: bubblewrap not found; landlock: landlock not found)\n"
    )
    assert (line in done.stderr) == (kind is None)
