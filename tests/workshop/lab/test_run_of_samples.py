"""Every command that opens a run opens what ``regress`` leaves, by name and as ``latest``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner, Result

from cli.cli import app
from core.runs.find import run_folders
from core.runs.results import read_results
from workshop.views.live import build_app

FAILED = "s000"


def call(*words: object, typed: str = "") -> Result:
    done = CliRunner().invoke(app, [str(word) for word in words], input=typed)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


@pytest.fixture
def logs(tmp_path: Path, pack_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A plain run, and then one of the lab in which a task of two fails for want of turns."""
    monkeypatch.chdir(tmp_path)
    pack = pack_file(2, code="TWO")
    assert call("--pack", pack, "--quiet").exit_code == 0
    words = ("--pack", pack, "--jobs", 1, "--max-turns", 1, "--name", "one turn")
    done = call("regress", *words)
    assert done.exit_code == 0, done.output
    (tmp_path / "printed.txt").write_text(done.output)
    return tmp_path / "logs"


OPENS = (
    (("show", "RUN"), 0, "50"),
    (("show", "RUN", "--failed"), 0, FAILED),
    (("show", "RUN", "--task", FAILED), 0, "Turn 1"),
    (("show", "RUN", "--task", "s001"), 0, "no journal of it was kept"),
    (("report", "RUN"), 0, "report.html"),
    (("report", "latest~1", "RUN"), 0, "report-beside"),
    (("compare", "latest~1", "RUN"), 3, "NOT ENOUGH DATA"),
    (("debug", "RUN"), 0, f"{FAILED}, turn"),
    (("replay", "RUN"), 0, "equal"),
    (("stats", "RUN"), 0, "1/2"),
    (("minimise", "--run", "RUN", "--spec", FAILED), 0, f"{FAILED}-small.json"),
    (("regress", "--resume", "RUN"), 0, "journals and results"),
    (("--resume", "RUN"), 0, "journals and results"),
    (("--fork", "RUN", "--task", FAILED, "--turn", "1"), 0, "forked at turn 1"),
)


def test_every_command_opens_a_lab_run_by_any_of_its_names(logs: Path) -> None:
    folder = run_folders(logs)[0]
    for words, code, said in OPENS:
        for meant in ("latest", folder.name, "one turn", str(folder)):
            done = call(*(meant if word == "RUN" else word for word in words), typed="q\n")
            assert done.exit_code == code, (words, meant, done.output)
            assert said in done.output, (words, meant, done.output)
    assert "fork" in (run_folders(logs)[0] / "run.json").read_text()  # and latest was none of these


def test_a_lab_run_stands_in_the_list_and_has_pages(logs: Path) -> None:
    folder = run_folders(logs)[0]
    assert "one turn" in (folder / "report.html").read_text(encoding="utf-8")
    client = TestClient(build_app(logs), base_url="http://127.0.0.1")
    assert "one turn" in client.get("/").text
    assert client.get(f"/runs/{folder.name}/").status_code == 200
    for task, said in ((FAILED, "Turn 1"), ("s001", "no journal of it was kept")):
        page = client.get(f"/runs/{folder.name}/tasks/{task}")
        assert (page.status_code, said in page.text) == (200, True)


def test_journals_of_all_trials_stand_in_one_folder(
    tmp_path: Path, pack_file: Callable[..., Path]
) -> None:
    words = ("--pack", pack_file(3), "--jobs", 1, "--epochs", 2, "--keep-journals")
    assert call("regress", *words, "--out", tmp_path / "logs").exit_code == 0
    (folder,) = (tmp_path / "logs").iterdir()
    names = {path.name for path in (folder / "tasks").iterdir()}
    assert names == {f"s00{n}{again}.jsonl" for n in range(3) for again in ("", ".2")}
    results = read_results(folder).tasks
    assert {f"{one.journal}.jsonl" for one in results} == names
    assert len({one.task_id for one in results}) == 6


def test_the_wrong_kind_of_resumption_says_so(logs: Path) -> None:
    plain = run_folders(logs)[1]
    done = call("regress", "--resume", plain.name)
    assert done.exit_code == 2
    assert "was played as one session" in done.output


def test_an_interrupted_lab_run_shows_what_it_has_played(
    logs: Path, pack_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from workshop.lab import engines

    played: Any = engines.Here.work

    def interrupted(self: Any, jobs: Any) -> Any:
        for number, done in enumerate(played(self, jobs)):
            if number == 2:
                raise KeyboardInterrupt
            yield done

    monkeypatch.setattr(engines.Here, "work", interrupted)
    done = call("regress", "--pack", pack_file(12, "q"), "--jobs", 1)
    assert done.exit_code == 2
    assert "interrupted; resume: " in done.output
    shown = call("show", "latest").output
    assert "10 tasks" in shown
    monkeypatch.undo()
    monkeypatch.chdir(logs.parent)
    assert call("--resume", "latest").exit_code == 0
    assert "12 tasks" in call("show", "latest").output
