"""Every command that opens a run opens one of the lab and an agent's, or says what it needs."""

from __future__ import annotations

import shlex
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
OF_ALL = (
    (("show", "RUN", "--failed"), 0, FAILED),
    (("show", "RUN", "--json"), 0, '"format": "run-results/3"'),
    (("report", "RUN"), 0, "report.html"),
    (("report", "latest~1", "RUN"), 0, "report-beside"),
    (("compare", "latest~1", "RUN"), 3, "NOT ENOUGH DATA"),
    (("regress", "--resume", "RUN"), 0, "journals and results"),
    (("--resume", "RUN"), 0, "journals and results"),
)
OF_THE_LAB = (
    (("show", "RUN", "--task", FAILED), 0, "Turn 1"),
    (("show", "RUN", "--task", "s001"), 0, "no journal of it was kept"),
    (("stats", "RUN"), 0, "2/4"),
    (("debug", "RUN"), 0, f"{FAILED}, turn"),
    (("replay", "RUN"), 0, "equal"),
    (("minimise", "--run", "RUN", "--spec", FAILED), 0, f"{FAILED}-small.json"),
    (("--fork", "RUN", "--task", FAILED, "--turn", "1"), 0, "forked at turn 1"),
)
OF_AN_AGENT = (
    (("show", "RUN", "--task", FAILED), 0, "Requests seen by the platform"),
    (("stats", "RUN"), 0, "2/4"),
    (("debug", "RUN"), 2, "none of its failed tasks ran any code"),
    (("replay", "RUN"), 2, "its code is not recorded"),
    (("minimise", "--run", "RUN", "--spec", FAILED), 2, "nothing shrinks it"),
    (("--fork", "RUN", "--task", FAILED, "--turn", "1"), 2, "recorded turns: none"),
)
IDLE = """
session, tasks = begin()
for task in tasks:
    post("/tasks/start", task_id=task["task_id"])
    told = {"task_id": task["task_id"], "model": "openai/gpt-4o-mini", "duration_sec": 0.5}
    post("/tasks/log", **told, completion="done", prompt_tokens=1, completion_tokens=1)
    post("/tasks/complete", task_id=task["task_id"])
post("/sessions/submit", session_id=session)
"""


def call(*words: object) -> Result:
    done = CliRunner().invoke(app, [str(word) for word in words], input="q\n")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


@pytest.fixture(params=["regress", "regress --agent", "agent"])
def played(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    agent: Callable[[str], str],
    pack_file: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> str:
    """By which command a run in ``logs`` was played, in which two of four tasks fail; beside it
    there is a plain one."""
    monkeypatch.chdir(tmp_path)
    pack = pack_file(4, code="TEN")
    assert call("--pack", pack, "--quiet").exit_code == 0
    words = [request.param.partition(" ")[0], "--pack", pack, "--name", "mine"]
    words += {
        "regress": ["--jobs", 1, "--max-turns", 1],
        "regress --agent": ["--agent", agent(IDLE)],
        "agent": ["--", *shlex.split(agent(IDLE))],
    }[request.param]
    done = call(*words)
    assert done.exit_code == 0, done.output
    return str(request.param)


def test_every_command_opens_it_or_says_what_it_needs(played: str) -> None:
    client = TestClient(build_app(Path("logs")), base_url="http://127.0.0.1")
    folder = run_folders(Path("logs"))[0]
    assert "mine" in client.get("/").text
    assert FAILED in client.get(f"/runs/{folder.name}/").text
    page = client.get(f"/runs/{folder.name}/tasks/{FAILED}").text
    assert ("Turn 1" if played == "regress" else "/tasks/log") in page
    names = ("mine", "latest", folder.name, str(folder))
    assert len({call("show", name).output for name in names}) == 1
    for words, code, said in (*OF_ALL, *(OF_THE_LAB if played == "regress" else OF_AN_AGENT)):
        done = call(*("mine" if word == "RUN" else word for word in words))
        assert done.exit_code == code, (words, done.output)
        assert said in " ".join(done.output.split()), (words, done.output)
        if code == 2:
            (error,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
            assert said in error


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


def test_an_interrupted_lab_run_shows_what_it_has_played_and_goes_on(
    tmp_path: Path, pack_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from workshop.lab import engines

    played: Any = engines.Here.work

    def interrupted(self: Any, jobs: Any) -> Any:
        yield next(played(self, jobs))
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(engines.Here, "work", interrupted)
        done = call("regress", "--pack", pack_file(12, "q"), "--jobs", 1)
    assert done.exit_code == 2
    assert "interrupted; resume: " in done.output
    assert "10 tasks" in call("show", "latest").output
    assert call("--resume", "latest").exit_code == 0
    assert "12 tasks" in call("show", "latest").output
    assert call("--pack", pack_file(2), "--quiet").exit_code == 0
    done = call("regress", "--resume", "latest")
    assert (done.exit_code, "was played as one session" in done.output) == (2, True)
