"""Every command that opens a run opens an agent's, or says in one line what it needs."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner, Result

from cli.cli import app
from core.runs.find import run_folders
from workshop.views.live import build_app

FAILED = "s002"
OPENS = (
    (("show", "RUN"), 0, "score 0.500"),
    (("show", "RUN", "--failed"), 0, FAILED),
    (("show", "RUN", "--task", FAILED), 0, "Requests seen by the platform"),
    (("show", "RUN", "--json"), 0, '"format": "run-results/3"'),
    (("report", "RUN"), 0, "report.html"),
    (("report", "latest~1", "RUN"), 0, "report-beside"),
    (("compare", "latest~1", "RUN"), 3, "NOT ENOUGH DATA"),
    (("stats", "RUN"), 0, "2/4"),
    (("--resume", "RUN"), 0, "journals and results"),
    (("regress", "--resume", "RUN"), 0, "journals and results"),
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


@pytest.fixture(params=["agent", "regress --agent"])
def logs(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    agent: Callable[[str], str],
    pack_file: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """A plain run, and one of an agent that buys nothing, where two of four tasks want to."""
    monkeypatch.chdir(tmp_path)
    pack = pack_file(4)
    assert call("--pack", pack, "--quiet").exit_code == 0
    if request.param == "agent":
        words = ("agent", "--pack", pack, "--name", "mine", "--", *shlex.split(agent(IDLE)))
    else:
        words = ("regress", "--pack", pack, "--name", "mine", "--agent", agent(IDLE))
    done = call(*words)
    assert done.exit_code == 0, done.output
    return tmp_path / "logs"


def test_every_command_opens_an_agents_run_or_says_what_it_needs(logs: Path) -> None:
    for words, code, said in OPENS:
        done = call(*("mine" if word == "RUN" else word for word in words))
        assert done.exit_code == code, (words, done.output)
        assert said in " ".join(done.output.split()), (words, done.output)
        if code == 2:
            (error,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
            assert said in error
    assert call("show").output == call("show", "latest").output == call("show", "mine").output


def test_an_agents_run_stands_in_the_list_and_has_pages(logs: Path) -> None:
    client = TestClient(build_app(logs), base_url="http://127.0.0.1")
    (name,) = [folder.name for folder in run_folders(logs)][:1]
    assert "mine" in client.get("/").text
    assert FAILED in client.get(f"/runs/{name}/").text
    page = client.get(f"/runs/{name}/tasks/{FAILED}")
    assert (page.status_code, "/tasks/log" in page.text) == (200, True)
