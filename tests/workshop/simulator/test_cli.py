"""The command line: what it prints and its exit codes."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from cli.cli import app

PROJECT = Path(__file__).parents[3]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(PROJECT)}
PROGRAM = str(PROJECT / "submission.py")


@pytest.fixture
def pack_file(tmp_path: Path) -> Path:
    scenario = {
        "spec_id": "nothing",
        "task_text": "Buy nothing",
        "page_limit": -1,
        "products": [],
        "coupons": [],
        "expect": {"checkouts": 0},
    }
    pack = {"format": "store-pack/1", "name": "test", "scenarios": [scenario]}
    path = tmp_path / "pack.json"
    path.write_text(json.dumps(pack))
    return path


def heed_interrupts() -> None:
    """In a new process: tests may be started in the background, where interrupts are ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def refused(*words: str) -> str:
    """What `serve` says of options that it refuses."""
    done = CliRunner().invoke(app, ["serve", *words])
    assert done.exit_code == 2
    return " ".join(done.output.split())


def test_serves_with_faults_and_state_until_interrupted(pack_file: Path, tmp_path: Path) -> None:
    state = tmp_path / "state.jsonl"
    words = [sys.executable, PROGRAM, "serve", "--pack", str(pack_file), "--state", str(state)]
    with subprocess.Popen(
        [*words, "--faults", "start:503:1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        preexec_fn=heed_interrupts,
    ) as process:
        assert process.stdout is not None
        base_url = process.stdout.readline().strip()
        line = process.stdout.readline()
        assert line == f"export ERC3_BASE_URL={base_url} ERC3_API_KEY=key-local\n"
        with httpx.Client(base_url=base_url, trust_env=False, timeout=60) as client:
            listed = client.post("/benchmarks/list", json={}).json()
            body = {"benchmark": "store", "spec_id": "nothing"}
            seen = [client.post("/tasks/start", json=body).status_code for _ in range(6)]
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=100)
    assert (process.returncode, errors) == (0, "")
    assert listed["benchmarks"][0]["tasks"] == 1
    assert seen == [503, 503, 200] * 2
    assert len(state.read_text().splitlines()) == 7


def test_bad_pack(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    why = "bad.json: format must be 'store-pack/1' or 'company-pack/1', not None"
    assert why in refused("--pack", str(bad))


def test_taken_port(pack_file: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        why = refused("--pack", str(pack_file), "--port", str(port))
    assert f"cannot listen on port {port}" in why
    assert "'--port'" in refused("--port", "99999")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--faults", "respond:429"], "no endpoint is called 'respond'; known: any, write"),
        (["--faults", "list:flood"], "unknown fault 'flood'; known: lost-before"),
        (["--state", "/no/such/folder/state"], "state: cannot be opened: No such file"),
    ],
)
def test_wrong_options(pack_file: Path, words: list[str], text: str) -> None:
    assert text in refused("--pack", str(pack_file), *words)


def test_importing_the_packages_is_cheap() -> None:
    code = (
        "import sys, workshop.simulator, core.erc3_client.store;"
        "print([m for m in ('starlette', 'uvicorn', 'httpx', 'pydantic') if m in sys.modules])"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT, check=True
    )
    assert found.stdout.strip() == "[]"
