"""A whole run from a tape: the same results, one task at a time or several, and no network."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from cli.cli import app
from core.runs import cassette

ROOT = Path(cassette.__file__).parents[2]
RUN = """
import socket, sys
connect = socket.socket.connect
def loopback_only(self, address):
    if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1"):
        raise SystemExit(f"a connection was tried: {address}")
    return connect(self, address)
socket.socket.connect = loopback_only
from cli.cli import main
try:
    main()
finally:
    assert "litellm" not in sys.modules
"""


def run(folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """The command line as a process that reaches nothing but loopback."""
    command = [sys.executable, "-c", RUN, "--out", str(folder / "logs"), *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def tasks(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    """The tasks of a run without what differs from run to run."""
    tasks = json.loads(done.stdout)["tasks"]
    return [{k: t[k] for k in t if k not in ("task_id", "seconds")} for t in tasks]


def test_a_replayed_run_has_the_same_results_and_a_miss_is_loud(tmp_path: Path) -> None:
    pack = json.loads(
        (ROOT / "workshop/simulator/store/packs/store-bundled.json").read_text(encoding="utf-8")
    )
    # Two that buy, two that do not.
    buys = [s["spec_id"] for s in pack["scenarios"] if s["expect"]["checkouts"]]
    refuses = [s["spec_id"] for s in pack["scenarios"] if not s["expect"]["checkouts"]]
    specs = [part for spec in buys[:2] + refuses[:2] for part in ("--task", spec)]
    tape = tmp_path / "tape.jsonl"
    recorded = run(tmp_path, "--record", tape, "--json", *specs)
    assert recorded.returncode == 0, recorded.stderr
    assert [t["score"] for t in tasks(recorded)] == [1.0] * 4
    replayed = run(tmp_path, "--playback", tape, "--json", "--jobs", 4, *specs)
    assert replayed.returncode == 0, replayed.stderr
    assert tasks(replayed) == tasks(recorded)
    missed = run(tmp_path, "--playback", tape, "--task", buys[2])
    assert missed.returncode == 1
    assert "is not on" in missed.stdout or "are not in it" in missed.stdout
    again = CliRunner().invoke(app, ["--record", str(tape), "--out", str(tmp_path / "logs")])
    assert again.exit_code == 2
    assert "is not empty" in again.output
    new = ["--record", str(tmp_path / "new.jsonl")]
    assert CliRunner().invoke(app, ["--playback", str(tape), *new]).exit_code == 2
