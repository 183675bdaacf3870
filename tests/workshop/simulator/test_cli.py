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

from workshop.command import main

PROJECT = Path(__file__).parents[3]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(PROJECT)}


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


@pytest.mark.parametrize("command", [[], ["serve"]])
def test_serves_until_interrupted(pack_file: Path, command: list[str]) -> None:
    words = [sys.executable, "-m", "workshop", *command, "--pack", str(pack_file)]
    with subprocess.Popen(
        words,
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
        answer = httpx.post(f"{base_url}/benchmarks/list", json={}, trust_env=False)
        assert answer.json()["benchmarks"][0]["tasks"] == 1
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=10)
    assert (process.returncode, errors) == (0, "")


def test_bad_pack(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    assert main(["--pack", str(bad)]) == 2
    assert (
        "bad.json: format must be 'store-pack/1' or 'company-pack/1' or 'demo-pack/1', not None"
        in capsys.readouterr().err
    )


def test_taken_port(pack_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["--pack", str(pack_file), "--port", str(port)]) == 2
    assert f"cannot listen on port {port}" in capsys.readouterr().err
    assert main(["--pack", str(pack_file), "--port", "99999"]) == 2


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--chaos-rate", "0.5"], "--chaos-rate and --chaos-kinds need --chaos-seed"),
        (["--chaos-seed", "1", "--chaos-rate", "2"], "rate of faults must be from 0 to 1, not 2.0"),
        (["--chaos-seed", "1", "--chaos-kinds", "drop,flood"], "unknown kind of fault 'flood'"),
        (["--state", "/no/such/folder/state"], "state: cannot be opened: No such file"),
    ],
)
def test_wrong_options(
    pack_file: Path, capsys: pytest.CaptureFixture[str], words: list[str], text: str
) -> None:
    assert main(["--pack", str(pack_file), *words]) == 2
    assert text in capsys.readouterr().err


def test_chaos_and_state_from_the_command_line(pack_file: Path, tmp_path: Path) -> None:
    state = tmp_path / "state.jsonl"
    words = ["--pack", str(pack_file), "--state", str(state), "--chaos-seed", "1"]
    words += ["--chaos-rate", "1", "--chaos-kinds", "status"]
    with subprocess.Popen(
        [sys.executable, "-m", "workshop", *words],
        stdout=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        preexec_fn=heed_interrupts,
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip() + "/tasks/start"
        body = {"benchmark": "store", "spec_id": "nothing"}
        seen = [httpx.post(url, json=body, trust_env=False).status_code for _ in range(6)]
        process.send_signal(signal.SIGINT)
    assert [status < 400 for status in seen] == [False, False, True] * 2
    assert len(state.read_text().splitlines()) == 7


@pytest.mark.parametrize("words", [["--help"], ["serve", "--help"]])
def test_help(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 0
    assert "serve" in capsys.readouterr().out


def test_importing_the_packages_is_cheap() -> None:
    code = (
        "import sys, workshop.simulator, core.erc3_client.store;"
        "print([m for m in ('starlette', 'uvicorn', 'httpx', 'pydantic') if m in sys.modules])"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT, check=True
    )
    assert found.stdout.strip() == "[]"
