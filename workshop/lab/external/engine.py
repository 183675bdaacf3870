"""``regress --agent``: trials come from the simulators that an external agent plays on."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from coordinator.limits import handle_signals
from core.models.redact import MASK, redact
from core.runs.errors import CannotRun
from core.runs.hints import command
from core.runs.journal import Journal, JournalFailed, journal_path
from core.terminal.figures import reason, so_many_tasks
from workshop.agent_adapter.launch import commit_of
from workshop.agent_adapter.stand_in import stand_in
from workshop.lab.benchmark_adapter import AdapterFactory, BenchmarkAdapter, Known
from workshop.lab.engines import Job
from workshop.lab.external.agent_session import (
    INTERRUPTED,
    AgentSession,
    Launch,
    Share,
    next_number,
    records_of,
    shares_of,
)
from workshop.lab.external.outcome import Cause, PlayedTask
from workshop.lab.lab_folder import LabFolder
from workshop.lab.lab_run import ExternalAgent, LabRun, Settings, Trial
from workshop.lab.play_job import WHY_CHARS, play_job
from workshop.lab.run_files import write_results

if TYPE_CHECKING:
    from workshop.lab.regress import RegressOptions

LOOK_SECONDS = 0.2
MODELS_NAMED = 3
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def settings_of(options: RegressOptions) -> Settings:
    """The settings of a run of the agent that is asked for."""
    command = options.agent or ""
    agent = ExternalAgent(
        command=redact(command),
        commit=commit_of(command),
        side_by_side=options.agents_side_by_side,
        timeout=options.agent_timeout,
    )
    return Settings(
        benchmark=options.benchmark,
        packs=options.pack,
        evaluator=_label(agent),
        worker=_label(agent),
        strategy=None,
        epochs=options.epochs,
        agent=agent,
    )


def _label(agent: ExternalAgent, models: Iterable[str] = ()) -> str:
    name = ", ".join(agent.session_names) or "agent"
    version = f" @ {agent.commit}" if agent.commit else ""
    return ", ".join((f"{name}: {agent.command}{version}", *list(models)[:MODELS_NAMED]))


@dataclass
class ExternalRun:
    """Plays jobs with processes of an agent; trials come as its tasks are done."""

    adapter_factory: AdapterFactory
    agent: ExternalAgent
    command: str | None
    """The command as typed, including secrets; None for a resumed run."""
    environment: Mapping[str, str]
    folder: Path
    threads: int = 1
    stop: threading.Event = field(default_factory=threading.Event)
    """Set where an interrupt has ended the agents."""

    def __post_init__(self) -> None:
        """Raises CannotRun: the command of the run to resume contained a secret."""
        if self.command is None and MASK in self.agent.command:
            text = "the agent's command contained a secret, and secrets are not stored"
            raise CannotRun(f"{text}; pass it in an environment variable and start again")

    def work(self, jobs: Iterator[Job]) -> Iterator[list[Trial]]:
        """See ``Engine``. An interrupt ends the agents, and what they have played is kept."""
        agent, theirs = self.agent, list[Job]()
        for job in jobs:
            if job.epoch is None:
                yield play_job(job, self.adapter_factory)
            else:
                theirs.append(job)
        with stand_in() as package, _interrupts(self.stop):
            command = self.command or agent.command
            launch = Launch(self.folder, command, self.environment, package, agent.timeout)
            yield from self._play(theirs, launch, agent.side_by_side)

    def _play(
        self, jobs: Iterable[Job], launch: Launch, side_by_side: int
    ) -> Iterator[list[Trial]]:
        adapter = self.adapter_factory()
        shares = shares_of(jobs, side_by_side, adapter.scenarios)
        waiting = list(enumerate(shares, next_number(self.folder)))
        live: list[AgentSession] = []
        try:
            while waiting or live:
                while waiting and len(live) < side_by_side and not self.stop.is_set():
                    number, share = waiting.pop(0)
                    live.append(AgentSession(adapter, share, number, launch))
                stop = self.stop.wait(LOOK_SECONDS)
                for session in list(live):
                    why = INTERRUPTED if stop else session.why_over()
                    results = session.look()
                    if why is not None:
                        results += session.finish(why)
                        live.remove(session)
                    yield self._noted(session.share, session.known, results)
                if stop:
                    text = f"{INTERRUPTED} before an agent was started for it"
                    cause = Cause("interrupted", text)
                    for _, share in waiting:
                        never = [share.never_made(spec, cause) for spec in share.texts]
                        yield self._noted(share, share.read(adapter)[1], never)
                    return
        finally:
            for session in live:
                session.stop()

    def _noted(
        self, share: Share, known: Mapping[str, Known], results: Iterable[PlayedTask]
    ) -> list[Trial]:
        """The trials, once their journals are on the disk."""
        trials = []
        for one in results:
            why = reason("", one.result.eval_log)[:WHY_CHARS]
            fields = {"pack": share.pack, "epoch": share.epoch, "paid": one.paid, "why": why}
            facts = known[one.result.spec_id]._asdict()
            trial = Trial.model_validate(dict(one.result) | facts | fields)
            job = share.jobs[trial.spec_id]
            nth = 1 + job.earlier.get(trial.spec_id, 0) * job.settings.epochs + trial.epoch
            try:
                self._write(trial, one, journal_path(self.folder, trial.spec_id, nth))
            except JournalFailed as error:
                raise CannotRun(str(error)) from None
            trials.append(trial)
        return trials

    def _write(self, trial: Trial, one: PlayedTask, path: Path) -> None:
        """The journal of a task; of one that is played again there is one attempt more in it."""
        with closing(Journal(path)) as journal:
            task = {"spec_id": trial.spec_id, "task_id": trial.task_id, "text": trial.task_text}
            journal.write("task", {**task, "mechanics": list(trial.mechanics)})
            for request in one.observed:
                journal.write("seen", request.model_dump(mode="json"))
            for kind, texts in (("event", one.events), ("info", one.remarks)):
                for text in texts:
                    journal.write(kind, {"text": text})
            journal.write("result", trial.result.model_dump(mode="json"))


@contextmanager
def _interrupts(stop: threading.Event) -> Iterator[None]:
    """While this lasts the first interrupt asks for the end, the second one is the end."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(_number: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    with handle_signals(SIGNALS, end):
        yield


def complete(folder: LabFolder, run: LabRun, adapter: BenchmarkAdapter) -> None:
    """Write ``results.json`` and the report of a run, and who played into ``lab.json``."""
    records = records_of(folder.path)
    sessions = [one for record in records for one in record.sessions]
    models = dict.fromkeys(name for record in records for name in record.models)
    names = dict.fromkeys(name for record in records for name in record.names)
    assert run.settings.agent is not None
    agent = run.settings.agent.model_copy(update={"session_names": tuple(names)})
    label = _label(agent, models)
    update = {"agent": agent, "evaluator": label, "worker": label}
    settings = run.settings.model_copy(update=update)
    folder.write(run.model_copy(update={"settings": settings}))
    finished = None if _interrupted(run) else run.finished
    noted = run.model_copy(update={"settings": settings, "finished": finished})
    session_id = sessions[0][0] if len(sessions) == 1 else None
    submitted = bool(sessions) and all(done for _, done in sessions)
    write_results(folder, noted, adapter, session_id, submitted)


def check_end(run: LabRun, path: Path) -> None:
    """Raises CannotRun where a run was interrupted, or the agent did not play it all.

    That is: it began nothing, or it died or was ended before its tasks were completed.
    """
    if _interrupted(run):
        raise CannotRun(f"interrupted; resume: {command('regress', '--resume', path)}")
    records = records_of(path)
    if all(len(record.never_begun) == record.tasks for record in records):
        raise CannotRun("the agent started no task")
    early = [
        one
        for one in records
        if (one.failed or one.ended_by not in (None, INTERRUPTED))
        and (one.never_begun or one.never_completed)
    ]
    if early:
        why = ", ".join(f"agent {one.number}: {one.ended_by or one.exit}" for one in early)
        left = sum(len(one.never_begun) + len(one.never_completed) for one in early)
        text = f"the agent ended early and left {so_many_tasks(left)} open ({why})"
        raise CannotRun(text)


def _interrupted(run: LabRun) -> bool:
    return any("interrupted" in summary.failures for summary in run.summaries)
