"""A run over many tasks: a session of the platform or single tasks, side by side."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from coordinator.benchmark import Benchmark
from coordinator.fork import Past
from coordinator.journal import Journal, journal_paths, write_whole
from coordinator.records import Brain, RunResults, TaskResult, Turn, totals_of
from coordinator.task import TaskLoop, TaskRun
from evaluator import Evaluator, Unreadable
from ledger import ToolFault
from models.door import Door, ModelFailed
from models.records import ModelCall, total_cost, total_usage
from worker.debugger.live import LiveWatch
from worker.worker import Worker


@dataclass(frozen=True)
class RunConfig:
    """What to run and with which models."""

    benchmark: str
    evaluator: str
    worker: str
    pack: str | None = None
    tasks: tuple[str, ...] = ()
    """Specs to run as single tasks outside of a session; none: the whole benchmark."""
    jobs: int = 1
    max_turns: int = 7
    workspace: str = "default"
    name: str = ""
    architecture: str = ""
    flags: tuple[str, ...] = ()
    evaluator_base_url: str | None = None
    worker_base_url: str | None = None
    debug: bool = False
    """Stop at every tool call of the worker and ask at the terminal."""


@dataclass(frozen=True)
class TaskInfo:
    """One task of the platform, as the coordinator needs it."""

    spec_id: str
    task_id: str
    text: str


class Watcher(Protocol):
    """Someone who looks on; called from the threads that run the tasks."""

    def task_started(self, task: TaskInfo) -> None:
        """A task begins."""

    def turn_done(self, task: TaskInfo, turn: Turn) -> None:
        """A turn is over."""

    def task_done(self, result: TaskResult) -> None:
        """A task is closed and scored."""


class Session:
    """One run: starts its tasks, runs them, closes every one, writes ``results.json``."""

    def __init__(
        self,
        platform: Any,
        config: RunConfig,
        make_benchmark: Callable[[Any, str], Benchmark],
        folder: Path,
        watcher: Watcher,
        past: Past | None = None,
    ) -> None:
        """``past``: the one task of the run begins behind these recorded turns."""
        self._past = past
        self._rebuilt: dict[str, Benchmark] = {}
        self._platform = platform
        self._config = config
        self._make_benchmark = make_benchmark
        self._folder = folder
        self._watcher = watcher
        self._results: dict[str, TaskResult] = {}
        self._order: list[str] = []
        self._lock = threading.Lock()
        self._started = datetime.now(UTC)
        self._clock = time.perf_counter()
        self.session_id: str | None = None
        self._stopped = False
        """The user has left the debugger: no task is begun any more."""

    def tasks(self) -> list[TaskInfo]:
        """The tasks to run: those of a new session, or single ones by spec.

        Raises:
            ApiException: the platform refused (unknown benchmark, spec or key).
            Differs: the world of a fork could not be rebuilt.
        """
        if self._config.tasks:
            return self._singles()
        config = self._config
        started = self._platform.start_session(
            benchmark=config.benchmark,
            workspace=config.workspace,
            name=config.name,
            architecture=config.architecture,
            flags=list(config.flags),
        )
        self.session_id = started.session_id
        status = self._platform.session_status(started.session_id)
        return [TaskInfo(t.spec_id, t.task_id, t.task_text) for t in status.tasks]

    def _singles(self) -> list[TaskInfo]:
        tasks: list[TaskInfo] = []
        try:
            for spec in self._config.tasks:
                started = self._platform.start_new_task(self._config.benchmark, spec)
                tasks.append(TaskInfo(spec, started.task_id, ""))
                detail = self._platform.task_detail(started.task_id)
                tasks[-1] = TaskInfo(spec, started.task_id, detail.text)
                if self._past:
                    ready = self._make_benchmark(self._platform, started.task_id)
                    self._past.rebuild(ready, detail.text)
                    self._rebuilt[started.task_id] = ready
        except Exception:
            # A spec that does not exist must not leave the tasks before it open for ever.
            for task in tasks:
                with suppress(Exception):
                    self._platform.complete_task(task)
            raise
        return tasks

    def run(self, tasks: list[TaskInfo]) -> RunResults:
        """Run every task, at most ``jobs`` at once, and write the results after each.

        Raises:
            OSError: the journal or the results could not be written.
        """
        self._order = [t.task_id for t in tasks]
        paths = journal_paths(self._folder, [(t.task_id, t.spec_id) for t in tasks])
        pool = ThreadPoolExecutor(max_workers=self._config.jobs, thread_name_prefix="task")
        try:
            runs = [pool.submit(self._run_task, t, paths[t.task_id]) for t in tasks]
            for done in runs:
                done.result()
        finally:
            # After an interrupt the tasks under way are closed, the others never begin.
            pool.shutdown(wait=True, cancel_futures=True)
        if self._stopped:
            raise KeyboardInterrupt
        return self.write(finished=True)

    def submit(self) -> None:
        """Hand the session in. Raises ApiException where the platform refuses."""
        if self.session_id:
            self._platform.submit_session(self.session_id)

    def write(self, *, finished: bool, submitted: bool = False) -> RunResults:
        """Write ``results.json`` whole and return what it holds."""
        with self._lock:
            done = [self._results[i] for i in self._order if i in self._results]
            now = datetime.now(UTC).isoformat(timespec="seconds") if finished else None
            results = RunResults(
                run_id=self._folder.name,
                benchmark=self._config.benchmark,
                pack=self._config.pack,
                brain=Brain(evaluator=self._config.evaluator, worker=self._config.worker),
                session_id=self.session_id,
                submitted=submitted,
                started=self._started.isoformat(timespec="seconds"),
                finished=now,
                totals=totals_of(done, time.perf_counter() - self._clock),
                tasks=tuple(done),
            )
            write_whole(self._folder / "results.json", results.model_dump_json(indent=1))
        return results

    def _run_task(self, task: TaskInfo, path: Path) -> None:
        if self._stopped:
            return
        self._watcher.task_started(task)
        began = time.perf_counter()
        run = self._past.run() if self._past else TaskRun()
        with closing(Journal(path)) as journal:
            benchmark = self._play(task, journal, run)
            result = self._close(task, run, benchmark, time.perf_counter() - began)
            if result.error:
                journal.write("error", {"text": result.error})
            journal.write("result", result.model_dump(mode="json"))
        with self._lock:
            self._results[task.task_id] = result
        self.write(finished=False)
        self._watcher.task_done(result)

    def _play(self, task: TaskInfo, journal: Journal, run: TaskRun) -> Benchmark | None:
        """Run the loop; whatever happens, it comes back so that the task can be completed."""
        benchmark: Benchmark | None = None
        try:
            named = {"spec_id": task.spec_id, "task_id": task.task_id, "text": task.text}
            journal.write("task", named | (self._past.mark if self._past else {}))
            if self._past:
                self._past.write(journal)
            if not self._config.tasks:
                self._platform.start_task(task)
            benchmark = self._rebuilt.get(task.task_id) or self._make_benchmark(
                self._platform, task.task_id
            )
            self._loop(task, benchmark, journal, run).go(task.text)
        except KeyboardInterrupt:  # raised by the debugger; the task is closed all the same
            run.outcome, run.error = "error", "stopped at the debugger"
            self._stopped = True
        except (ModelFailed, Unreadable, ToolFault) as error:
            run.outcome, run.error = "error", str(error)
        except Exception as error:  # the wall of a task: the others go on, this one is closed
            run.outcome, run.error = "error", f"internal error: {type(error).__name__}: {error}"
        return benchmark

    def _loop(
        self, task: TaskInfo, benchmark: Benchmark, journal: Journal, run: TaskRun
    ) -> TaskLoop:
        note = self._noter(task, journal, run)
        config = self._config
        eyes = Door(config.evaluator, "evaluator", note, base_url=config.evaluator_base_url)
        hands = Door(config.worker, "worker", note, base_url=config.worker_base_url)
        watch = LiveWatch(config.benchmark, task.spec_id, task.text, benchmark)
        return TaskLoop(
            benchmark,
            Evaluator(eyes, benchmark.rules, benchmark.guide),
            Worker(hands, opener=watch.open if config.debug else None),
            journal,
            run,
            max_turns=config.max_turns,
            on_turn=lambda turn: self._watcher.turn_done(task, turn),
        )

    def _noter(self, task: TaskInfo, journal: Journal, run: TaskRun) -> Callable[[ModelCall], None]:
        """What happens after every model call: kept, journalled, reported to the platform."""

        def note(call: ModelCall) -> None:
            run.calls.append(call)
            journal.write("model_call", call.model_dump(mode="json"))
            try:
                self._platform.log_llm(
                    task_id=task.task_id,
                    model=call.model,
                    duration_sec=call.seconds,
                    completion=call.text,
                    prompt_tokens=call.usage.prompt or 0,
                    completion_tokens=call.usage.completion or 0,
                    cached_prompt_tokens=call.usage.cached or 0,
                )
            except Exception as error:  # a report that fails must never cost the task
                journal.write("warning", {"text": f"log_llm failed: {type(error).__name__}"})

        return note

    def _close(
        self, task: TaskInfo, run: TaskRun, benchmark: Benchmark | None, seconds: float
    ) -> TaskResult:
        """Complete the task on the platform and put its result together."""
        score: float | None = None
        eval_log = ""
        try:
            done = self._platform.complete_task(task)
            if done.eval is not None:
                score, eval_log = done.eval.score, done.eval.logs
        except Exception as error:  # an unscored task is still a result
            text = f"the task could not be completed: {type(error).__name__}: {error}"
            run.error = f"{run.error}; {text}" if run.error else text
        return TaskResult(
            spec_id=task.spec_id,
            task_id=task.task_id,
            task_text=task.text,
            score=score,
            eval_log=eval_log,
            outcome=run.outcome,
            checkouts=benchmark.checkouts if benchmark else 0,
            turns=len(run.turns),
            tool_calls=run.tool_calls,
            store_requests=run.requests,
            tokens=total_usage(run.calls),
            cost_usd=total_cost(run.calls),
            seconds=round(seconds, 3),
            error=run.error,
            wanted=benchmark.expected(eval_log) if benchmark else None,
        )
