"""A run over many tasks: a session of the platform, or single tasks, played concurrently."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path

from coordinator.attempt import LEFT_OPEN, Attempt, complete, judged
from coordinator.beginning import (
    ClientFactory,
    Shared,
    Start,
    TaskExecutorFactory,
    WithRetries,
    client_factory,
)
from coordinator.benchmark import Benchmark, Environment, Platform
from coordinator.config import RunConfig
from coordinator.fork import Past
from coordinator.limits import Breaker, CancelToken, LimitReached, Meter
from coordinator.resume import Continuation
from coordinator.stages import chosen
from coordinator.watching import Watcher
from core.runs.journal import JournalFailed, journal_paths, write_whole
from core.runs.prompts import Prompts
from core.runs.results import ModelPair, RunResults, TaskResult, totals_of
from core.runs.task import TaskInfo

ALWAYS = 100
"""Up to so many tasks the results are written after each of them."""
WRITING_AT_MOST = 0.02
"""Share of the time that may go into writing them in a larger run."""


class Session:
    """One run: starts its tasks, runs them, closes every one, writes ``results.json``."""

    def __init__(
        self,
        platform: Platform,
        config: RunConfig,
        benchmark: Benchmark,
        folder: Path,
        watcher: Watcher,
        *,
        clients: ClientFactory | None = None,
        past: Past | None = None,
        stop: CancelToken | None = None,
        with_retries: WithRetries = lambda _check: nullcontext(),
        executor_factory: TaskExecutorFactory | None = None,
        stage_models: Mapping[str, str] | None = None,
        groups: Mapping[str, str] | None = None,
    ) -> None:
        """``past``: the only task of the run starts after these recorded turns;
        ``executor_factory``: opens the sandboxes of each task, for a debugger;
        ``stage_models``: models of stages that do not use the evaluator's; ``groups``: the group
        of each task by spec, from the pack.

        Raises ValueError: the benchmark has no such stage."""
        self._past = past
        self._folder = folder
        self._config = config
        self._groups = groups or {}
        self._stop = stop or CancelToken()
        self._breaker = Breaker(config.breaker)
        self._shared = Shared(
            platform=platform,
            config=config,
            benchmark=benchmark,
            clients=clients or client_factory(config.ids),
            watcher=watcher,
            breaker=self._breaker,
            prompts=Prompts(folder),
            stop=self._stop,
            meter=Meter(config.run_limits, "run"),
            with_retries=with_retries,
            executor_factory=executor_factory,
            stages=chosen(config.stages, benchmark.environments.stages),
            stage_models=stage_models or {},
        )
        self._rebuilt: dict[str, Environment] = {}
        self._results: dict[str, TaskResult] = {}
        self._order: list[str] = []
        self._lock = threading.Lock()
        self.started = datetime.now(UTC)
        self._clock = time.perf_counter()
        self._write_again = 0.0
        self.session_id: str | None = None
        self.sandboxes: tuple[str, ...] = ()
        """The sandboxes in which generated code runs, and ran before a resume."""
        self._submitted = False
        self.limit: str | None = None
        """The limit of the run that kept tasks from being started."""

    def tasks(self, opened: Callable[[], None] = lambda: None) -> list[TaskInfo]:
        """The tasks to run: those of a new session, or single ones by spec.

        ``opened``: called as soon as the session has its id, before anything else can fail.

        Raises:
            ApiException: the platform refused (unknown benchmark, spec or key).
            Differs: the world of a fork could not be rebuilt.
        """
        if self._config.tasks:
            return self._singles()
        config = self._config
        started = self._shared.platform.start_session(
            benchmark=config.benchmark,
            workspace=config.workspace,
            name=config.name,
            architecture=config.architecture,
            flags=list(config.flags),
        )
        self.session_id = started.session_id
        opened()
        status = self._shared.platform.session_status(started.session_id)
        return [TaskInfo(t.spec_id, t.task_id, t.task_text) for t in status.tasks]

    def _singles(self) -> list[TaskInfo]:
        tasks: list[TaskInfo] = []
        try:
            for spec in self._config.tasks:
                started = self._shared.platform.start_new_task(self._config.benchmark, spec)
                tasks.append(TaskInfo(spec, started.task_id, ""))
                detail = self._shared.platform.task_detail(started.task_id)
                tasks[-1] = TaskInfo(spec, started.task_id, detail.text)
                if self._past:
                    ready = self._shared.benchmark.environments.open(
                        self._shared.platform, started.task_id
                    )
                    self._past.rebuild(ready, detail.text)
                    self._rebuilt[started.task_id] = ready
        except Exception:
            # A spec that does not exist must not leave the tasks before it open for ever.
            for task in tasks:
                with suppress(Exception):
                    self._shared.platform.complete_task(task)
            raise
        return tasks

    def starts(self, tasks: list[TaskInfo]) -> list[Start]:
        """How the attempts of new tasks begin."""
        paths = journal_paths(self._folder, [(t.task_id, t.spec_id) for t in tasks])
        return [
            Start(
                path=paths[t.task_id],
                needs_start=not self._config.tasks,
                history=self._past,
                environment=self._rebuilt.get(t.task_id),
            )
            for t in tasks
        ]

    def take_over(self, plan: Continuation, session_id: str | None, started: str) -> None:
        """Continue an earlier run: its tasks, what it has spent, when it started."""
        self.started = datetime.fromisoformat(started)
        self.session_id = session_id
        self._order = plan.order
        self._results = {r.task_id: r for r in plan.kept}
        self._clock -= plan.seconds
        self._shared.meter.lived(plan.seconds)
        for result in plan.kept:
            self._shared.meter.count(result.tokens, result.cost_usd)
        for start in plan.starts:
            for call in start.history.run().calls if start.history else ():
                self._shared.meter.add(call)

    @property
    def kept(self) -> list[TaskResult]:
        """Results that are known: before the run those of an earlier part, in its order."""
        return [self._results[i] for i in self._order if i in self._results]

    def run(self, tasks: list[TaskInfo], starts: list[Start] | None = None) -> RunResults:
        """Run every task, at most ``jobs`` at once, and write the results after each.

        Tasks that failed for reasons outside of the agent are still open afterwards.

        Raises:
            JournalFailed: the journal could not be written; tasks under way are left as they are.
            OSError: the results could not be written.
        """
        self._order = self._order or [t.task_id for t in tasks]
        pool = ThreadPoolExecutor(max_workers=self._config.jobs, thread_name_prefix="task")
        try:
            begins = zip(tasks, starts or self.starts(tasks), strict=True)
            runs = [pool.submit(self._run_task, task, start) for task, start in begins]
            wait(runs, return_when=FIRST_EXCEPTION)
            for done in runs:
                if done.done() and done.exception():
                    self._stop.request()
        finally:
            self._breaker.release()
            pool.shutdown(wait=True, cancel_futures=True)
        for done in runs:
            if not done.cancelled():
                done.result()
        return self.write()

    @property
    def broken(self) -> str | None:
        """The reason why the breaker stopped the run; None if it did not."""
        return self._breaker.broken

    @property
    def unplayed(self) -> int:
        """How many tasks were never started, or have no result for another reason."""
        return sum(task_id not in self._results for task_id in self._order)

    def _left_open(self) -> list[TaskResult]:
        """The tasks that are still open after external failures."""
        return [r for r in self._results.values() if r.failure in LEFT_OPEN and r.score is None]

    def close_open(self) -> RunResults:
        """Complete the tasks that external failures have left open, and score them."""
        for result in self._left_open():
            self._results[result.task_id] = self._closed(result)
        return self.write()

    def _closed(self, result: TaskResult) -> TaskResult:
        task = TaskInfo(result.spec_id, result.task_id, result.task_text)
        score, eval_log, error = complete(self._shared.platform, task)
        group = self._shared.benchmark.results.expected(eval_log, None)
        update: dict[str, object] = {"score": score, "eval_log": eval_log, "group": group}
        if error and error not in (result.error or ""):
            update["error"] = f"{result.error}; {error}"
        return judged(result.model_copy(update=update), self._shared.benchmark)

    def submit(self, *, force: bool = False) -> None:
        """Hand the session in; ``force``: also with tasks that are not completed.

        Raises ApiException where the platform refuses.
        """
        if self.session_id:
            self._shared.platform.submit_session(self.session_id, force=force)
            self._submitted = True

    def write(self, *, running: bool = False) -> RunResults:
        """Write ``results.json`` whole and return what it holds.

        It is finished when every task has a result that will not be tried again.
        """
        over = not (running or self._stop.requested or self.unplayed or self._left_open())
        with self._lock:
            began = time.perf_counter()
            results = self._summary(over or self._submitted)
            write_whole(self._folder / "results.json", results.model_dump_json(indent=1))
            spent = time.perf_counter() - began
            self._write_again = time.perf_counter() + spent / WRITING_AT_MOST
        return results

    def _summary(self, finished: bool) -> RunResults:
        done, words = [self._grouped(task) for task in self.kept], self._shared.benchmark.results
        now = datetime.now(UTC).isoformat(timespec="seconds") if finished else None
        return RunResults(
            run_id=self._folder.name,
            benchmark=self._config.benchmark,
            pack=self._config.pack_name,
            brain=ModelPair(evaluator=self._config.evaluator, worker=self._config.worker),
            strategy=self._config.strategy,
            steps=tuple(kind.name for kind in self._shared.stages),
            sandboxes=self.sandboxes,
            session_id=self.session_id,
            submitted=self._submitted,
            started=self.started.isoformat(timespec="seconds"),
            finished=now,
            harm_name=words.harm_name,
            idle_group=words.idle_group,
            totals=totals_of(
                done, time.perf_counter() - self._clock, self._shared.benchmark.results.groups
            ),
            tasks=tuple(done),
        )

    def _grouped(self, task: TaskResult) -> TaskResult:
        """The result with the group that the pack tells: the evaluator's log need not."""
        group = self._groups.get(task.spec_id, task.group)
        return task if group == task.group else task.model_copy(update={"group": group})

    def _run_task(self, task: TaskInfo, start: Start) -> None:
        if not self._breaker.admits():
            return
        if self._stop.requested or self._spent():
            self._breaker.release()
            return
        self._shared.watcher.task_started(task)
        attempt = Attempt(self._shared, task, start)
        try:
            result = attempt.play()
        except BaseException as error:
            self._breaker.release()
            if isinstance(error, JournalFailed):
                self._stop.break_off(str(error))
            raise
        self._breaker.ended(result)
        if attempt.left_debugger:
            self._stop.request()
        with self._lock:
            self._results[task.task_id] = result
            due = len(self._results) <= ALWAYS or time.perf_counter() >= self._write_again
        if due:
            self.write(running=True)
        self._shared.watcher.task_done(result)

    def _spent(self) -> bool:
        """Whether a limit of the run is reached, so that no further task may start."""
        try:
            self._shared.meter.check()
        except LimitReached as reached:
            self.limit = str(reached)
            return True
        return False
