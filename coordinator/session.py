"""A run over many tasks: a session of the platform, or single tasks, played concurrently."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

from coordinator.attempt import LEFT_OPEN, Attempt, complete, judged
from coordinator.benchmark import Benchmark, Environment, Platform
from coordinator.clients import ClientFactory
from coordinator.config import RunConfig
from coordinator.fork import Past
from coordinator.limits import Breaker, CancelToken, LimitReached, Meter
from coordinator.resume import Continuation
from coordinator.stages import caveat_of, chosen
from coordinator.task_plan import TaskPlan, epochs_of
from core.runs.journal import JournalFailed, journal_paths
from core.runs.manifest import ModelPair, note_progress
from core.runs.prompts import Prompts
from core.runs.results import Known, ResultsFile, RunResults, TaskResult, totals_of
from core.runs.task import TaskInfo, Watcher
from worker.worker import ExecutorFactory

WithRetries: TypeAlias = Callable[[Callable[[], None]], AbstractContextManager[None]]
"""While it lasts, waiting for the platform asks the check it is given, which may raise Halt."""
TaskExecutorFactory: TypeAlias = Callable[[TaskInfo, Environment], ExecutorFactory]
"""Gives what opens the sandboxes of one task."""


@dataclass
class Session:
    """One run: starts its tasks, runs them, closes every one, keeps their results.

    Raises ValueError: the benchmark has no such stage.
    """

    platform: Platform
    config: RunConfig
    benchmark: Benchmark
    folder: Path
    watcher: Watcher
    clients: ClientFactory
    stop: CancelToken = field(default_factory=CancelToken)
    with_retries: WithRetries = lambda _check: nullcontext()
    executor_factory: TaskExecutorFactory | None = None
    """Opens the sandboxes of each task, for a debugger."""
    known: Mapping[str, Known] = field(default_factory=dict)
    """What the pack tells of each task, by spec."""
    past: Past | None = None
    """The only task of the run starts after these recorded turns."""
    session_id: str | None = field(default=None, init=False)
    sandboxes: tuple[str, ...] = field(default=(), init=False)
    """The sandboxes in which generated code runs, and ran before a resume."""
    limit: str | None = field(default=None, init=False)
    """The limit of the run that kept tasks from being started."""
    raising: str = field(default="", init=False)
    """The option that raises it, with a value."""

    def __post_init__(self) -> None:
        config = self.config
        self.prompts = Prompts(self.folder)
        self.meter = Meter(config.run_limits, "run")
        self.breaker = Breaker(config.breaker)
        self.stages = chosen(config, self.benchmark.stages)
        self._rebuilt: dict[str, Environment] = {}
        self._results: dict[str, TaskResult] = {}
        self._file = ResultsFile(self.folder)
        self._closed: set[str] = set()
        """Tasks that an external failure has left open and that were completed since."""
        self._order: list[str] = []
        self._lock = threading.Lock()
        self.started = datetime.now(UTC)
        self._clock = time.perf_counter()
        self._submitted = False

    def tasks(self, opened: Callable[[], None] = lambda: None) -> list[TaskInfo]:
        """The tasks to run: those of a new session, or single ones by spec.

        ``opened``: called as soon as the session has its id, before anything else can fail.

        Raises:
            ApiException: the platform refused (unknown benchmark, spec or key).
            Differs: the world of a fork could not be rebuilt.
        """
        config = self.config
        if config.tasks:
            return self._singles()
        started = self.platform.start_session(
            benchmark=config.benchmark,
            workspace=config.workspace,
            name=config.name,
            architecture=config.architecture,
            flags=list(config.flags),
        )
        self.session_id = started.session_id
        opened()
        status = self.platform.session_status(started.session_id)
        return [TaskInfo(t.spec_id, t.task_id, t.task_text) for t in status.tasks]

    def _singles(self) -> list[TaskInfo]:
        tasks: list[TaskInfo] = []

        def close_unplayed() -> None:
            for task in tasks:
                with suppress(Exception):
                    self.platform.complete_task(task)

        with ExitStack() as failing:
            # A spec that does not exist must not leave the tasks before it open for ever.
            failing.callback(close_unplayed)
            for spec in self.config.tasks:
                started = self.platform.start_new_task(self.config.benchmark, spec)
                tasks.append(TaskInfo(spec, started.task_id, ""))
                detail = self.platform.task_detail(started.task_id)
                tasks[-1] = TaskInfo(spec, started.task_id, detail.text)
                if self.past:
                    ready = self.benchmark.open(self.platform, started.task_id)
                    self.past.rebuild(ready, detail.text)
                    self._rebuilt[started.task_id] = ready
            failing.pop_all()
        return tasks

    def plans(self, tasks: list[TaskInfo]) -> list[TaskPlan]:
        """How new tasks are played."""
        paths = journal_paths(self.folder, [(t.task_id, t.spec_id) for t in tasks])
        plans = [
            TaskPlan(t, paths[t.task_id], epoch, needs_start=not self.config.tasks)
            for t, epoch in zip(tasks, epochs_of(tasks), strict=True)
        ]
        for plan in plans:
            if self.past:
                self.past.continue_in(plan, self._rebuilt[plan.task.task_id])
        return plans

    def take_over(self, plan: Continuation, session_id: str | None, started: str) -> None:
        """Continue an earlier run: its tasks, what it has spent, when it started.

        A process that was killed may have kept a result in its journal alone. Raises OSError.
        """
        self._file.append_changed(plan.kept)
        self.started = datetime.fromisoformat(started)
        self.session_id = session_id
        self._order = plan.order
        self._results = {r.task_id: r for r in plan.kept}
        self._clock -= plan.seconds
        self.meter.lived(plan.seconds)
        for result in plan.kept:
            self.meter.count(result.tokens, result.cost_usd)
        for played in plan.plans:
            for call in played.earlier.calls:
                self.meter.add(call)

    @property
    def kept(self) -> list[TaskResult]:
        """Results that are known: before the run those of an earlier part, in its order."""
        return [self._results[i] for i in self._order if i in self._results]

    def run(self, plans: list[TaskPlan]) -> RunResults:
        """Run every task, at most ``jobs`` at once, and keep the result of each.

        Tasks that failed for reasons outside of the agent are still open afterwards.

        Raises:
            JournalFailed: the journal could not be written; tasks under way are left as they are.
            OSError: the results could not be written.
        """
        self._order = self._order or [plan.task.task_id for plan in plans]
        pool = ThreadPoolExecutor(max_workers=self.config.jobs, thread_name_prefix="task")
        try:
            runs = [pool.submit(self._run_task, plan) for plan in plans]
            wait(runs, return_when=FIRST_EXCEPTION)
            for done in runs:
                if done.done() and done.exception():
                    self.stop.request()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
        for done in runs:
            if not done.cancelled():
                done.result()
        return self.write()

    @property
    def unplayed(self) -> int:
        """How many tasks were never started, or have no result for another reason."""
        return sum(task_id not in self._results for task_id in self._order)

    def _left_open(self) -> list[TaskResult]:
        return [
            result
            for result in self._results.values()
            if result.failure in LEFT_OPEN and result.task_id not in self._closed
        ]

    def close_open(self) -> RunResults:
        """Complete the tasks that external failures have left open, they keep no score.

        Raises OSError.
        """
        for result in self._left_open():
            task = TaskInfo(result.spec_id, result.task_id, result.task_text)
            score, eval_log, error = complete(self.platform, task)
            group = result.group or self.benchmark.group_of(eval_log, None)
            update: dict[str, object] = {"eval_log": eval_log, "group": group}
            if error is None:
                self._closed.add(result.task_id)
            if error and error not in (result.error or ""):
                update["error"] = f"{result.error}; {error}"
            closed = judged(result.model_copy(update=update), score)
            self._results[result.task_id] = closed
            self._file.append([closed])
        return self.write()

    def submit(self, *, force: bool = False) -> None:
        """Hand the session in; ``force``: also with tasks that are not completed.

        Raises ApiException where the platform refuses.
        """
        if self.session_id:
            self.platform.submit_session(self.session_id, force=force)
            self._submitted = True

    def write(self) -> RunResults:
        """Note in ``run.json`` how far the run is; all of its results.

        It is finished when every task has a result that will not be tried again. Raises OSError.
        """
        over = not (self.stop.requested or self.unplayed or self._left_open())
        results = self._summary(over or self._submitted)
        note_progress(
            self.folder,
            finished=results.finished,
            submitted=results.submitted,
            seconds=results.totals.seconds,
        )
        return results

    def _summary(self, finished: bool) -> RunResults:
        benchmark, done = self.benchmark, self.kept
        now = datetime.now(UTC).isoformat(timespec="seconds") if finished else None
        return RunResults(
            run_id=self.folder.name,
            benchmark=self.config.benchmark,
            pack=self.config.pack_name,
            brain=ModelPair(evaluator=self.config.evaluator, worker=self.config.worker),
            strategy=self.config.strategy,
            steps=tuple(kind.name for kind in self.stages),
            caveat=caveat_of(self.stages, self.benchmark.stages),
            sandboxes=self.sandboxes,
            session_id=self.session_id,
            submitted=self._submitted,
            started=self.started.isoformat(timespec="seconds"),
            finished=now,
            harm_name=benchmark.harm_name,
            idle_group=benchmark.idle_group,
            totals=totals_of(done, time.perf_counter() - self._clock, benchmark.groups),
            tasks=tuple(done),
        )

    def _run_task(self, plan: TaskPlan) -> None:
        if self.breaker.broken or self.stop.requested or self._is_limit_reached():
            return
        self.watcher.task_started(plan.task)
        attempt = Attempt(self, plan)
        try:
            result = attempt.play()
        except JournalFailed as error:
            self.stop.break_off(str(error))
            raise
        self.breaker.count(result)
        if attempt.left_debugger:
            self.stop.request()
        with self._lock:
            self._results[plan.task.task_id] = result
            self._file.append([result])
        self.watcher.task_done(result)

    def _is_limit_reached(self) -> bool:
        try:
            self.meter.check()
        except LimitReached as reached:
            self.limit, self.raising = str(reached), reached.option
            return True
        return False
