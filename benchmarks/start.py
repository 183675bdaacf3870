"""What a user waits for before the first turn: from process start to its line in the journal.

    python benchmarks/start.py [--runs 10] [--benchmark store|company] [--models FILE ...]

Prints the median, the fastest and the slowest of so many runs of the bundled pack's first task,
one after the other on a warm disk. Behind ``--`` stand options that the run gets as they are.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKS = {
    "store": ROOT / "simulator" / "store" / "packs" / "store-bundled.json",
    "company": ROOT / "simulator" / "company" / "packs" / "bundled.json",
}
LIMIT = 60.0


def first_turn(command: list[str]) -> tuple[float, float]:
    """Seconds to the first turn in the journal, and to the end of the process."""
    with tempfile.TemporaryDirectory() as out:
        began = time.perf_counter()
        process = subprocess.Popen(
            [*command, "--out", out], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        try:
            seen = _watch(Path(out), process, began)
            _, told = process.communicate(timeout=LIMIT)
        finally:
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
        if seen is None:
            raise SystemExit(f"no turn was played:\n{told.decode()}")
        return seen, time.perf_counter() - began


def _watch(out: Path, process: subprocess.Popen[bytes], began: float) -> float | None:
    """Look into the journal every millisecond until it holds a turn."""
    while time.perf_counter() - began < LIMIT:
        for journal in out.glob("*/tasks/*.jsonl"):
            if b'"type":"turn"' in journal.read_bytes().replace(b'": "', b'":"'):
                return time.perf_counter() - began
        if process.poll() is not None:
            return None
        time.sleep(0.001)
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--benchmark", choices=sorted(PACKS), default="store")
    parser.add_argument("more", nargs="*", help="options of the run, behind --")
    options = parser.parse_args()
    task = json.loads(PACKS[options.benchmark].read_text())["scenarios"][0]["spec_id"]
    command = [sys.executable, "submission.py", "--benchmark", options.benchmark, "--quiet"]
    command += ["--task", task, *options.more]
    first_turn(command)
    turns, ends = zip(*(first_turn(command) for _ in range(options.runs)), strict=True)
    for name, found in (("first turn", turns), ("whole run of one task", ends)):
        print(
            f"{name}: median {statistics.median(found):.2f} s "
            f"({min(found):.2f} to {max(found):.2f}, {len(found)} runs)"
        )


if __name__ == "__main__":
    main()
