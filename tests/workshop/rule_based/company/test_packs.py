"""The company's rule-based model over the bundled pack, in each isolation and in Monty alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.worker.sandbox.kinds import STANDING

ROOT = Path(__file__).parents[4]


BUNDLED = ROOT / "workshop" / "simulator" / "company" / "packs" / "bundled.json"
SPECS = [one["spec_id"] for one in json.loads(BUNDLED.read_text(encoding="utf-8"))["scenarios"]]
SAMPLE = [word for spec in SPECS[::3] for word in ("--task", spec)]


def played(sandbox: str, out: Path, *words: str) -> dict[str, Any]:
    """The results of a run."""
    done = subprocess.run(
        [sys.executable, "submission.py", "--benchmark", "company", "--json", "--jobs", "2",
         "--out", str(out), *words],
        cwd=ROOT,
        env={**os.environ, "WORKER_SANDBOX": sandbox},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    results: dict[str, Any] = json.loads(done.stdout)
    return results


@cache
def scores(sandbox: str) -> dict[str, float]:
    with TemporaryDirectory() as folder:
        results = played(sandbox, Path(folder), *SAMPLE)
    return {task["spec_id"]: task["score"] for task in results["tasks"]}


@pytest.mark.parametrize("sandbox", STANDING)
def test_a_third_of_the_bundled_pack_ends_alike_in_each_isolation(sandbox: str) -> None:
    assert scores(sandbox) == scores(STANDING[0])
    assert sum(scores(sandbox).values()) / len(scores(sandbox)) > 0.9


def test_what_monty_cannot_run_is_said_and_not_answered(tmp_path: Path) -> None:
    results = played("monty", tmp_path, "--task", "vinterhage-my-role")
    (task,) = results["tasks"]
    assert (task["outcome"], task["failure"], task["acts"]) == ("error", "model", 0)
    assert "its program does not run in this sandbox: NotImplementedError" in task["error"]
