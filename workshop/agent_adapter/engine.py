"""An engine for external agents: trials come from the platforms that they play on."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from coordinator.limits import handle_signals
from core.runs.errors import CannotRun
from core.runs.journal import Journal, JournalFailed, journal_path
from core.runs.results import TaskResult
from core.terminal.figures import reason
from workshop.agent_adapter.agent_session import (
    INTERRUPTED,
    AgentSession,
    Share,
    never_made,
    next_number,
    shares_of,
)
from workshop.agent_adapter.outcome import Cause, PlayedTask
from workshop.agent_adapter.stand_in import stand_in
from workshop.lab.benchmark_adapter import AdapterFactory, BenchmarkAdapter, Known
from workshop.lab.engines import Job
from workshop.lab.lab_run import LabRun, Trial
from workshop.lab.play_job import WHY_CHARS, play_job

LOOK_SECONDS = 0.2
"""Between two looks at what the agents have done."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
JobTrials = tuple[Job, list[Trial]]


@dataclass
class ExternalRun:
    """Plays jobs with processes of an agent; a job may be told in parts, as its tasks are done."""

    adapter_factory: AdapterFactory
    run: LabRun
    command: str
    """The agent's, with whatever secrets are in it."""
    environment: Mapping[str, str]
    folder: Path
    """Of the run."""
    threads: int = 1
    stop: threading.Event = field(default_factory=threading.Event)
    """Set where an interrupt has ended the agents."""

    def work(self, jobs: Iterator[Job]) -> Iterator[JobTrials]:
        """See ``Engine``. An interrupt ends the agents, and what they have played is told."""
        theirs: list[Job] = []
        for job in jobs:
            if job.epoch is None:
                yield job, play_job(job, self.adapter_factory)
            else:
                theirs.append(job)
        assert self.run.settings.agent is not None
        side_by_side = self.run.settings.agent.side_by_side
        with stand_in() as self._stand_in, _interrupts(self.stop):
            shares = shares_of(theirs, side_by_side, self.adapter_factory().scenarios)
            yield from self._play(shares, side_by_side)

    def _play(self, shares: Sequence[Share], side_by_side: int) -> Iterator[JobTrials]:
        adapter = self.adapter_factory()
        waiting = list(enumerate(shares, next_number(self.folder)))
        live: list[AgentSession] = []
        try:
            while waiting or live:
                while waiting and len(live) < side_by_side and not self.stop.is_set():
                    live.append(self._start(adapter, *waiting.pop(0)))
                stop = self.stop.wait(LOOK_SECONDS)
                for session in list(live):
                    why = INTERRUPTED if stop else session.why_over()
                    results = session.look()
                    if why is not None:
                        results += session.finish(why, interrupted=stop)
                        live.remove(session)
                    yield from self._reported(session.share, session.known, results)
                if stop:
                    for _, share in waiting:
                        yield from self._never_started(adapter, share)
                    return
        finally:
            for session in live:
                session.stop()

    def _start(self, adapter: BenchmarkAdapter, number: int, share: Share) -> AgentSession:
        agent = self.run.settings.agent
        assert agent is not None
        try:
            return AgentSession(
                adapter,
                share,
                agent.timeout,
                number,
                self.folder,
                self.command,
                self.environment,
                self._stand_in,
            )
        except OSError as error:
            raise CannotRun(f"the agent cannot be started: {error.strerror or error}") from None

    def _never_started(self, adapter: BenchmarkAdapter, share: Share) -> Iterator[JobTrials]:
        cause = Cause("interrupted", f"{INTERRUPTED} before an agent was started for it")
        every = [never_made(share, spec, text, cause) for spec, text in share.texts.items()]
        yield from self._reported(share, share.read(adapter)[1], every)

    def _reported(
        self, share: Share, known: Mapping[str, Known], results: Iterable[PlayedTask]
    ) -> Iterator[JobTrials]:
        """The trials by job, once their journals are on the disk."""
        by_job: dict[int, JobTrials] = {}
        for one in results:
            trial = _trial(share, known[one.result.spec_id], one)
            try:
                self._write(trial, one)
            except JournalFailed as error:
                raise CannotRun(str(error)) from None
            job = share.jobs[trial.spec_id]
            by_job.setdefault(id(job), (job, []))[1].append(trial)
        yield from by_job.values()

    def _write(self, trial: Trial, one: PlayedTask) -> None:
        """The journal of a task; of one that is played again there is one attempt more in it."""
        places = [pack.name for pack in self.run.packs]
        nth = 1 + places.index(trial.pack) * self.run.settings.epochs + trial.epoch
        with closing(Journal(journal_path(self.folder, trial.spec_id, nth))) as journal:
            task = {"spec_id": trial.spec_id, "task_id": trial.task_id, "text": trial.task_text}
            journal.write("task", {**task, "mechanics": list(trial.mechanics)})
            for request in one.seen:
                journal.write("seen", request.model_dump(mode="json"))
            for kind, texts in (("event", one.events), ("info", one.remarks)):
                for text in texts:
                    journal.write(kind, {"text": text})
            journal.write("result", result_of(trial).model_dump(mode="json"))


def _trial(share: Share, known: Known, one: PlayedTask) -> Trial:
    result = one.result
    fields = {
        "pack": share.pack,
        "epoch": share.epoch,
        "paid": one.paid,
        "why": reason("", result.eval_log)[:WHY_CHARS],
    }
    return Trial.model_validate(dict(result) | known._asdict() | fields)


def result_of(trial: Trial) -> TaskResult:
    """The trial as a line of ``results.json``."""
    return TaskResult(**{name: getattr(trial, name) for name in TaskResult.model_fields})


@contextmanager
def _interrupts(stop: threading.Event) -> Iterator[None]:
    """While this lasts the first interrupt asks for the end, the second one is the end."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def asked(_number: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    with handle_signals(SIGNALS, asked):
        yield
