"""Agents of three shapes are told apart by effects; the counts are those of the world, by hand."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.cli import app

TASKS = 3
AGENT = """
import json, os, sys, urllib.request

def post(path, **body):
    url, data = os.environ["ERC3_BASE_URL"] + path, json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data), timeout=20) as answer:
        return json.load(answer)

asked = {"benchmark": "company", "workspace": "w", "account_key": os.environ["ERC3_API_KEY"]}
session = post("/sessions/start", **asked)["session_id"]
for task in post("/sessions/status", session_id=session)["tasks"]:
    post("/tasks/start", task_id=task["task_id"])
    for left in range(TRIES - 1, -1, -1):
        try:
            reply = {"message": "Kiel", "outcome": "ok_answer", "links": []}
            post("/erc3-dev/" + task["task_id"] + "/respond", **reply)
            break
        except OSError:
            if not left and DIES:
                os._exit(1)
    post("/tasks/complete", task_id=task["task_id"])
post("/sessions/submit", session_id=session)
"""
SHAPES = {"doubles": (2, False), "loses": (1, False), "dies": (1, True)}


@pytest.fixture
def agents(tmp_path: Path) -> list[str]:
    """The options that name the three."""
    words = []
    for name, (tries, dies) in SHAPES.items():
        path = tmp_path / f"{name}.py"
        path.write_text(f"TRIES, DIES = {tries}, {dies}\n{AGENT}", encoding="utf-8")
        words += ["--agent", f"{name}={shlex.join([sys.executable, str(path)])}"]
    return words


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """Three tasks of a company that want one answer each."""
    person = {
        "id": "ben", "name": "Ben", "email": "b@rye.example", "salary": 1, "notes": "",
        "location": "Kiel", "department": "Bakery", "skills": [], "wills": [],
    }  # fmt: skip
    task = {
        "task_text": "Where is Ben?", "company": "rye", "user": "ben", "today": "2025-05-06",
        "expect": {"outcomes": ["ok_answer"]},
    }  # fmt: skip
    body = {
        "format": "company-pack/1",
        "name": "three",
        "companies": {"rye": {"name": "Rye", "employees": [person], "wiki": {"a.md": "# A\n"}}},
        "scenarios": [{"spec_id": f"t{number}", **task} for number in range(TASKS)],
    }
    path = tmp_path / "three.json"
    path.write_text(json.dumps(body), encoding="utf-8")
    return path


def played(*words: object) -> list[dict[str, Any]]:
    done = CliRunner().invoke(app, ["effects", *map(str, words), "--json"])
    assert done.exit_code == 0, done.output
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


def test_three_shapes_are_told_apart(agents: list[str], pack: Path, tmp_path: Path) -> None:
    asked = ["--benchmark", "company", "--pack", pack, "--out", tmp_path / "logs", *agents]
    faults = ("none", "respond:lost-after", "respond:lost-before")
    rows = played(*asked, *(word for plan in faults for word in ("--faults", plan)))
    counts = {(row["agent"], row["fault"]): row for row in rows}

    def of(agent: str, fault: str) -> tuple[int, int, int, int]:
        row = counts[agent, fault]
        return row["lost"], row["doubled"], row["unauthorised"], row["unfinished"]

    assert all(of(name, "none") == (0, 0, 0, 0) for name in SHAPES)
    assert of("doubles", "respond:lost-after") == (0, TASKS, 0, 0)
    assert of("doubles", "respond:lost-before") == (0, 0, 0, 0)
    assert of("loses", "respond:lost-after") == (0, 0, 0, 0)
    assert of("loses", "respond:lost-before") == (TASKS, 0, 0, 0)
    assert of("dies", "respond:lost-after")[3] == TASKS
    assert (tmp_path / "logs" / "effects.html").read_text(encoding="utf-8").count("<tr>") == 10


@pytest.mark.promise("no second answer")
@pytest.mark.parametrize("strategy", ["evaluator-worker", "next-step"])
def test_our_strategies_lose_and_double_nothing(strategy: str, pack: Path, tmp_path: Path) -> None:
    asked = ["--benchmark", "company", "--pack", pack, "--out", tmp_path / "logs"]
    plan = ("--jobs", 1, "--faults", "write:lost-after,seed=3")
    rows = played(*asked, "--agent", strategy, *plan)
    assert [(row["passed"], row["lost"], row["doubled"], row["unauthorised"]) for row in rows] == [
        (TASKS, 0, 0, 0)
    ]


@pytest.mark.parametrize(
    "words",
    [["--agent", "mine"], ["--agent", "mine="], ["--faults", "respnd:lost"], ["--benchmark", "no"]],
)
def test_what_cannot_be_played_is_said_before_anything_is(words: list[str], tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["effects", *words, "--out", str(tmp_path / "logs")])
    assert done.exit_code == 2
    assert not (tmp_path / "logs").exists()


def test_an_agent_that_cannot_start_is_an_error_with_its_reason(pack: Path, tmp_path: Path) -> None:
    words = ["effects", "--benchmark", "company", "--pack", str(pack), "--out", str(tmp_path)]
    done = CliRunner().invoke(app, [*words, "--agent", "gone=no-such-program x"])
    assert done.exit_code == 1
    assert "gone sent nothing: the agent died (exit code 127)" in done.stderr
