"""A run whose sandbox cannot be had, and one that finds no room on the disk."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from cli.cli import app
from tests.kit.records import results_at

Call = Callable[..., Result]


@pytest.fixture
def call(tmp_path: Path, shop_json: Any, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Runs the command line on one task that buys."""
    monkeypatch.chdir(tmp_path)
    buy = {"checkouts": 1, "any_of": [{"items": [{"sku": "tea", "quantity": 2}]}]}
    shops = [shop_json(expect=buy)]
    pack = tmp_path / "pack.json"
    pack.write_text(json.dumps({"format": "store-pack/1", "name": "one", "scenarios": shops}))

    def run(*options: object, **env: str) -> Result:
        words = [str(o) for o in (options or ("--pack", pack))]
        models = dict.fromkeys(("EVALUATOR_MODEL", "WORKER_MODEL"), "")
        return CliRunner().invoke(app, words, env=models | env)

    return run


def folder() -> Path:
    (only,) = Path("logs").iterdir()
    return only


def task() -> dict[str, Any]:
    (only,) = results_at(folder())["tasks"]
    return dict(only)


class TestSandbox:
    def test_an_unknown_kind_is_wrong_usage(self, call: Call) -> None:
        done = call(WORKER_SANDBOX="docker")
        text = "error: WORKER_SANDBOX must be auto, landlock or monty, not 'docker'\n"
        assert (done.exit_code, done.stderr) == (2, text)
        assert not Path("logs").exists()

    def test_a_kind_that_is_asked_for_and_missing_refuses_the_start(
        self, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("worker.sandbox.isolation.probe_landlock", lambda: "no such call")
        done = call(WORKER_SANDBOX="landlock")
        assert done.exit_code == 1
        assert "WORKER_SANDBOX=landlock" in done.stderr
        assert "no such call" in done.stderr
        assert not Path("logs").exists()

    def test_one_that_gives_out_in_the_run_leaves_the_task_to_be_tried_again(
        self, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as broken:
            broken.setattr("worker.sandbox.monty.pool", gone)
            broken.setattr("worker.sandbox.process.fork_server", gone)
            call()
        failed = task()
        assert (failed["outcome"], failed["failure"]) == ("error", "internal")
        assert "sandbox could be opened: [Errno 24] Too many open files" in failed["error"]
        assert failed["acts"] == 0
        done = call("--resume", folder())
        assert done.exit_code == 0
        assert (task()["score"], task()["failure"]) == (1.0, None)


def gone(*_: object) -> None:
    raise OSError(errno.EMFILE, "Too many open files")


def test_results_that_find_no_room_name_the_folder_and_the_way_on(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr("coordinator.session.ResultsFile.append", full)
        done = call()
    assert done.exit_code == 1
    assert f"error: stopped: the run in {folder()} cannot continue: No space left" in done.stderr
    assert f"submission.py --resume {folder()}\n" in done.stderr
    assert call("--resume", folder()).exit_code == 0
    assert task()["score"] == 1.0
