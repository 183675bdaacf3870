"""`--faults` plays the same agent on a worse line: what it doubles and loses is counted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.cli import app
from core.runs.manifest import read_manifest
from core.runs.reader import read_tasks
from core.runs.results import read_results
from tests.conftest import pack_of, scenario

HEAD = """
import http.client, json, os, sys, urllib.error, urllib.request

def post(path, **body):
    url, data = os.environ["ERC3_BASE_URL"] + path, json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data)) as answer:
        return json.load(answer)

def buy():
    post(here + "/basket/add", sku="tea", quantity=2)
    post(here + "/basket/checkout")

key = os.environ["ERC3_API_KEY"]
session = post("/sessions/start", account_key=key, benchmark="store", workspace="w")["session_id"]
(task,) = post("/sessions/status", session_id=session)["tasks"]
here = "/store/" + task["task_id"]
post("/tasks/start", task_id=task["task_id"])
try:
    buy()
except (OSError, http.client.HTTPException):
    AGAIN
post("/tasks/complete", task_id=task["task_id"])
post("/sessions/submit", session_id=session)
"""
REPEATS, GIVES_UP = HEAD.replace("AGAIN", "buy()"), HEAD.replace("AGAIN", "pass")


@pytest.fixture
def played(tmp_path: Path) -> Callable[[str, str], Any]:
    """Play an agent with these faults by the command `agent`; its task as the run has it."""
    wanted = {"checkouts": 1, "any_of": [{"items": [{"sku": "tea", "quantity": 2}]}]}
    pack = tmp_path / "pack.json"
    pack.write_text(pack_of(scenario(expect=wanted)).model_dump_json())

    def play(program: str, faults: str) -> Any:
        script, logs = tmp_path / "agent.py", tmp_path / "logs"
        script.write_text(program)
        words = ["agent", "--pack", str(pack), "--out", str(logs), "--faults", faults]
        CliRunner().invoke(app, [*words, "--", "python3", str(script)])
        (folder,) = logs.iterdir()
        assert read_manifest(folder).options["faults"] == faults
        return read_results(folder).tasks[0], read_tasks(folder)[0]

    return play


@pytest.mark.parametrize(
    ("program", "faults", "counts", "passed"),
    [
        (REPEATS, "checkout:lost-after", (0, 1, 0), False),
        (REPEATS, "checkout:lost-before", (0, 0, 1), False),
        (GIVES_UP, "checkout:lost-after", (0, 0, 0), True),
        (GIVES_UP, "checkout:lost-before", (1, 0, 0), False),
        (GIVES_UP, "checkout:429", (1, 0, 0), False),
        (REPEATS, "any:twice,seed=3", (0, 0, 1), False),
    ],
)
def test_agents_that_repeat_and_that_give_up_are_told_apart(
    played: Any, program: str, faults: str, counts: tuple[int, int, int], passed: bool
) -> None:
    result, _ = played(program, faults)
    assert (result.lost, result.doubled, result.unauthorised) == counts
    assert (result.score is not None and result.score > 0) == passed


def test_a_request_has_its_fault_beside_it_and_the_answer_that_never_arrived(played: Any) -> None:
    _, record = played(REPEATS, "checkout:lost-after,add:lost-before")
    seen = [(one.path, one.fault, one.answer is None) for one in record.seen]
    assert seen == [
        ("/basket/add", "lost-before", True),
        ("/basket/add", "", False),
        ("/basket/checkout", "lost-after", True),
    ]
    assert [str(one.error)[:26] for one in record.seen if one.fault] == [
        "it never reached the platf",
        "the answer never arrived, ",
    ]
    assert '"quantity":2' in str(record.seen[2].error)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["run", "--faults", "respond:429"], "known: any, write, products"),
        (["regress", "--faults", "list:x"], "lost-before"),
        (["regress", "--agent", "true", "--faults", "respond:429"], "known: any, write, products"),
        (["agent", "--benchmark", "store", "--faults", "list:x", "--", "true"], "lost-before"),
    ],
)
def test_faults_that_there_are_not_are_refused_with_those_that_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2
    assert told in " ".join(done.output.split())
    assert not [*tmp_path.glob("logs/*")]


def test_the_real_platform_has_none(tmp_path: Path) -> None:
    words = ["run", "--real", "--faults", "acknowledgement", "--out", str(tmp_path)]
    assert CliRunner().invoke(app, words).exit_code == 2


@pytest.mark.parametrize("command", ["run", "regress"])
def test_our_own_tasks_have_their_faults_in_the_journal(tmp_path: Path, command: str) -> None:
    wanted = {"checkouts": 1, "any_of": [{"items": [{"sku": "tea", "quantity": 2}]}]}
    pack = tmp_path / "pack.json"
    pack.write_text(pack_of(scenario(expect=wanted)).model_dump_json())
    words = [command, "--pack", str(pack), "--out", str(tmp_path / "logs")]
    words += ["--faults", "acknowledgement"]
    words += ["--keep-journals"] if command == "regress" else []
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    (folder,) = (tmp_path / "logs").iterdir()
    (record,) = read_tasks(folder)
    assert [(one.path, one.fault) for one in record.seen] == [("/basket/checkout", "lost-after")]
    (result,) = read_results(folder).tasks
    assert (result.score, result.lost, result.doubled, result.unauthorised) == (1.0, 0, 0, 0)
