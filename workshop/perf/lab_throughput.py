"""How many tasks a second the regression lab plays, and where the time of one task goes.

    python workshop/perf/lab_throughput.py [--tasks N] [--jobs 1,2,4] [--runs N]
    python workshop/perf/lab_throughput.py --profile [--tasks N]

Every measurement is a run of its own: its tasks divided by its wall time, which holds the start of
worker processes and their imports.
Prints the median over runs and its ratio to one process that plays one task at a time.

``--profile`` plays in one process, one task at a time, and prints the functions in which the
threads of that process spend most of their processor time; what sandboxes and waiting take is
the rest of the wall time.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from cli.adapters import ADAPTERS  # noqa: E402
from workshop.lab.engines import Job  # noqa: E402
from workshop.lab.lab_run import Settings  # noqa: E402
from workshop.lab.packs import source_of  # noqa: E402
from workshop.lab.play_job import play_job  # noqa: E402

store = ADAPTERS["store"]

BRAIN = "playbook/store"
LINES = 25


def shops(count: int) -> str:
    """The first tasks of the variations pack, as often as needed under other names."""
    kit = store()
    source = source_of("variations", kit)
    every = list(source.scenarios())
    rounds = -(-count // len(every))
    many = (s | {"spec_id": f"{s['spec_id']}-{n}"} for n in range(rounds) for s in every)
    return kit.pack_text("throughput", list(islice(many, count)))


def pace(pack: Path, jobs: int, out: str) -> float:
    """Tasks a second of one run."""
    command = [sys.executable, "submission.py", "regress", "--json", "--pack", str(pack)]
    done = subprocess.run(
        [*command, "--jobs", str(jobs), "--out", out],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    run = json.loads(done.stdout)
    return float(run["summaries"][0]["trials"] / run["wall_seconds"])


def measure(tasks: int, jobs: list[int], runs: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pack = Path(folder) / "pack.json"
        pack.write_text(shops(tasks), encoding="utf-8")
        base = None
        for count in jobs:
            found = [pace(pack, count, folder) for _ in range(runs)]
            middle = statistics.median(found)
            base = base or middle
            print(f"--jobs {count}: {middle:.1f} tasks a second, {middle / base:.2f} times one job")


def profile(tasks: int) -> None:
    settings = Settings(benchmark="store", packs=(), evaluator=BRAIN, worker=BRAIN)
    job = Job(0, 0, shops(tasks), None, settings)
    play_job(Job(0, 0, shops(5), None, settings), store)  # imports and first starts
    found: list[cProfile.Profile] = []

    def begin(*_: object) -> None:
        found.append(cProfile.Profile(time.thread_time))
        found[-1].enable()

    threading.setprofile(begin)
    before = resource.getrusage(resource.RUSAGE_SELF)
    began = time.perf_counter()
    play_job(job, store)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_SELF)
    threading.setprofile(None)
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{tasks} tasks: {1000 * wall / tasks:.1f} ms a task, under the profiler,")
    print(f"of them {1000 * busy / tasks:.1f} ms processor time in this process")
    stats = pstats.Stats(found[0])
    for one in found[1:]:
        stats.add(one)
    stats.strip_dirs()
    for order in ("tottime", "cumulative"):
        stats.sort_stats(order).print_stats(LINES)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--jobs", default="1,2,4")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    if options.profile:
        profile(options.tasks)
    else:
        measure(options.tasks, [int(one) for one in options.jobs.split(",")], options.runs)


if __name__ == "__main__":
    main()
