"""One process a run folder, and a lock that dies with its process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from core.runs.errors import CannotRun
from core.runs.folder import NAME, held, run_folder

HOLDER = """
import sys, subprocess
from pathlib import Path
from core.runs.folder import held
with held(Path(sys.argv[1])):
    program = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    child = subprocess.Popen(program, stdin=subprocess.PIPE)
    print("held", child.pid, flush=True)
    sys.stdin.read()
"""


@pytest.mark.promise("one process plays a run")
def test_a_second_process_is_told_who_holds_it_and_a_dead_one_holds_nothing(
    tmp_path: Path,
) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3],
    )  # fmt: skip
    assert holder.stdout is not None
    assert holder.stdin is not None
    child = int(holder.stdout.readline().split()[1])
    with pytest.raises(CannotRun, match=rf"already running \(pid {holder.pid}\)"), held(tmp_path):
        pass
    holder.kill()
    holder.wait()
    # Its child lives on for now, and does not have the lock.
    os.kill(child, 0)
    with held(tmp_path):
        assert (tmp_path / NAME).read_text() == f"{os.getpid()}\n"
    holder.stdin.close()
    holder.stdout.close()


@pytest.mark.promise("one process plays a run")
def test_one_process_holds_it_once(tmp_path: Path) -> None:
    with held(tmp_path), pytest.raises(CannotRun, match=f"pid {os.getpid()}"), held(tmp_path):
        pass
    with held(tmp_path):
        pass


def test_a_folder_that_cannot_be_locked_says_why(tmp_path: Path) -> None:
    with (
        pytest.raises(CannotRun, match=r"gone/run\.lock cannot be opened"),
        held(tmp_path / "gone"),
    ):
        pass


def test_two_starts_in_one_second_get_two_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks = iter(["aaaa", *["aaaa"] * 3, "bbbb"])
    monkeypatch.setattr("core.runs.folder.secrets.token_hex", lambda _: next(marks))
    noon = SimpleNamespace(now=lambda: SimpleNamespace(strftime=lambda _: "noon"))
    monkeypatch.setattr("core.runs.folder.datetime", noon)
    with run_folder(tmp_path) as one, run_folder(tmp_path) as other:
        assert (one.name, other.name) == ("noon-aaaa", "noon-bbbb")


def test_a_folder_in_which_nothing_was_run_is_gone(tmp_path: Path) -> None:
    with run_folder(tmp_path) as folder:
        assert folder.exists()
    assert not list(tmp_path.iterdir())
    with run_folder(tmp_path) as folder:
        (folder / "run.json").write_text("{}")
    assert (folder / "run.json").exists()
