"""Small agents that speak to the platform over plain HTTP, each with what is amiss with it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.cli import app
from core.runs.manifest import Manifest, read_manifest
from core.runs.results import RunResults, TaskResult, read_results
from core.runs.summary import Summary, summary_of
from tests.workshop.agent_adapter.conftest import company_file, their_python  # noqa: F401
from tests.workshop.lab.conftest import pack_file  # noqa: F401
from workshop.agent_adapter.session import AgentSessionRecord, records_of

HEAD = """
import json, os, signal, subprocess, sys, time, urllib.error, urllib.request

def post(path, **body):
    url, data = os.environ["ERC3_BASE_URL"] + path, json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data)) as answer:
        return json.load(answer)

def begin():
    asked = {"benchmark": "store", "workspace": "w", "account_key": os.environ["ERC3_API_KEY"]}
    session = post("/sessions/start", **asked)["session_id"]
    return session, post("/sessions/status", session_id=session)["tasks"]

def work(task, usage={"prompt_tokens": 100, "completion_tokens": 10}):
    here = "/store/" + task["task_id"]
    if "Green Tea" in task["task_text"]:
        post(here + "/basket/add", sku="tea", quantity=2)
        post(here + "/basket/checkout")
    told = {"task_id": task["task_id"], "model": "openai/gpt-4o-mini", "duration_sec": 0.5}
    post("/tasks/log", **told, completion="done", **usage)

def play(task):
    post("/tasks/start", task_id=task["task_id"])
    work(task)
    post("/tasks/complete", task_id=task["task_id"])

"""
GOOD = """
session, tasks = begin()
for task in tasks:
    play(task)
post("/sessions/submit", session_id=session)
"""


class PlayedTask:
    """A run of an agent, as it lies on the disk, and what the terminal has shown."""

    def __init__(self, code: int, output: str, logs: Path) -> None:
        self.code, self.output, self.logs = code, output, logs

    @property
    def text(self) -> str:
        """The output on one line."""
        return " ".join(self.output.replace("│", " ").split())

    @property
    def folder(self) -> Path:
        # Two runs of one second are in no order by name.
        return max(self.logs.iterdir(), key=lambda run: run.stat().st_ctime_ns)

    @property
    def results(self) -> RunResults:
        return read_results(self.folder)

    @property
    def tasks(self) -> dict[str, TaskResult]:
        return {task.spec_id: task for task in self.results.tasks}

    @property
    def records(self) -> list[AgentSessionRecord]:
        return records_of(self.folder)

    @property
    def manifest(self) -> Manifest:
        return read_manifest(self.folder)

    @property
    def summary(self) -> Summary:
        """What the agent has come to."""
        return summary_of("agent", self.results.tasks)


@pytest.fixture(autouse=True)
def looked_after_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an agent does is seen at once."""
    monkeypatch.setattr("workshop.lab.agents.LOOK_SECONDS", 0.02)


@pytest.fixture
def agent(tmp_path: Path) -> Callable[[str], str]:
    """The command of an agent that does what the text says."""

    def write(text: str) -> str:
        path = tmp_path / f"agent{len(list(tmp_path.glob('agent*.py')))}.py"
        path.write_text(HEAD + text, encoding="utf-8")
        return shlex.join([sys.executable, str(path)])

    return write


@pytest.fixture
def regress(tmp_path: Path) -> Callable[..., PlayedTask]:
    """Plays a command, in a folder of its own for each test."""

    def play(command: str, *options: object) -> PlayedTask:
        logs = tmp_path / "logs"
        words = ["regress", "--agent", command, "--out", logs, *options]
        done = CliRunner().invoke(app, [str(word) for word in words])
        return PlayedTask(done.exit_code, done.output, logs)

    return play


@pytest.fixture
def good() -> str:
    """An agent that does everything right."""
    return GOOD
