"""How long it takes to generate scenarios with their best answers, and how much memory.

Run with `python workshop/perf/generate.py`, for companies with `--benchmark company --count
5000`. The pack goes through a pipe, as it would into a file. Peak memory is of the largest process;
CPU is of all of them, which a busy machine does not change much.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

PROJECT = Path(__file__).parents[2]


def measure(count: int, jobs: int, options: list[str]) -> tuple[float, int]:
    """Seconds, and megabytes of the pack."""
    command = [sys.executable, "-m", "workshop", "generate", "--seed", "benchmark"]
    command += ["--count", str(count), "--jobs", str(jobs), *options]
    start, size = time.perf_counter(), 0
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        while piece := process.stdout.read(1 << 16):
            size += len(piece)
    if process.returncode:
        raise SystemExit(process.returncode)
    return time.perf_counter() - start, size // 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description="Seconds for scenarios with their best answers.")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--benchmark", choices=("store", "company"), default="store")
    parser.add_argument("--difficulty", default="normal")
    parser.add_argument("--wording", default="standard")
    parser.add_argument("--people", default="40", help="of a company")
    parsed = parser.parse_args()
    options = ["--difficulty", parsed.difficulty, "--wording", parsed.wording]
    if parsed.benchmark == "company":
        options = ["--benchmark", "company", "--people", parsed.people]
    seconds, size = measure(parsed.count, parsed.jobs, options)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    peak = used.ru_maxrss // 1024
    print(f"{'scenarios':<24}{parsed.count:8d}")
    print(f"{'processes':<24}{parsed.jobs:8d}")
    print(f"{'seconds':<24}{seconds:8.1f}")
    print(f"{'CPU seconds':<24}{used.ru_utime + used.ru_stime:8.1f}")
    print(f"{'milliseconds a scenario':<24}{seconds * 1000 / parsed.count:8.2f}")
    print(f"{'pack, MB':<24}{size:8d}")
    print(f"{'peak memory, MB':<24}{peak:8d}")


if __name__ == "__main__":
    main()
