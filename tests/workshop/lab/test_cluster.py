"""A Dask cluster that loses a worker, its scheduler or the connection loses no task."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from cli.lab import LAB
from coordinator.benchmark import Benchmark
from core.runs.errors import CannotRun
from core.runs.results import TaskResult
from tests.kit import limits
from tests.workshop.lab.conftest import lines
from workshop.lab.engines import Dask, Here
from workshop.lab.sampled_run import SampledRun

distributed: Any = pytest.importorskip("distributed")

ROOT = Path(__file__).parents[3]
NewRun = Callable[..., SampledRun]
Carry = Callable[..., list[TaskResult]]
PackFile = Callable[..., Path]

store = LAB["store"]

RELEASED = "released"
"""A file that lets a worker go on that was to stop."""


@dataclass(frozen=True)
class Watched:
    """The store; each job that a worker begins leaves a file with its process id."""

    folder: Path
    dies: bool = False
    """Whether the worker that begins the first job is killed."""
    stops_at: int | None = None
    """The job, counted from 1, that is not played while nobody releases its worker."""

    def __call__(self) -> Benchmark:
        number = self._begin()
        if self.dies and number == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        while number == self.stops_at and not (self.folder / RELEASED).exists():
            time.sleep(0.02)
        return store()

    def _begin(self) -> int:
        for number in range(1, 1_000):
            with suppress(FileExistsError):
                (self.folder / str(number)).touch(exist_ok=False)
                return number
        raise AssertionError("far more jobs than there are")


def begun(folder: Path) -> int:
    """How many jobs have begun."""
    return sum(path.name != RELEASED for path in folder.iterdir())


@contextmanager
def cluster(folder: Path, workers: int = 1) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A scheduler with workers, each a process of its own; the address and the scheduler."""
    file, env = folder / "scheduler.json", {**os.environ, "PYTHONPATH": str(ROOT)}

    def program(name: str, *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{name}", "--scheduler-file", str(file)]
        return subprocess.Popen(
            [*command, "--no-dashboard", *words], env=env, cwd=ROOT, stderr=subprocess.DEVNULL
        )

    local = ("--host", "127.0.0.1", "--dashboard-address", ":0")
    with program("dask_scheduler", *local, "--port", "0") as scheduler:
        try:
            _until(lambda: file.exists() and file.read_text().endswith("}"))
            address = json.loads(file.read_text())["address"]
            each = ("--nthreads", "1", "--nworkers", str(workers))
            place = ("--local-directory", str(folder))
            with program("dask_worker", *local, *each, *place) as worker:
                try:
                    with distributed.Client(address, timeout=100, set_as_default=False) as client:
                        client.wait_for_workers(workers, timeout=100)
                    yield address, scheduler
                finally:
                    limits.kill([*psutil.Process(worker.pid).children(recursive=True), worker])
        finally:
            scheduler.kill()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a cluster that outlives whatever its clients do."""
    with cluster(tmp_path_factory.mktemp("shared")) as (address, _):
        yield address


def _until(what: Callable[[], Any]) -> None:
    end = time.monotonic() + 100
    while not what():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture
def here(new_run: NewRun, pack_file: PackFile, carry: Carry) -> list[str]:
    run = new_run(pack_file(4), epochs=2)
    carry(run, Here(store))
    return lines(run)


@pytest.fixture
def watched(tmp_path: Path) -> Path:
    path = tmp_path / "begun"
    path.mkdir()
    return path


@pytest.mark.promise("nothing lost at a kill")
def test_the_job_of_a_worker_that_is_killed_is_played_by_the_next(
    here: list[str],
    new_run: NewRun,
    pack_file: PackFile,
    watched: Path,
    shared: str,
    carry: Carry,
) -> None:
    run = new_run(pack_file(4), epochs=2)
    carry(run, Dask(Watched(watched, dies=True), shared))
    assert lines(run) == here


@pytest.mark.promise("nothing lost at a kill")
@pytest.mark.parametrize("lost", ["scheduler", "connection"])
def test_a_run_whose_scheduler_is_lost_goes_on_and_plays_nothing_twice(
    here: list[str],
    new_run: NewRun,
    pack_file: PackFile,
    watched: Path,
    tmp_path: Path,
    shared: str,
    lost: str,
    carry: Carry,
) -> None:
    run = new_run(pack_file(4), epochs=2)
    adapter = Watched(watched, stops_at=3)
    with ExitStack() as stack:
        address = shared
        if lost == "scheduler":
            address, scheduler = stack.enter_context(cluster(tmp_path))
        engine = Dask(adapter, address)
        with ThreadPoolExecutor(1) as pool:
            playing = pool.submit(carry, run, engine)
            # The first chunk: both epochs, and the trivial players with the first.
            _until(lambda: len(lines(run)) == 8)
            _until(lambda: begun(watched) == 3)
            if lost == "scheduler":
                scheduler.kill()
            else:
                client = engine._client
                client.loop.add_callback(client.scheduler_comm.comm.abort)
            with pytest.raises(CannotRun, match="scheduler was lost; continue with --resume"):
                playing.result()
    (watched / RELEASED).touch()
    again = tmp_path / "again"
    again.mkdir()
    carry(run, Dask(Watched(again), shared))
    assert lines(run) == here
    assert begun(again) == 2
