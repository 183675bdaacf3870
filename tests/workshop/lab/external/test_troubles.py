"""An agent that hangs, dies, forgets or repeats is named, and nothing is made up for it."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from typer.testing import CliRunner

from cli.cli import app
from tests.kit.records import results_at

ROOT = Path(__file__).parents[4]
PackFile = Callable[..., Path]


def gone(*pids: int) -> bool:
    """Whether these processes come to their end; a killed one may be about to."""
    until = time.monotonic() + 60
    while any(map(alive, pids)) and time.monotonic() < until:
        time.sleep(0.02)
    return not any(map(alive, pids))


def alive(pid: int) -> bool:
    # Nobody may have asked yet how it ended.
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def unknown(task: Any) -> bool:
    """Whether nothing is claimed of a task that nobody has judged."""
    return task.score is None and task.eval_log == "" and not task.passed and task.failed


@pytest.mark.promise("what comes from outside is bounded")
def test_an_agent_that_hangs_is_ended_with_all_that_it_has_started(
    regress: Any, agent: Any, pack_file: PackFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workshop.agent_adapter.process.GRACE_SECONDS", 0.5)
    pids = tmp_path / "pids"
    command = agent(
        f"""
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen(["sleep", "300"])
open({str(pids)!r}, "w").write(f"{{os.getpid()}} {{child.pid}}")
session, tasks = begin()
play(tasks[0])
post("/tasks/start", task_id=tasks[1]["task_id"])
print("about to hang", file=sys.stderr, flush=True)
while True:
    post("/store/" + tasks[1]["task_id"] + "/basket/view")
    time.sleep(0.05)
"""
    )
    run = regress(command, "--pack", pack_file(3), "--agent-timeout", 3)
    assert run.code == 2, run.output
    end = "the agent ended early and left 2 tasks open (agent 1: it neither started nor completed"
    assert end in run.text
    first, second, third = run.results.tasks
    assert (first.score, first.failure) == (1.0, None)
    assert (unknown(second), second.failure) == (True, "limit")
    assert (unknown(third), third.failure) == (True, "limit")
    assert "never completed it and was stopped" in (second.error or "")
    assert "never began it and was stopped" in (third.error or "")
    assert second.task_id.startswith("tsk-")
    assert second.requests > 1
    assert not run.results.submitted
    (record,) = run.records
    assert record.ended_by == "it neither started nor completed a task for 3 s"
    assert record.last_words == ("about to hang",)
    assert (record.never_begun, record.never_completed) == (("s002",), ("s001",))
    assert "was ended after" in run.text
    assert "never submitted: 1 session (ssn-" in run.text
    assert gone(*map(int, pids.read_text().split()))


def test_an_agent_that_dies_keeps_what_it_played(
    regress: Any, agent: Any, pack_file: PackFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "sk-very-secret-0123456789abcdef"
    monkeypatch.setenv("SOME_API_KEY", secret)
    command = agent(
        """
session, tasks = begin()
play(tasks[0])
post("/tasks/start", task_id=tasks[1]["task_id"])
post("/store/" + tasks[1]["task_id"] + "/basket/add", sku="tea", quantity=1)
print("the key is", os.environ["SOME_API_KEY"], file=sys.stderr)
print("\\x1b[31mno more\\x1b[0m", file=sys.stderr)
sys.exit(3)
"""
    )
    run = regress(command, "--agent-key", "SOME_API_KEY", "--pack", pack_file(3))
    assert run.code == 2, run.output
    assert "the agent ended early and left 2 tasks open (agent 1: exit code 3)" in run.text
    first, second, third = run.results.tasks
    assert first.passed
    assert (unknown(second), second.failure, second.requests) == (True, "agent", 1)
    assert second.error == "the agent died (exit code 3) before it completed it"
    assert (unknown(third), third.failure) == (True, "agent")
    assert third.error == "the agent died (exit code 3) before it began it"
    assert not second.infrastructure_failure  # it is the agent's own fault
    (record,) = run.records
    assert (record.exit, record.failed, record.ended_by) == ("exit code 3", True, None)
    assert record.last_words[0] == "the key is [redacted]"
    assert "died after" in run.text
    assert "the key is [redacted]" in run.text
    assert "\x1b[31m" not in run.output
    files = [path for path in run.folder.rglob("*") if path.is_file()]
    assert not [path for path in files if secret.encode() in path.read_bytes()]
    assert run.summary.failures == {"agent": 2}


def test_what_is_done_in_a_task_that_was_left_is_harm_of_which_nobody_knows(
    regress: Any, agent: Any, pack_file: PackFile
) -> None:
    command = agent(
        'session, tasks = begin()\npost("/tasks/start", task_id=tasks[0]["task_id"])\n'
        "work(tasks[0])\n"
    )
    run = regress(command, "--pack", pack_file(1))
    (task,) = run.results.tasks
    assert (task.acts, task.harm, task.score) == (1, None, None)


def test_what_runs_on_in_the_background_ends_with_the_command(
    regress: Any, agent: Any, good: str, pack_file: PackFile, tmp_path: Path
) -> None:
    pid = tmp_path / "pid"
    left = f"(trap '' TERM HUP; echo $$ > /dev/null; exec sleep 300) & echo $! > {pid}"
    run = regress(f"{agent(good)}; {left}", "--pack", pack_file(1))
    assert run.code == 0, run.output
    assert gone(int(pid.read_text()))


def test_the_agent_has_the_environment_of_the_shell_and_no_more(
    regress: Any,
    agent: Any,
    good: str,
    pack_file: PackFile,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ERC3_API_KEY", "key-of-the-real-platform-1234")
    monkeypatch.setenv("ERC3_BASE_URL", "https://real.example")
    monkeypatch.setenv("OF_THE_SHELL", "yes")
    # What the file sets stays in our environment until the test is over.
    monkeypatch.setenv("ONLY_IN_FILE", "")
    monkeypatch.delenv("ONLY_IN_FILE")
    (tmp_path / ".env").write_text("ONLY_IN_FILE=only-in-the-file\n", encoding="utf-8")
    print_all = 'print(json.dumps(dict(os.environ)), flush=True)\nprint(sys.stdin.read() == "")\n'
    run = regress(agent(print_all + good), "--pack", pack_file(1))
    assert run.code == 0, run.output
    assert os.environ["ONLY_IN_FILE"] == "only-in-the-file"
    environment, stdin = (run.folder / "agent" / "1.out").read_text().splitlines()
    variables = json.loads(environment)
    assert variables["OF_THE_SHELL"] == "yes"
    assert "ONLY_IN_FILE" not in variables
    assert variables["ERC3_API_KEY"] == "[redacted]"
    assert variables["ERC3_BASE_URL"].startswith("http://127.0.0.1:")
    assert stdin == "True"


def test_an_interrupt_ends_the_agent_and_keeps_what_was_played(
    agent: Any, pack_file: PackFile, tmp_path: Path
) -> None:
    pids, logs = tmp_path / "pids", tmp_path / "logs"
    command = agent(
        f"""
open({str(pids)!r}, "a").write(f"{{os.getpid()}}\\n")
session, tasks = begin()
for task in tasks:
    if task["spec_id"] == "s002" and len(tasks) > 2:
        post("/tasks/start", task_id=task["task_id"])
        open({str(tmp_path / "asleep")!r}, "w").close()
        time.sleep(300)
    play(task)
post("/sessions/submit", session_id=session)
"""
    )
    words = [sys.executable, "submission.py", "regress"]
    options = ["--agent", command, "--pack", str(pack_file(4)), "--out", str(logs)]
    process = subprocess.Popen(
        [*words, *options],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        until = time.monotonic() + 100
        while time.monotonic() < until and not (
            (tmp_path / "asleep").exists() and list(logs.glob("*/tasks/s001.jsonl"))
        ):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=100)
    finally:
        process.kill()
    assert process.returncode == 2, output
    assert "interrupted; resume: " in " ".join(output.split())
    assert gone(int(pids.read_text()))
    (folder,) = logs.iterdir()
    before = results_at(folder)
    assert [task["failure"] for task in before["tasks"]] == [None, None, *["interrupted"] * 2]
    assert [task["score"] for task in before["tasks"]] == [1.0, 1.0, None, None]
    assert before["finished"] is None
    assert (folder / "report.html").exists()

    again = subprocess.run(
        [*words, "--resume", str(folder)], cwd=ROOT, capture_output=True, text=True, timeout=100
    )
    assert again.returncode == 0, again.stdout + again.stderr
    after = results_at(folder)
    assert [task["score"] for task in after["tasks"]] == [1.0] * 4
    assert after["tasks"][:2] == before["tasks"][:2]
    assert after["finished"]
    attempts = (folder / "tasks" / "s002.jsonl").read_text().count('"type": "task"')
    assert attempts == 2


@pytest.mark.promise("no secret in an output")
def test_a_secret_in_the_command_is_not_kept_and_such_a_run_does_not_go_on(
    regress: Any, agent: Any, pack_file: PackFile
) -> None:
    secret = "sk-0123456789abcdef0123456789abcdef"
    command = f"{agent('sys.exit(sys.argv[1] != ' + repr(secret) + ')')} {shlex.quote(secret)}"
    run = regress(command, "--pack", pack_file(1))
    assert run.records[0].exit == "exit code 0"  # it had the secret
    files = [path for path in run.folder.rglob("*") if path.is_file()]
    assert not [path for path in files if secret.encode() in path.read_bytes()]
    again = CliRunner().invoke(app, ["regress", "--resume", str(run.folder)])
    assert again.exit_code == 2
    assert "secrets are not stored" in again.stderr


@pytest.mark.promise("what comes from outside is bounded")
def test_last_words_and_names_of_models_are_short_however_long_they_were(
    regress: Any, agent: Any, pack_file: PackFile
) -> None:
    loud = """
session, tasks = begin()
post("/tasks/start", task_id=tasks[0]["task_id"])
for number in range(50):
    told = {"task_id": tasks[0]["task_id"], "model": "m" * 100_000 + str(number)}
    post("/tasks/log", **told, duration_sec=0.5, completion="")
for _ in range(9):
    print("x" * 1_000_000, file=sys.stderr)
sys.exit(3)
"""
    run = regress(agent(loud), "--pack", pack_file(2))
    (record,) = run.records
    assert len(record.last_words) == 5
    assert max(map(len, record.last_words)) <= 501
    assert sum(map(len, record.models)) <= 2_000
    assert len(run.output) < 20_000


def test_an_agent_cannot_list_or_begin_what_another_one_plays(
    regress: Any, agent: Any, pack_file: PackFile, tmp_path: Path
) -> None:
    nosy = f"""
import pathlib
import urllib.parse
here = pathlib.Path({str(tmp_path)!r})
mine = os.environ["ERC3_BASE_URL"] + " " + os.environ["ERC3_API_KEY"]
session, tasks = begin()
(here / f"of-{{session}}").write_text(mine)
while len(others := [p.read_text() for p in here.glob("of-*")]) < 2:
    time.sleep(0.02)
((url, key),) = [other.split() for other in others if other != mine]
assert key != os.environ["ERC3_API_KEY"]
def refused(path, **body):
    try:
        urllib.request.urlopen(urllib.request.Request(url + path, json.dumps(body).encode()))
    except urllib.error.HTTPError as error:
        return error.code
own = os.environ["ERC3_API_KEY"]
codes = [
    refused("/sessions/search", account_key=own),
    refused("/sessions/start", account_key=own, benchmark="store", workspace="w"),
]
(here / f"codes-{{session}}").write_text(json.dumps(codes))
for task in tasks:
    play(task)
post("/sessions/submit", session_id=session)
"""
    run = regress(agent(nosy), "--pack", pack_file(2), "--agents-side-by-side", 2)
    assert run.code == 0, run.output
    codes = [json.loads(path.read_text()) for path in tmp_path.glob("codes-*")]
    assert codes == [[400, 400]] * 2
