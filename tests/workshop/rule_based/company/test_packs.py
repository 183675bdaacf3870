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

from tests.worker.sandbox.kinds import KINDS

ROOT = Path(__file__).parents[4]

BUNDLED = ROOT / "workshop" / "simulator" / "company" / "packs" / "bundled.json"
EXPECTED = {
    one["spec_id"]: one["expect"]["outcomes"][0]
    for one in json.loads(BUNDLED.read_text(encoding="utf-8"))["scenarios"]
}
SAMPLE = [word for spec in list(EXPECTED)[::3] for word in ("--task", spec)]


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


@pytest.mark.nightly("by day tests/worker/sandbox compares the sandboxes")
@pytest.mark.parametrize("sandbox", KINDS)
def test_a_third_of_the_bundled_pack_ends_alike_in_each_sandbox(sandbox: str) -> None:
    assert scores(sandbox) == scores(KINDS[0])


def test_the_bundled_pack_is_played_without_a_wrong_write_and_with_each_outcome(
    tmp_path: Path,
) -> None:
    results = played("auto", tmp_path)
    totals = results["totals"]
    assert totals["harm"] == 0
    assert totals["score_mean"] >= 0.6
    assert sum(totals["tokens"].values()) <= 8_000 * totals["tasks"]
    passed = {EXPECTED[task["spec_id"]] for task in results["tasks"] if task["score"] == 1}
    assert passed == set(EXPECTED.values())
