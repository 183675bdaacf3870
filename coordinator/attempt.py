"""One attempt at a task: starts or resumes it, plays it, and closes it on the platform."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING

from coordinator.benchmark import Environment, Platform, is_harmful
from coordinator.limits import Halt, LimitReached, Meter
from coordinator.strategy import strategy_of
from coordinator.task import TaskLoop
from coordinator.task_plan import TaskPlan
from core.ledger import Ledger, LedgerEntry, Notice, ToolFault
from core.models.model_call import CallObserver, Message, ModelCall, total_cost, total_usage
from core.models.model_client import ModelClient, ModelFailed
from core.models.reprompt import Unreadable
from core.runs.journal import Journal, JournalFailed
from core.runs.reader import NOTED
from core.runs.results import PASS, Failure, Known, TaskResult
from core.runs.task import PREPARED, Decision, TaskInfo, TaskProgress

if TYPE_CHECKING:
    from coordinator.session import Session

LEFT_OPEN = frozenset({"model", "benchmark", "internal"})
"""Failures after which a task is not completed at once."""
EVAL_CHARS = 20_000
"""Maximum characters kept of the platform evaluator's log."""


class Telemetry:
    """The reports of one task: one after the other, in a thread of their own.

    A report that fails never costs the task. It is kept, as a task without any loses score.
    """

    def __init__(
        self,
        platform: Platform,
        task_id: str,
        with_retries: Callable[[], AbstractContextManager[None]],
    ) -> None:
        """``with_retries``: what lasts while a report is sent and may end its pauses."""
        self._platform = platform
        self._task_id = task_id
        self._with_retries = with_retries
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="telemetry")
        self._sent: list[tuple[ModelCall, Future[None]]] = []

    def report(self, call: ModelCall) -> None:
        """Send the report of a call; this does not wait for it."""
        self._sent.append((call, self._pool.submit(self._send, call)))

    def settle(self) -> tuple[list[str], int]:
        """Wait for every report; send again, for the whole retry time, what was not taken.

        The platform is waited for once: behind a report that it does not take none is tried.
        Return in words why reports were not taken at once, and how many are lost for good.
        """
        missed = [(call, error) for call, sent in self._sent if (error := sent.exception())]
        self._sent.clear()
        left = [call for call, _ in missed]
        with suppress(Exception):  # of the platform's client, which may be the official one
            while left:
                self._platform.log_llm_late(**self._report_of(left[0]))
                left.pop(0)
        return [f"log_llm failed: {type(error).__name__}" for _, error in missed], len(left)

    def close(self) -> None:
        """Send nothing more; a report that is on its way is not waited for."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _send(self, call: ModelCall) -> None:
        with self._with_retries():
            self._platform.log_llm(**self._report_of(call))

    def _report_of(self, call: ModelCall) -> dict[str, object]:
        return {
            "task_id": self._task_id,
            "model": call.slug or call.model,
            "duration_sec": call.seconds,
            "completion": call.text,
            "prompt_tokens": call.usage.prompt or 0,
            "completion_tokens": call.usage.completion or 0,
            "cached_prompt_tokens": call.usage.cached or 0,
        }


@dataclass
class Attempt(CallObserver):
    """Plays one task from its start to its result; watches the model calls of it meanwhile."""

    session: Session
    plan: TaskPlan
    left_debugger: bool = False
    _begun: bool = False
    """Whether the task was started and the benchmark knows what was done before."""

    def __post_init__(self) -> None:
        self.task, self.run = self.plan.task, self.plan.earlier
        config = self.session.config
        self._meter = Meter(config.task_limits, "task")
        self._pack = config.pack_name or ""
        self._known = self.session.known.get(self.task.spec_id, Known())
        self._telemetry = Telemetry(
            self.session.platform, self.task.task_id, lambda: self.session.with_retries(self.gate)
        )

    def play(self) -> TaskResult:
        """Play the task and close it, whatever happens.

        Raises JournalFailed: nothing more may be done; the task is left as it is.
        """
        began = time.perf_counter()
        for call in self.run.calls:
            self._meter.add(call)
        earlier = self.run.seconds
        self._meter.lived(earlier)
        with closing(Journal(self.plan.path)) as self._journal, closing(self._telemetry):
            restored = len(self.run.calls)
            environment = self._play()
            if restored and len(self.run.calls) == restored and not self.plan.closed:
                # The process that made them may have been killed before it reported any, and a
                # task without a reported call loses score; one too many counts its tokens twice.
                self._telemetry.report(self.run.calls[-1])
            warnings, lost = self._telemetry.settle()
            for warning in warnings:
                self._journal.write("warning", {"text": warning})
            if lost:
                self._also(f"{lost} reports of model calls were not accepted by the platform")
            result = self._close(environment, earlier + time.perf_counter() - began)
            if result.error:
                self._journal.write("error", {"text": result.error, "failure": result.failure})
            self._journal.write("result", result.model_dump(mode="json"))
        return result

    def _play(self) -> Environment | None:
        """Run the loop; the task is ready to be closed afterwards, whatever happened."""
        session, environment = self.session, self.plan.environment
        try:
            with session.with_retries(self.gate):
                if environment is None:
                    environment = session.benchmark.open(session.platform, self.task.task_id)
                self._begin(environment)
                loop = self._loop(environment)
                if self.plan.closed:
                    loop.conclude()
                else:
                    loop.go(self.task.text)
        except JournalFailed:
            raise
        except KeyboardInterrupt:  # raised by the debugger; the task is closed all the same
            self._fail("interrupted", "stopped at the debugger")
            self.left_debugger = True
        except Halt as halt:
            limit = isinstance(halt, LimitReached)
            self._fail("limit" if limit else "interrupted", str(halt))
        except ModelFailed as error:
            self._fail("model", str(error))
        except Unreadable as error:
            self._fail("reply", str(error))
        except ToolFault as error:
            self._fail("benchmark", str(error))
        except Exception as error:  # the wall of a task: the others go on, this one is closed
            self._fail("internal", f"internal error: {type(error).__name__}: {error}")
        return environment

    def _fail(self, failure: Failure, text: str) -> None:
        self.run.failure, self.run.error = failure, text
        self.run.outcome = "unfinished" if failure in ("limit", "interrupted") else "error"

    def _begin(self, environment: Environment) -> None:
        """Write the first record, start the task, and restore the environment's memory."""
        task, plan = self.task, self.plan
        named: dict[str, object] = asdict(task) | {"attempt": plan.attempt, "pack": self._pack}
        named |= {"epoch": plan.epoch, "mechanics": self._known.mechanics}
        plan.begin(self._journal, named)
        if plan.needs_start:
            try:
                self.session.platform.start_task(task)
            except (Halt, JournalFailed):
                raise
            except Exception as error:
                text = f"the task could not be started: {type(error).__name__}: {error}"
                raise ToolFault(text, fatal=True) from None
        if plan.goes_on or plan.entries:
            environment.restore(plan.entries)
        self._begun = True

    def _loop(self, environment: Environment) -> TaskLoop:
        session, benchmark = self.session, self.session.benchmark
        # A stage that has no model is no tool, in prompts as in the ledger.
        asked = [kind for kind in session.stages if kind.tool and self._stage_client(kind.name)]
        factory = session.executor_factory
        executor_factory = factory(self.task, environment) if factory else None
        return TaskLoop(
            environment,
            strategy_of(
                session.config,
                benchmark,
                asked,
                lambda role: session.clients(role, self),
                executor_factory,
            ),
            self._journal,
            self.run,
            max_turns=session.config.max_turns,
            on_entry=self._on_entry,
            on_turn=partial(self.session.watcher.turn_done, self.task),
            on_decision=self._on_decision,
            on_call=partial(self.session.watcher.tool_called, self.task),
            stages=self.session.stages,
            client=self._stage_client,
            texts=benchmark.options.texts,
            needs_answer=benchmark.needs_answer,
        )

    def _stage_client(self, step: str) -> ModelClient | None:
        """The way to a stage's model; no limit closes a task in the midst of a write."""
        writes = any(kind.name == step and kind.arm for kind in self.session.stages)
        return self.session.clients(step, LeftOpen(self) if writes else self)

    def _on_decision(self, number: int, decision: Decision) -> None:
        self.session.watcher.decided(self.task, number, decision)

    def _on_entry(self, noted: LedgerEntry | Notice) -> None:
        """Note intents, durably, before they are sent, and every write after it."""
        kind = next(kind for kind, record in NOTED.items() if isinstance(noted, record))
        self._journal.write(kind, noted.model_dump(mode="json"), durable=kind == "intent")

    def gate(self) -> None:
        """Asked before every model call. Raises Halt."""
        self.session.stop.check()
        self.session.meter.check()
        self._meter.check()

    def on_prompt(self, messages: Sequence[Message]) -> None:
        """Keep the texts of a prompt, each once: those for all tasks beside the journals."""
        for message in messages:
            if message["role"] == "system":
                self.session.prompts.keep(message["content"])
            else:
                self._journal.text(message["content"])

    def on_call(self, call: ModelCall) -> None:
        """Keep a model call, journal it, report it to the platform."""
        self.run.calls.append(call)
        self._meter.add(call)
        self.session.meter.add(call)
        self._journal.write("model_call", call.model_dump(mode="json"))
        self.session.watcher.call_done(self.task, call)
        self._telemetry.report(call)

    def _close(self, environment: Environment | None, seconds: float) -> TaskResult:
        """Complete the task on the platform and assemble its result.

        After an external failure the task stays open, so that it can be played again.
        """
        task, run = self.task, self.run
        progress = environment.progress if environment else TaskProgress(ending="")
        if run.failure and progress.finished:
            # What is done is done: a fault that came after it leaves nothing to try again.
            run.outcome, run.failure = "finished", None
        score, eval_log = (None, "") if run.failure in LEFT_OPEN else self._complete(environment)
        progress = environment.progress if environment else progress
        verdict = progress.ending if environment and run.outcome == "finished" else None
        fits = score is not None and score >= PASS
        # What the pack tells goes before what the evaluator's log does, which need not tell it.
        told = self.session.benchmark.group_of(eval_log, verdict if fits else None)
        result = TaskResult(
            pack=self._pack,
            spec_id=task.spec_id,
            epoch=self.plan.epoch,
            task_id=task.task_id,
            task_text=task.text,
            journal=self.plan.path.stem,
            score=score,
            eval_log=eval_log,
            outcome=run.outcome,
            verdict=verdict,
            group=self._known.group or told,
            acts=progress.side_effects,
            turns=sum(turn.closed_by != PREPARED for turn in run.turns),
            tool_calls=run.tool_calls,
            requests=run.requests,
            tokens=total_usage(run.calls),
            cost_usd=total_cost(run.calls),
            seconds=round(seconds, 3),
            error=run.error,
            failure=run.failure,
            cause=None if fits else run.cause,
            failed_steps=run.failed_steps,
            attempt=self.plan.attempt,
            mechanics=self._known.mechanics,
            best=self._known.best,
        )
        return judged(result, score)

    def _complete(self, environment: Environment | None) -> tuple[float | None, str]:
        """Complete the task, unless its answer may be lost: its score and the evaluator's log."""
        if environment and self._begun and self.run.outcome != "finished":
            ledger = Ledger(on_entry=self._on_entry)
            try:
                with closing(ledger):
                    environment.finish(None, ledger)
            except Exception as problem:  # what is to be done without it is decided by who closes
                self._also(f"the task could not be given up: {type(problem).__name__}: {problem}")
            self.run.requests += ledger.requests
        score, eval_log = None, ""
        error: str | None = (
            "the task was not completed, because it is unknown whether its answer arrived"
        )
        needed = self.session.benchmark.needs_answer
        if environment and (not needed or environment.progress.finished):
            score, eval_log, error = complete(self.session.platform, self.task)
        if error:
            self._also(error)
            # It stays open, whatever ended it: it can be tried again or closed later.
            self.run.failure = "benchmark"
        return score, eval_log

    def _also(self, error: str) -> None:
        self.run.error = f"{self.run.error}; {error}" if self.run.error else error


@dataclass
class LeftOpen(CallObserver):
    """Watches calls as another does; a limit is a model that does not answer.

    What was about to be written is not known to be right, so the task is left open.
    """

    observer: CallObserver

    def on_prompt(self, messages: Sequence[Message]) -> None:
        """Keep the texts of a prompt."""
        self.observer.on_prompt(messages)

    def gate(self) -> None:
        """Asked before every call. Raises ModelFailed at a limit, and Halt."""
        try:
            self.observer.gate()
        except LimitReached as limit:
            raise ModelFailed(f"nothing was written: {limit}") from None

    def on_call(self, call: ModelCall) -> None:
        """Keep a call."""
        self.observer.on_call(call)


def judged(result: TaskResult, score: float | None) -> TaskResult:
    """The result with what the platform's score says of its acts: whether they did harm.

    The score of a task that ended with an error tells that, too, and nothing else.
    """
    fits = None if score is None else score >= PASS
    return result.model_copy(update={"harm": is_harmful(result.acts, fits)})


def complete(platform: Platform, task: TaskInfo) -> tuple[float | None, str, str | None]:
    """Complete a task on the platform: its score, the evaluator's log, what went wrong."""
    try:
        done = platform.complete_task(task)
    except Exception as error:  # an unscored task is still a result
        return None, "", f"the task could not be completed: {type(error).__name__}: {error}"
    if done.eval is None:
        return None, "", None
    return done.eval.score, done.eval.logs[:EVAL_CHARS], None
