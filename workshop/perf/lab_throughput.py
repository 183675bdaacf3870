"""How many tasks a second the lab plays, and the processor time that one task takes.

    python -m workshop.perf.lab_throughput [--tasks N] [--jobs 1,2,4] [--runs N]

Every measurement is a run of its own: its tasks divided by its wall time, which holds the start of
worker processes and their imports. Prints the median over runs, then the processor time of a task
in one process that plays them all; what sandboxes and waiting take is not in it.
"""

from __future__ import annotations

import tempfile
import time
from itertools import islice
from pathlib import Path

import typer

from cli.adapters import ADAPTERS
from workshop.lab.engines import Job
from workshop.lab.lab_run import Settings
from workshop.lab.packs import source_of
from workshop.lab.play_job import play_job
from workshop.perf.measure import run, spread

MODEL = "playbook/store"


def shops(count: int) -> str:
    """The first tasks of the variations pack, as often as needed under other names."""
    adapter = ADAPTERS["store"]()
    scenarios = list(source_of("variations", adapter).scenarios())
    rounds = -(-count // len(scenarios))
    many = (s | {"spec_id": f"{s['spec_id']}-{n}"} for n in range(rounds) for s in scenarios)
    return adapter.pack_text("throughput", list(islice(many, count)))


def pace(pack: Path, jobs: int, out: str) -> float:
    """Tasks a second of one run."""
    results = run("regress", "--pack", pack, "--jobs", jobs, "--out", out)
    return float(results["summaries"][0]["trials"] / results["wall_seconds"])


def processor_ms(tasks: int) -> float:
    """Milliseconds of processor time a task, in the process that plays it."""
    settings = Settings(benchmark="store", packs=(), evaluator=MODEL, worker=MODEL)
    play_job(Job(0, 0, shops(5), None, settings), ADAPTERS["store"])  # imports and first starts
    job = Job(0, 0, shops(tasks), None, settings)
    began = time.process_time()
    play_job(job, ADAPTERS["store"])
    return 1000 * (time.process_time() - began) / tasks


def main(tasks: int = 200, jobs: str = "1,2,4", runs: int = 1) -> None:
    """Print the pace with each number of jobs, and the processor time of a task."""
    with tempfile.TemporaryDirectory() as folder:
        pack = Path(folder) / "pack.json"
        pack.write_text(shops(tasks), encoding="utf-8")
        for count in map(int, jobs.split(",")):
            paces = [pace(pack, count, folder) for _ in range(runs)]
            print(f"--jobs {count}: {spread(paces, 'tasks a second')}")
    print(f"processor time of a task: {processor_ms(tasks):.1f} ms")


if __name__ == "__main__":
    typer.run(main)
