"""Where jobs are done: in this process, in one process a core, or on a Dask scheduler."""

from __future__ import annotations

import atexit
import importlib
import multiprocessing
import os
import signal
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import forkserver
from multiprocessing.util import Finalize
from typing import TYPE_CHECKING, Any, Protocol

from lab.cores import cores, one_each
from lab.invitation import Invitation
from lab.job import Job
from lab.records import Trial
from models.extras import install
from runs.errors import CannotRun

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext
    from multiprocessing.queues import SimpleQueue

AHEAD = 2
"""Jobs a worker has waiting; more would only be held in memory."""
REACH_SECONDS = 5.0
"""How long a scheduler may take to answer."""


class Engine(Protocol):
    """Does jobs; results come as they are ready."""

    threads: int
    """Tasks side by side within a job."""

    def work(self, jobs: Iterator[Job]) -> Iterator[tuple[Job, list[Trial]]]:
        """Do all jobs; takes only as many from the iterator as it keeps busy with.

        Raises:
            CannotRun: a worker was lost, or a job cannot be done.
        """


class Here:
    """One job after the other in this process."""

    def __init__(self, invitation: Invitation, threads: int = 1) -> None:
        self._invitation = invitation
        self.threads = threads

    def work(self, jobs: Iterator[Job]) -> Iterator[tuple[Job, list[Trial]]]:
        """See ``Engine``."""
        for job in jobs:
            yield job, _do(job, self._invitation)


class Processes:
    """Warm processes: what is imported once, in the server that they are forked from."""

    def __init__(self, invitation: Invitation, count: int, threads: int = 1) -> None:
        self._invitation = invitation
        self._count = count
        self.threads = threads

    def work(self, jobs: Iterator[Job]) -> Iterator[tuple[Job, list[Trial]]]:
        """See ``Engine``."""
        context = _context(self._invitation)
        cores_left: SimpleQueue[int | None] = context.SimpleQueue()
        for core in one_each(self._count):
            cores_left.put(core)
        pool = ProcessPoolExecutor(
            self._count, mp_context=context, initializer=_begin, initargs=(cores_left,)
        )
        waiting: dict[Future[list[Trial]], Job] = {}
        try:
            for job in jobs:
                waiting[pool.submit(_do, job, self._invitation)] = job
                if len(waiting) >= AHEAD * self._count:
                    yield from _ready(waiting)
            while waiting:
                yield from _ready(waiting)
            pool.shutdown()
        except BrokenProcessPool:
            text = "a worker process died (out of memory?); go on with --resume"
            raise CannotRun(text) from None
        finally:
            if waiting:
                _end(pool)


class Dask:
    """The workers of a Dask scheduler that runs already."""

    threads = 1

    def __init__(self, invitation: Invitation, address: str) -> None:
        self._invitation = invitation
        try:
            self._dask: Any = importlib.import_module("distributed")
        except ImportError:
            text = f"--scheduler needs Dask distributed: {install('lab')}"
            raise CannotRun(text) from None
        try:
            self._client: Any = self._dask.Client(
                address, timeout=REACH_SECONDS, set_as_default=False
            )
        except (OSError, ValueError) as error:
            raise CannotRun(f"the scheduler {address} cannot be reached: {error}") from None

    def work(self, jobs: Iterator[Job]) -> Iterator[tuple[Job, list[Trial]]]:
        """See ``Engine``."""
        with self._client:
            slots = self._slots()
            waiting: dict[str, Job] = {}
            ready = self._dask.as_completed(loop=self._client.loop)
            for job in jobs:
                self._submit(job, ready, waiting)
                if len(waiting) >= AHEAD * slots:
                    yield _result(next(ready), waiting)
            while waiting:
                yield _result(next(ready), waiting)

    def _slots(self) -> int:
        """Jobs that the workers can do at once."""
        try:
            self._client.wait_for_workers(1, timeout=REACH_SECONDS)
        except TimeoutError:
            raise CannotRun("the scheduler has no workers") from None
        return sum(self._client.nthreads().values())

    def _submit(self, job: Job, ready: Any, waiting: dict[str, Job]) -> None:
        # pure=False: the same job twice is two trials, not one remembered answer.
        future = self._client.submit(_do, job, self._invitation, pure=False)
        waiting[future.key] = job
        ready.add(future)


def engine_for(invitation: Invitation, jobs: int, tasks: int, scheduler: str | None) -> Engine:
    """The engine for so many tasks side by side: never more processes than cores."""
    if scheduler:
        return Dask(invitation, scheduler)
    processes = min(jobs, cores())
    threads = -(-jobs // processes)
    if processes == 1 or tasks == 1:
        return Here(invitation, threads)
    return Processes(invitation, processes, threads)


def warm_up(invitation: Invitation, jobs: int, scheduler: str | None) -> None:
    """Begin to load what processes will need, beside whatever is done before there is work."""
    if min(jobs, cores()) > 1 and not scheduler:
        _context(invitation)
        forkserver.ensure_running()


def _context(invitation: Invitation) -> ForkServerContext:
    """Processes forked from one that has loaded what all of them need."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([invitation.preload])
    return context


def _do(job: Job, invitation: Invitation) -> list[Trial]:
    # Whoever only hands out the jobs need not load what plays them.
    from lab.work import do

    return do(job, invitation)


def _result(future: Any, waiting: dict[str, Job]) -> tuple[Job, list[Trial]]:
    job = waiting.pop(future.key)
    error = future.exception()
    if error is not None:
        raise CannotRun(f"a worker of the scheduler failed: {type(error).__name__}: {error}")
    trials: list[Trial] = future.result()
    future.release()
    return job, trials


def _ready(waiting: dict[Future[list[Trial]], Job]) -> Iterator[tuple[Job, list[Trial]]]:
    done, _ = wait(waiting, return_when=FIRST_COMPLETED)
    for future in done:
        yield waiting.pop(future), future.result()


def _begin(cores_left: SimpleQueue[int | None]) -> None:
    """In a new process: the interrupt key is for the one that waits; sandboxes end with us."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    core = cores_left.get()
    if core is not None:
        # Our threads and the platform's take turns: on two cores each turn wakes the other one,
        # which takes as long as half a request.
        os.sched_setaffinity(0, {core})
    # A process of multiprocessing leaves without the functions of atexit.
    Finalize(None, atexit._run_exitfuncs, exitpriority=1)


def _end(pool: ProcessPoolExecutor) -> None:
    """Stop at once: what is under way is played on platforms of its own and may be lost."""
    pool.shutdown(wait=False, cancel_futures=True)
    for process in multiprocessing.active_children():
        process.terminate()
