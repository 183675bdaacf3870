"""A whole run from a tape: the same results, one task at a time or several, and no network."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from click.testing import Result
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


def tasks(stdout: str) -> list[dict[str, Any]]:
    """The tasks of a run without what differs from run to run."""
    tasks = json.loads(stdout)["tasks"]
    return [{k: t[k] for k in t if k not in ("task_id", "seconds")} for t in tasks]


def test_a_replayed_run_has_the_same_results_and_a_miss_is_loud(tmp_path: Path) -> None:
    tape, logs = tmp_path / "tape.jsonl", ["--out", str(tmp_path / "logs"), "--quiet"]

    def run(*words: object) -> Result:
        return CliRunner().invoke(app, [*logs, *map(str, words)])

    specs = ["--task", "stock_exactly_enough", "--task", "under_budget_price_equals_limit"]
    recorded = run("--record", tape, "--json", *specs)
    assert recorded.exit_code == 0, recorded.output
    assert [t["score"] for t in tasks(recorded.stdout)] == [1.0] * 2
    replay = [*logs, "--playback", tape, "--json", "--jobs", 2, *specs]
    replayed = subprocess.run(
        [sys.executable, "-c", RUN, *map(str, replay)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert replayed.returncode == 0, replayed.stderr
    assert tasks(replayed.stdout) == tasks(recorded.stdout)
    missed = run("--playback", tape, "--task", "required_coupon_works")
    assert missed.exit_code == 1
    assert "has no such request" in missed.output
    again = run("--record", tape)
    assert (again.exit_code, "is not empty" in again.output) == (2, True)
    assert run("--playback", tape, "--record", tmp_path / "new.jsonl").exit_code == 2
