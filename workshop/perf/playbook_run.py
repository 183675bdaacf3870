"""How long the playbook brain takes for a whole pack, and what it costs in turns and requests.

    python workshop/perf/playbook_run.py [--pack FILE] [--runs N]

Prints the median over runs of the run's own wall time (imports are done before its clock
starts), and the run's turns, store requests and tokens for a task.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
BUNDLED = ROOT / "workshop" / "simulator" / "store" / "packs" / "store-bundled.json"


def run(pack: Path, out: str) -> dict[str, Any]:
    command = [sys.executable, "submission.py", "--json", "--pack", str(pack), "--out", out]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    results: dict[str, Any] = json.loads(done.stdout)
    return results


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pack", type=Path, default=BUNDLED)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as out:
        runs = [run(options.pack.resolve(), out) for _ in range(options.runs)]
    seconds = [r["totals"]["seconds"] for r in runs]
    last = runs[-1]
    totals = last["totals"]
    tasks = totals["tasks"]
    requests = sum(t["requests"] for t in last["tasks"])
    tokens = totals["tokens"]["prompt"] + totals["tokens"]["completion"]
    print(f"{last['pack']}: {tasks} tasks, score {totals['score_mean']}, one job")
    print(f"seconds: median {statistics.median(seconds):.2f} of {sorted(seconds)}")
    print(f"a task: {totals['turns'] / tasks:.2f} turns, {requests / tasks:.1f} store requests, ")
    print(f"        {tokens / tasks:.0f} tokens; wrong checkouts: {totals['harm']}")


if __name__ == "__main__":
    main()
