"""How many tasks a second the regression lab plays, and where the time of one task goes.

    python workshop/perf/lab_throughput.py [--tasks N] [--jobs 1,2,4] [--runs N]
    python workshop/perf/lab_throughput.py --profile [--tasks N]

Every measurement is a run of its own: its tasks divided by its wall time, which holds the start of
worker processes and their imports.
Prints the median over runs.

``--profile`` plays in one process, one task at a time, and prints the functions in which the
threads of that process spend most of their processor time; what sandboxes and waiting take is
the rest of the wall time.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import resource
import sys
import tempfile
import threading
import time
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from cli.adapters import ADAPTERS
from workshop.lab.engines import Job
from workshop.lab.lab_run import Settings
from workshop.lab.packs import source_of
from workshop.lab.play_job import play_job
from workshop.perf.measure import run, spread

store = ADAPTERS["store"]

MODEL = "playbook/store"
LINES = 25


def shops(count: int) -> str:
    """The first tasks of the variations pack, as often as needed under other names."""
    kit = store()
    scenarios = list(source_of("variations", kit).scenarios())
    rounds = -(-count // len(scenarios))
    many = (s | {"spec_id": f"{s['spec_id']}-{n}"} for n in range(rounds) for s in scenarios)
    return kit.pack_text("throughput", list(islice(many, count)))


def pace(pack: Path, jobs: int, out: str) -> float:
    """Tasks a second of one run."""
    results = run("regress", "--pack", pack, "--jobs", jobs, "--out", out)
    return float(results["summaries"][0]["trials"] / results["wall_seconds"])


def measure(tasks: int, jobs: list[int], runs: int) -> None:
    """Print the pace with each number of jobs."""
    with tempfile.TemporaryDirectory() as folder:
        pack = Path(folder) / "pack.json"
        pack.write_text(shops(tasks), encoding="utf-8")
        for count in jobs:
            paces = [pace(pack, count, folder) for _ in range(runs)]
            print(f"--jobs {count}: {spread(paces, 'tasks a second')}")


def profile(tasks: int) -> None:
    settings = Settings(benchmark="store", packs=(), evaluator=MODEL, worker=MODEL)
    job = Job(0, 0, shops(tasks), None, settings)
    play_job(Job(0, 0, shops(5), None, settings), store)  # imports and first starts
    profiles: list[cProfile.Profile] = []

    def begin(*_: object) -> None:
        profiles.append(cProfile.Profile(time.thread_time))
        profiles[-1].enable()

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
    stats = pstats.Stats(profiles[0])
    for one in profiles[1:]:
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
