"""Engines that play jobs: in this process, in one process per core, or on a Dask scheduler."""

from __future__ import annotations

import atexit
import gc
import importlib
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, repeat
from multiprocessing.util import Finalize
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from core.models.extras import install
from core.runs.errors import CannotRun
from core.runs.results import TaskResult
from workshop.lab.context import BenchmarkFactory
from workshop.lab.settings import Settings, cores

if TYPE_CHECKING:
    from multiprocessing.queues import SimpleQueue

AHEAD = 2
"""Jobs a worker has waiting; more would only be held in memory."""
REACH_SECONDS = 20.0


@dataclass(frozen=True)
class Job:
    """Some tasks of one pack, played once; picklable, for any process on any machine."""

    chunk: int
    """Counts the parts of the run's packs."""
    pack: str
    """A pack of the chunk's scenarios, as JSON text."""
    specs: frozenset[str]
    """Only these are played."""
    settings: Settings
    epoch: int = 0
    """In the first one the trivial players play as well, where the settings say so."""
    threads: int = 1
    stems: Mapping[str, str] = field(default_factory=dict)
    """The name of each task's journal, by spec."""
    folder: Path | None = None
    """The run folder, which keeps journals and exchanges with models; None: nothing is kept."""


class Engine(Protocol):
    """Does jobs; results come as they are ready."""

    threads: int
    """Number of concurrent tasks in a job."""

    def work(self, jobs: Iterator[Job]) -> Iterator[list[TaskResult]]:
        """Do all jobs; takes only as many from the iterator as it keeps busy with.

        Raises CannotRun: a worker was lost, or a job cannot be done.
        """


@dataclass
class Here:
    """One job after the other in this process."""

    factory: BenchmarkFactory
    threads: int = 1

    def work(self, jobs: Iterator[Job]) -> Iterator[list[TaskResult]]:
        """See ``Engine``."""
        for job in jobs:
            yield _play(job, self.factory)


@dataclass
class Processes:
    """Processes forked from one that has loaded what all of them need."""

    factory: BenchmarkFactory
    count: int
    threads: int = 1

    def work(self, jobs: Iterator[Job]) -> Iterator[list[TaskResult]]:
        """See ``Engine``."""
        context = multiprocessing.get_context("forkserver")
        factory_module = type(self.factory).__module__
        context.set_forkserver_preload([factory_module, f"{__package__}.preload"])
        free: SimpleQueue[int | None] = context.SimpleQueue()
        for core in own_cores(self.count):
            free.put(core)
        pool = ProcessPoolExecutor(
            self.count, mp_context=context, initializer=_begin, initargs=(free,)
        )
        ended = False
        try:
            play = partial(_play, factory=self.factory)
            for future in _done(pool, AHEAD * self.count, jobs, play):
                yield future.result()
            ended = True
            pool.shutdown()
        except BrokenProcessPool:
            text = "a worker process died (out of memory?); continue with --resume"
            raise CannotRun(text) from None
        finally:
            if not ended:
                # At once: what is under way is played on platforms of its own and may be lost.
                pool.shutdown(wait=False, cancel_futures=True)
                for process in multiprocessing.active_children():
                    process.terminate()


class Dask:
    """The workers of a Dask scheduler that runs already."""

    threads = 1

    def __init__(self, factory: BenchmarkFactory, address: str) -> None:
        self._factory = factory
        try:
            dask: Any = importlib.import_module("distributed")
        except ImportError:
            text = f"--scheduler needs Dask distributed: {install('lab')}"
            raise CannotRun(text) from None
        try:
            self._client: Any = dask.Client(address, timeout=REACH_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            raise CannotRun(f"the scheduler {address} cannot be reached: {error}") from None

    def work(self, jobs: Iterator[Job]) -> Iterator[list[TaskResult]]:
        """See ``Engine``."""
        with self._client:
            try:
                self._client.wait_for_workers(1, timeout=REACH_SECONDS)
            except TimeoutError:
                raise CannotRun("the scheduler has no workers") from None
            slots = sum(self._client.nthreads().values())
            # pure=False: the same job twice is two trials, not one remembered answer.
            pool = self._client.get_executor(pure=False)
            # What the workers keep would stay where they are.
            sent = (replace(job, folder=None) for job in jobs)
            play = partial(_play_on_worker, factory=self._factory)
            for future in _done(pool, AHEAD * slots, sent, play):
                try:
                    error = future.exception()
                except CancelledError:
                    text = "the connection to the scheduler was lost; continue with --resume"
                    raise CannotRun(text) from None
                if error is not None:
                    text = f"a worker of the scheduler failed: {type(error).__name__}: {error}"
                    raise CannotRun(text)
                yield future.result()


def engine_for(
    factory: BenchmarkFactory, jobs: int, tasks: int, scheduler: str | None = None
) -> Engine:
    """Return the engine for so many concurrent tasks; it never has more processes than cores.

    Raises CannotRun: the scheduler cannot be used.
    """
    if scheduler:
        return Dask(factory, scheduler)
    processes = min(jobs, cores())
    threads = -(-jobs // processes)
    if processes == 1 or tasks == 1:
        return Here(factory, threads)
    return Processes(factory, processes, threads)


def _play(job: Job, factory: BenchmarkFactory) -> list[TaskResult]:
    # Whoever only hands out the jobs need not load what plays them.
    from workshop.lab.play_job import play_job

    return play_job(job, factory)


def _play_on_worker(job: Job, factory: BenchmarkFactory) -> list[TaskResult]:
    """Play a job on a worker of Dask, whose profiler is stopped first.

    It calls ``sys._current_frames``, which on CPython 3.11 before 3.11.9 can wait forever for a
    garbage collection that waits for it (gh-106883). Dask itself turns off only its other profiler.
    """
    worker: Any = importlib.import_module("distributed").get_worker()
    for name, callback in list(worker.periodic_callbacks.items()):
        if name.startswith("profile"):
            worker.loop.add_callback(callback.stop)
    return _play(job, factory)


def _done(
    pool: Executor, room: int, jobs: Iterator[Job], play: Callable[[Job], list[TaskResult]]
) -> Iterator[Future[list[TaskResult]]]:
    """Every job as it is ready; never more of them in the pool than it has room for."""
    waiting: set[Future[list[TaskResult]]] = set()
    every = chain(jobs, repeat(None))
    while (job := next(every)) or waiting:
        if job:
            waiting.add(pool.submit(play, job))
        if not job or len(waiting) >= room:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            yield from done


def own_cores(processes: int) -> list[int | None]:
    """A core for each of so many processes, if they take all of them; else the system chooses."""
    if processes != cores() or not hasattr(os, "sched_getaffinity"):
        return [None] * processes
    return list(os.sched_getaffinity(0))


def _begin(free: SimpleQueue[int | None]) -> None:
    """Set up a new process: it ignores Ctrl-C, and its sandboxes end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What it was forked with stays: collections need not go through it, nor make copies of it.
    gc.freeze()
    gc.enable()
    core = free.get()
    if core is not None:
        # The threads of the agent and of the simulator take turns: on two cores, each turn wakes
        # the other one, which takes as long as half a request.
        os.sched_setaffinity(0, {core})
    # A process of multiprocessing leaves without the functions of atexit.
    Finalize(None, atexit._run_exitfuncs, exitpriority=1)
