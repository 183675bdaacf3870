"""The rule-based model over whole packs, through the wire, the sandbox and the agent loop."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.worker.sandbox.kinds import KINDS

ROOT = Path(__file__).parents[4]
PACKS = ROOT / "workshop" / "simulator" / "store" / "packs"


def run_pack(pack: Path, out: Path, jobs: int = 2, sandbox: str = "auto") -> dict[str, Any]:
    command = [sys.executable, "submission.py", "--pack", str(pack), "--out", str(out), "--json"]
    done = subprocess.run(
        [*command, "--jobs", str(jobs)],
        cwd=ROOT,
        env={**os.environ, "WORKER_SANDBOX": sandbox},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    results: dict[str, Any] = json.loads(done.stdout)
    return results


def failed(results: dict[str, Any]) -> list[str]:
    return [t["spec_id"] for t in results["tasks"] if t["score"] != 1.0]


@pytest.mark.parametrize(
    "sandbox",
    [
        KINDS[0],
        *(
            pytest.param(kind, marks=pytest.mark.nightly("tests/worker/sandbox compares them"))
            for kind in KINDS[1:]
        ),
    ],
)
def test_the_bundled_pack_is_solved_and_neither_always_nor_never_buying_is_good(
    tmp_path: Path, sandbox: str
) -> None:
    results = run_pack(PACKS / "store-bundled.json", tmp_path, sandbox=sandbox)
    assert results["sandboxes"] == [sandbox]
    totals = results["totals"]
    assert failed(results) == []
    assert totals["harm"] == 0
    assert totals["turns"] / totals["tasks"] <= 3
    assert 0.3 <= totals["groups"]["refuse"]["tasks"] / totals["tasks"] <= 0.6
