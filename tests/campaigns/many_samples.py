"""Play many generated tasks, kill the run twice, and go on: nothing is lost, nothing is doubled.

    python -m tests.campaigns.many_samples [--tasks 2000] [--kills 2] [--jobs 2] [--workers 0]

With ``--workers`` a Dask scheduler with so many plays them, else processes of this machine. The
results are compared with those of a run that nobody killed. Exit code 1 where anything differs.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from core.runs.results import NAME, TaskResult, read_lines
from tests.workshop.lab.test_cluster import cluster

ROOT = Path(__file__).parents[2]
LOOK_SECONDS = 0.05


@dataclass
class Outcome:
    """A run that came to its end."""

    results: list[TaskResult]
    lines: int
    """Of its file: as many as results, unless something stands in it twice."""
    seconds: float
    peak_mb: dict[str, float] = field(default_factory=dict)
    """The most memory that the run itself and any other of its processes had."""


def comparable(results: Sequence[TaskResult]) -> dict[tuple[object, ...], str]:
    """Each result by its key, without its time and id, which are never the same."""
    same = {"seconds": 0.0, "task_id": ""}
    return {one.key: one.model_copy(update=same).model_dump_json() for one in results}


def differences(found: Outcome, expected: Outcome) -> list[str]:
    """What is not as in the run that nobody killed."""
    ours, theirs = comparable(found.results), comparable(expected.results)
    said = [f"lost: {key}" for key in theirs.keys() - ours.keys()]
    said += [f"not asked for: {key}" for key in ours.keys() - theirs.keys()]
    said += [f"another result: {k}" for k in ours.keys() & theirs.keys() if ours[k] != theirs[k]]
    if found.lines != len(found.results):
        said.append(f"{found.lines} lines for {len(found.results)} results")
    return said


def done_in(folder: Path) -> int:
    """Results on disk."""
    with suppress(OSError, StopIteration):
        return (next(folder.iterdir()) / NAME).read_bytes().count(b"\n")
    return 0


def watch(
    process: subprocess.Popen[bytes], peak: dict[str, float], is_time: Callable[[], bool]
) -> bool:
    """Note memory until the run ends or it is time to kill it; whether it was killed."""
    whole = psutil.Process(process.pid)
    while process.poll() is None:
        with suppress(psutil.Error):
            for one in (whole, *whole.children(recursive=True)):
                name = "run" if one.pid == process.pid else "player"
                peak[name] = max(peak.get(name, 0.0), one.memory_info().rss / 1e6)
        if is_time():
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return True
        time.sleep(LOOK_SECONDS)
    return False


def play(folder: Path, tasks: int, how: Sequence[str], kill_at: Sequence[int]) -> Outcome:
    """Play a run to its end; it dies when so many results are on disk, each number in turn."""
    began, peak = time.perf_counter(), dict[str, float]()
    words = ["--pack", f"generated:many:{tasks}"]
    moments = [*sorted(kill_at)]
    while True:
        command = [sys.executable, "-m", "submission", "regress", *words, *how]
        with subprocess.Popen(
            [*command, "--out", str(folder)], cwd=ROOT, start_new_session=True,
            stdout=subprocess.DEVNULL,
        ) as process:  # fmt: skip
            at = moments[0] if moments else None
            killed = watch(process, peak, lambda at=at: at is not None and done_in(folder) >= at)
        if not killed:
            assert process.returncode == 0, process.returncode
            break
        moments.pop(0)
        words = ["--resume", "latest"]
    assert not moments, f"it ended before it was killed at {moments}"
    path = next(folder.iterdir()) / NAME
    lines = path.read_bytes().count(b"\n")
    return Outcome(read_lines(path), lines, time.perf_counter() - began, peak)


def campaign(folder: Path, tasks: int, kills: int, jobs: int, workers: int, seed: int) -> list[str]:
    """Play both runs and say what differs; figures go to standard output."""
    rng = random.Random(seed)
    moments = rng.sample(range(tasks // 2, 3 * tasks), kills)
    with ExitStack() as stack:
        how = ["--jobs", str(jobs)]
        if workers:
            (place := folder / "cluster").mkdir()
            address, _ = stack.enter_context(cluster(place, workers))
            how = ["--scheduler", address]
        whole = play(folder / "whole", tasks, how, ())
        killed = play(folder / "killed", tasks, how, moments)
    for name, one in (("whole", whole), (f"killed at {sorted(moments)} results", killed)):
        memory = ", ".join(f"{who} {most:.0f} MB" for who, most in one.peak_mb.items())
        agent = [result for result in one.results if result.player == "agent"]
        passed = sum(result.passed for result in agent)
        print(f"{name}: {passed} of {len(agent)} passed, {one.seconds:.0f} s, {memory}")
    said = differences(killed, whole)
    tasks_of = {result.spec_id for result in killed.results if result.player == "agent"}
    return said + ([] if len(tasks_of) == tasks else [f"{len(tasks_of)} of {tasks} tasks"])


def main() -> int:
    """The campaign as the command line asks for it."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("tasks", 2000), ("kills", 2), ("jobs", 2), ("workers", 0), ("seed", 7)):
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="many-") as folder:
        said = campaign(Path(folder), **vars(asked))
    print(*(said or ["nothing lost, nothing doubled, equal results"]), sep="\n")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
