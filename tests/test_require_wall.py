"""Runs on machines with and without an operating-system wall around the sandbox."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from launch.cli import app
from worker import sandbox
from worker.sandbox.walls import WallReport

Call = Callable[..., Result]
NO_WALL = WallReport(monty=False, process=False, missing="bubblewrap not found")
WALL = WallReport(monty=True, process=False, missing="no filter")


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


def test_a_wall_can_be_required(call: Call, pack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = ["--pack", pack, "--task", "shop", "--json", "--require-wall"]
    monkeypatch.setattr(sandbox, "walls", lambda: NO_WALL)
    done = call(*run)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "--require-wall" in done.stderr
    assert "bubblewrap not found" in done.stderr
    assert not list(pack.parent.glob("logs/*"))
    monkeypatch.setattr(sandbox, "walls", lambda: WALL)
    assert call(*run).exit_code == 0


@pytest.mark.parametrize("found", [NO_WALL, WALL])
def test_a_missing_wall_is_warned_of_also_with_json(
    call: Call, pack: Path, monkeypatch: pytest.MonkeyPatch, found: WallReport
) -> None:
    monkeypatch.setattr(sandbox, "walls", lambda: found)
    done = call("--pack", pack, "--task", "shop", "--json")
    assert done.exit_code == 0
    json.loads(done.stdout)
    line = "warning: sandbox: monty without an operating-system wall (bubblewrap not found)\n"
    assert (line in done.stderr) == (not found.complete)
