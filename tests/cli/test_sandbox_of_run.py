"""Which sandbox a run had is a fact of the run: said at its start, recorded, and compared."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from core.runs.manifest import read_manifest
from core.runs.results import read_results
from tests.kit.commands import NEEDS_CODE, type_words, write_pack
from tests.worker.sandbox.kinds import KINDS
from worker.sandbox.contract import SandboxKind
from workshop.views.report.differences import differences

Call = Callable[..., Result]
SAID = {
    "landlock": "sandbox: full Python, isolated by Landlock",
    "monty": "warning: sandbox: monty, a subset of Python",
}
OTHER = {"landlock": "monty", "monty": "landlock"}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> SandboxKind:
    kind: SandboxKind = request.param
    monkeypatch.setenv("WORKER_SANDBOX", kind)
    return kind


@pytest.fixture
def call(tmp_path: Path, shop_json: Any, monkeypatch: pytest.MonkeyPatch) -> Call:
    """The command line in a folder with a pack of two tasks."""
    monkeypatch.chdir(tmp_path)
    tea = shop_json(spec_id="tea", task_text="Buy 2x Green Tea", **NEEDS_CODE)
    write_pack(Path("pack.json"), tea, shop_json(spec_id="no", task_text="Buy 1x helicopter"))
    return type_words


def folder() -> Path:
    return max(Path("logs").iterdir(), key=lambda path: path.stat().st_mtime_ns)


def elsewhere(run: Path, kind: str) -> None:
    """The records of a run as a machine with another sandbox would have made them."""
    for path in (run / "run.json", run / "results.jsonl", *run.glob("tasks/*.jsonl")):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(f'"{kind}"', f'"{OTHER[kind]}"'), encoding="utf-8")


def test_a_kind_that_is_asked_for_and_missing_refuses_the_start(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.sandbox.isolation.probe_landlock", lambda: "no such call")
    monkeypatch.setenv("WORKER_SANDBOX", "landlock")
    done = call("--pack", "pack.json")
    assert done.exit_code == 1
    assert "WORKER_SANDBOX=landlock" in done.stderr
    assert "no such call" in done.stderr
    assert not Path("logs").exists()


def test_a_strategy_without_code_has_none(call: Call) -> None:
    call("--pack", "pack.json", "--strategy", "next-step")
    assert read_manifest(folder()).sandboxes == ()


def test_it_is_said_and_recorded_and_differs_between_two_runs(
    call: Call, kind: SandboxKind
) -> None:
    done = call("--pack", "pack.json")
    assert SAID[kind] in done.stderr.splitlines()[0]
    first = folder()
    assert read_manifest(first).sandboxes == read_results(first).sandboxes == (kind,)
    second = Path(shutil.copytree(first, "others/second"))
    elsewhere(second, kind)
    compared = {c.what: (c.was, c.now) for c in differences(first, second).changes}
    assert compared["sandbox"] == (kind, OTHER[kind])
    done = call("compare", first, second)
    assert f"different sandbox: A {kind}; B {OTHER[kind]}" in done.stdout


def test_a_resumption_elsewhere_says_so(
    call: Call, kind: SandboxKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr("worker.sandbox.monty.pool", gone)
        broken.setattr("worker.sandbox.process.fork_server", gone)
        broken.setattr("cli.run.check_sandbox", lambda *_: None)
        call("--pack", "pack.json")
    run = folder()
    failed = {t.spec_id: (t.outcome, t.failure, t.acts) for t in read_results(run).tasks}
    assert failed["tea"] == ("error", "internal", 0)
    elsewhere(run, kind)
    done = call("--resume", run)
    assert {task.score for task in read_results(run).tasks} == {1.0}
    text = f"note: its code previously ran in {OTHER[kind]} and now runs in {kind}"
    assert text in " ".join((done.stdout + done.stderr).split())
    assert read_manifest(run).sandboxes == read_results(run).sandboxes == (OTHER[kind], kind)


def gone(*_: object) -> None:
    raise OSError(errno.EMFILE, "Too many open files")


def test_results_that_find_no_room_name_the_folder_and_the_way_on(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr("coordinator.session.ResultsFile.append", full)
        done = call("--pack", "pack.json")
    assert done.exit_code == 1
    assert f"error: stopped: the run in {folder()} cannot continue: No space left" in done.stderr
    assert f"submission.py --resume {folder()}\n" in done.stderr
    assert call("--resume", folder()).exit_code == 0
    assert {task.score for task in read_results(folder()).tasks} == {1.0}


def test_a_fork_elsewhere_says_so(
    call: Call, kind: SandboxKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    call("--pack", "pack.json")
    run = folder()
    with monkeypatch.context() as bare:
        bare.setenv("WORKER_SANDBOX", "auto")
        bare.setattr("worker.sandbox.isolation.probe_landlock", lambda: "no such call")
        done = call("debug", run, "--task", "tea", "--turn", "1")
    # Code of full Python is not shown as a failure of Monty.
    assert done.exit_code == (2 if kind == "landlock" else 0)
    assert ("no such call" in done.stderr) == (kind == "landlock")
    elsewhere(run, kind)
    words = ["--fork", run, "--task", "tea", "--turn", "2", "--pack", "pack.json", "--out", "forks"]
    done = call(*words)
    assert f"now runs in {kind}" in " ".join((done.stdout + done.stderr).split())
    (fork,) = Path("forks").iterdir()
    assert read_manifest(fork).sandboxes == (kind,)


def test_a_lab_run_says_and_records_it(call: Call, kind: SandboxKind) -> None:
    done = call("regress", "--pack", "pack.json", "--jobs", "1")
    assert done.exit_code == 0
    assert SAID[kind] in done.stderr
    assert f"sandbox: {kind}" in done.stdout
    assert read_manifest(folder()).sandboxes == (kind,)
