"""Agents that are not ours: ``agent`` and ``regress --agent`` play them by one launcher.

The results come from the simulators that the agent plays on, and land in a run like any other.
"""

from __future__ import annotations

import json
import shlex
import signal
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from types import FrameType

import typer
from pydantic import BaseModel

from coordinator.benchmark import Benchmark
from coordinator.config import FAULTS_HELP
from coordinator.limits import handle_signals
from core.models.redact import MASK, redact
from core.options import option
from core.runs.errors import CannotRun, Exit, Usage
from core.runs.find import LOGS
from core.runs.folder import run_folder
from core.runs.hints import command as own_command
from core.runs.journal import Journal, JournalFailed, journal_file
from core.runs.manifest import ExternalAgent, note_progress, read_manifest
from core.runs.results import ResultsFile, TaskResult, read_results
from core.terminal.console import answers, notes, say
from core.terminal.figures import cut, number, reason, so_many_tasks
from core.terminal.record_command import argument, takes
from core.text import clean
from workshop.agent_adapter.launch import commit_of, key_file, shadow_of, without_keys
from workshop.agent_adapter.outcome import Cause, PlayedTask, played, tasks_of
from workshop.agent_adapter.session import (
    FOLDER,
    INTERRUPTED,
    AgentNotStarted,
    AgentSession,
    AgentSessionRecord,
    Launch,
    keep_record,
    lines_of,
    next_number,
    records_of,
    why_nothing_began,
)
from workshop.agent_adapter.stand_in import stand_in
from workshop.generators.generating import Raw
from workshop.lab.context import (
    BenchmarkFactory,
    LabContext,
    check_faults,
    known_of,
    read_pack,
    world_of,
)
from workshop.lab.engines import Job
from workshop.lab.packs import sources_of
from workshop.lab.play_job import play_trivial
from workshop.lab.sampled_run import SampledRun, close_run, new_run, write_page
from workshop.lab.settings import KEYS_HELP, Settings
from workshop.simulator.pack_files import PackError
from workshop.simulator.platform import Task
from workshop.simulator.worlds import load_pack

LOOK_SECONDS = 0.2
WHY_CHARS = 160
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
KEY_NOTE = "the SDK replacement ignores it, but a program in another language may use it"


@dataclass(frozen=True)
class Share:
    """The tasks of one process in one run: a part of one pack in one epoch."""

    pack: str
    epoch: int
    raws: dict[str, Raw] = field(default_factory=dict)
    """The scenarios by spec."""
    stems: dict[str, str] = field(default_factory=dict)
    """The name of each task's journal, by spec."""


def shares_of(jobs: Iterable[Job], side_by_side: int, lab: Benchmark) -> list[Share]:
    """Distribute all tasks of the jobs over shares, pack by pack and epoch by epoch.

    Neighbours go to different shares, because packs are often sorted by kind.
    """
    by_pack: dict[tuple[str, int], list[tuple[Raw, str]]] = {}
    for job in jobs:
        body = json.loads(job.pack)
        tasks = by_pack.setdefault((str(body["name"]), job.epoch), [])
        for raw in world_of(lab).split(body):
            if (spec := str(raw["spec_id"])) in job.specs:
                tasks.append((raw, job.stems[spec]))
    shares = []
    for (pack, epoch), tasks in by_pack.items():
        for nth in range(min(side_by_side, len(tasks))):
            mine = {str(raw["spec_id"]): (raw, stem) for raw, stem in tasks[nth::side_by_side]}
            raws = {spec: raw for spec, (raw, _) in mine.items()}
            shares.append(Share(pack, epoch, raws, {s: stem for s, (_, stem) in mine.items()}))
    return shares


class ShareKeeper:
    """Keeps what becomes of a share's tasks: their journals, and how the agent ended."""

    def __init__(self, lab: Benchmark, share: Share, folder: Path) -> None:
        """``folder``: the run folder. Raises CannotRun: the pack cannot be read."""
        self.share, self.folder, self._lab = share, folder, lab
        name = share.pack
        self.pack = read_pack(world_of(lab).pack_text(name, list(share.raws.values())), name)
        self.record: AgentSessionRecord | None = None
        """How the agent ended, once it has."""
        self._known = known_of(lab, self.pack)
        self._done: set[str] = set()

    @property
    def is_begun(self) -> bool:
        """Whether the agent has begun a task of it, as far as that is known by now."""
        if self.record is None:
            return bool(self._done)
        return len(self.record.never_begun) < self.record.tasks

    def look(self, session: AgentSession, over: Iterable[Task]) -> list[TaskResult]:
        """The results of its tasks among those that are over. Raises CannotRun."""
        return [
            self._kept(played(session.platform, task, None))
            for task in over
            if session.platform.served_as(task.benchmark).world is world_of(self._lab)
        ]

    def finish(self, session: AgentSession) -> list[TaskResult]:
        """The results of the tasks that are left, once the session is over, and of the trivial
        players.

        Raises CannotRun: one cannot be kept.
        """
        self.record = session.record(self.share.pack, self.share.epoch, self.share.raws)
        first = {spec: tasks[0] for spec, tasks in tasks_of(session.platform).items()}
        results = []
        for spec in (spec for spec in self.share.raws if spec not in self._done):
            task = first.get(spec)
            cause = session.cause_of(task)
            if task is None:
                results += self.never_made([spec], cause)
            else:
                results.append(self._kept(played(session.platform, task, cause)))
        keep_record(self.folder, self.record)
        return results + (play_trivial(self._lab, self.pack) if not self.share.epoch else [])

    def never_made(self, specs: Iterable[str], cause: Cause) -> list[TaskResult]:
        """The results of tasks that no platform has made. Raises CannotRun."""
        share = self.share
        return [
            self._kept(
                PlayedTask(
                    TaskResult(
                        spec_id=spec,
                        task_id=f"none-{share.pack}-{share.epoch}-{spec}",
                        task_text=str(share.raws[spec]["task_text"]),
                        outcome="unfinished",
                        error=cause.text,
                        failure=cause.failure,
                    )
                )
            )
            for spec in specs
        ]

    def _kept(self, one: PlayedTask) -> TaskResult:
        """The result with what the pack tells of its task, once its journal is on the disk."""
        spec = one.result.spec_id
        self._done.add(spec)
        known = {k: v for k, v in self._known[spec]._asdict().items() if v is not None}
        place = {"pack": self.share.pack, "epoch": self.share.epoch}
        update = {**known, **place, "journal": self.share.stems[spec]}
        result = one.result.model_copy(update=update)
        try:
            _write_journal(self.folder, result, one)
        except JournalFailed as error:
            raise CannotRun(str(error)) from None
        return result


def _write_journal(folder: Path, result: TaskResult, one: PlayedTask) -> None:
    """The journal of a task; of one that is played again there is one attempt more in it."""
    with closing(Journal(journal_file(folder, result.journal))) as journal:
        named = ("spec_id", "task_id", "pack", "epoch", "mechanics")
        task = {name: getattr(result, name) for name in named}
        journal.write("task", {**task, "text": result.task_text})
        for request in one.observed:
            journal.write("seen", request.model_dump(mode="json"))
        for kind, texts in (("event", one.events), ("info", one.remarks)):
            for text in texts:
                journal.write(kind, {"text": text})
        journal.write("result", result.model_dump(mode="json"))


@dataclass
class AgentEngine:
    """Plays jobs with processes of an agent; results come as its tasks are done."""

    factory: BenchmarkFactory
    agent: ExternalAgent
    command: str | None
    """The command as typed, including secrets; None for a resumed run."""
    environment: Mapping[str, str]
    folder: Path
    faults: str | None = None
    threads: int = 1
    stop: threading.Event = field(default_factory=threading.Event)
    """Set where an interrupt has ended the agents."""

    def __post_init__(self) -> None:
        """Raises CannotRun: the command of the run to resume contained a secret."""
        if self.command is None and MASK in self.agent.command:
            text = "the agent's command contained a secret, and secrets are not stored"
            raise CannotRun(f"{text}; pass it in an environment variable and start again")

    def work(self, jobs: Iterator[Job]) -> Iterator[list[TaskResult]]:
        """See ``Engine``. An interrupt ends the agents, and what they have played is kept."""
        agent, lab, folder = self.agent, self.factory(), self.folder
        shares = shares_of(jobs, agent.side_by_side, lab)
        groups = [[ShareKeeper(lab, share, folder)] for share in shares]
        with stand_in() as package, interrupts(self.stop):
            command = self.command or agent.command
            kept = folder / FOLDER
            launch = Launch(command, self.environment, package, agent.timeout, kept, self.faults)
            playing = Players(launch, agent.side_by_side, next_number(folder), self.stop)
            for _, results in playing.play(groups):
                yield results


@dataclass
class Players:
    """Processes of an agent, at most so many at once; each plays a group of shares."""

    launch: Launch
    side_by_side: int
    first_number: int
    stop: threading.Event
    """Set where an interrupt asks for the end."""

    def play(
        self, groups: Iterable[Sequence[ShareKeeper]]
    ) -> Iterator[tuple[ShareKeeper, list[TaskResult]]]:
        """The results of each share as they are ready. Raises CannotRun, OSError.

        An interrupt ends the agents, and what they have played is kept.
        """
        waiting = list(enumerate(groups, self.first_number))
        live: list[tuple[AgentSession, Sequence[ShareKeeper]]] = []
        try:
            while waiting or live:
                while waiting and len(live) < self.side_by_side and not self.stop.is_set():
                    count, keepers = waiting.pop(0)
                    packs = [keeper.pack for keeper in keepers]
                    live.append((AgentSession(packs, count, self.launch), keepers))
                stop = self.stop.wait(LOOK_SECONDS)
                for one in list(live):
                    session, keepers = one
                    why = INTERRUPTED if stop else session.why_over()
                    if why is not None:
                        session.finish(why)
                        live.remove(one)
                    over = session.look()
                    for keeper in keepers:
                        yield keeper, keeper.look(session, over)
                        if why is not None:
                            yield keeper, keeper.finish(session)
                if stop:
                    cause = Cause("interrupted", f"{INTERRUPTED} before an agent was started")
                    for keeper in (keeper for _, keepers in waiting for keeper in keepers):
                        yield keeper, keeper.never_made(keeper.share.raws, cause)
                    return
        finally:
            for session, _ in live:
                session.stop()


def agents_environment(environment: Mapping[str, str], named: Sequence[str]) -> dict[str, str]:
    """What an agent gets of the user's environment; a note names the keys that it does not get."""
    given, left = without_keys(environment, named)
    # It has a key of its own for the platform.
    if left := [name for name in left if name != "ERC3_API_KEY"]:
        say(notes(), f"note: the agent does not get {', '.join(left)}; --agent-key NAME gives one")
    return given


@contextmanager
def interrupts(stop: threading.Event) -> Iterator[None]:
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


def note_agent(folder: Path) -> None:
    """Note in ``run.json`` who has played, as its sessions tell. Raises CannotRun, OSError."""
    records, agent = records_of(folder), read_manifest(folder).agent
    if agent is None:
        return
    sessions = [one for record in records for one in record.sessions]
    names = dict.fromkeys(name for record in records for name in record.names)
    models = dict.fromkeys(model for record in records for model in record.models)
    note_progress(
        folder,
        agent=agent.model_copy(update={"session_names": tuple(names), "models": tuple(models)}),
        session_id=sessions[0][0] if len(sessions) == 1 else None,
        submitted=bool(sessions) and all(done for _, done in sessions),
    )


def check_end(folder: Path) -> None:
    """Raises CannotRun where the agent did not play it all.

    That is: it began nothing, or it died or was ended before its tasks were completed.
    """
    records = records_of(folder)
    if all(len(record.never_begun) == record.tasks for record in records):
        agent = read_manifest(folder).agent
        shadow = shadow_of(shlex.split(agent.command)) if agent else None
        raise CannotRun(f"the agent started no task: {why_nothing_began(records[-1], shadow)}")
    early = [
        one
        for one in records
        if (one.failed or one.ended_by not in (None, INTERRUPTED)) and not one.is_complete
    ]
    if early:
        why = ", ".join(f"agent {one.number}: {one.ended_by or one.exit}" for one in early)
        left = sum(len(one.never_begun) + len(one.never_completed) for one in early)
        text = f"the agent ended early and left {so_many_tasks(left)} open ({why})"
        raise CannotRun(text)


class AgentOptions(BaseModel):
    """The command line of ``agent``."""

    command: tuple[str, ...] = argument("The command that starts the agent, with its own options.")
    pack: tuple[str, ...] = option(
        "Serve this pack file [every bundled pack]. Repeatable, one of each kind.", ()
    )
    benchmark: str | None = option("Serve only the bundled pack of this benchmark.", None)
    faults: str | None = option(FAULTS_HELP, None)
    agent_key: tuple[str, ...] = option(KEYS_HELP, ())
    name: str | None = option(
        "Give the run this name, for pages, `show NAME` and `compare NAME …`.", None
    )
    out: Path = option("Write run folders into this folder.", LOGS)


@takes(AgentOptions)
def agent(options: AgentOptions, context: typer.Context) -> int:
    """Play any agent on the embedded platform. What it did is kept as a run.

    Whatever starts it: its command follows. Shows its scores.
    """
    lab_context: LabContext = context.obj()
    began, stop = time.monotonic(), threading.Event()
    packs = _packs(options, lab_context)
    check_faults(options.faults, *(world_of(lab_context.benchmark(name)) for name, _ in packs))
    keepers, runs = list[ShareKeeper](), list[SampledRun]()
    with ExitStack() as stack:
        stack.callback(_remove_what_was_not_begun, keepers)
        for benchmark, pack in packs:
            folder = stack.enter_context(run_folder(options.out))
            lab = lab_context.benchmark(benchmark)
            run = _new_run(folder, benchmark, pack, options, lab_context)
            (share,) = shares_of(run.jobs(lab, 1), 1, lab)
            keepers.append(ShareKeeper(lab, share, folder))
            runs.append(run)
        if file := key_file(options.command):
            say(notes(), f"note: {file} holds an account key; {KEY_NOTE}")
        package = stack.enter_context(stand_in())
        stack.enter_context(interrupts(stop))
        environment = agents_environment(lab_context.environment, options.agent_key)
        launch = Launch(options.command, environment, package, None, None, options.faults)
        try:
            for keeper, results in Players(launch, 1, 1, stop).play([keepers]):
                ResultsFile(keeper.folder).append(results)
        except AgentNotStarted as error:
            raise Usage(str(error)) from None
        for keeper, run in zip(keepers, runs, strict=True):
            if keeper.is_begun:
                note_agent(run.path)
                close_run(run, time.monotonic() - began)
                write_page(run)
        return _show(keepers, options.command)


def _remove_what_was_not_begun(keepers: Iterable[ShareKeeper]) -> None:
    for one in keepers:
        if not one.is_begun:
            rmtree(one.folder)


def _new_run(
    folder: Path, benchmark: str, pack: str, options: AgentOptions, context: LabContext
) -> SampledRun:
    """The run of a benchmark by an agent that has the terminal. Raises CannotRun: no such pack."""
    command = shlex.join(options.command)
    settings = Settings(
        benchmark=benchmark,
        packs=(pack,),
        journals="all",
        agent=ExternalAgent(command=redact(command), commit=commit_of(command)),
        faults=options.faults,
    )
    sources = sources_of([pack], context.benchmark(benchmark))
    return new_run(folder, sources, settings, context, {"name": options.name})


def _packs(options: AgentOptions, context: LabContext) -> list[tuple[str, str]]:
    """Benchmark and pack of each run. Raises Usage."""
    every = {name: world_of(context.benchmark(name)) for name in context.benchmarks}
    ids = {id: name for name, world in every.items() for id in world.benchmarks}
    if options.benchmark and (options.pack or options.benchmark not in ids):
        raise Usage(
            f"--benchmark {options.benchmark}: give either --pack or one of {', '.join(ids)}"
        )
    if not options.pack:
        names = [ids[options.benchmark]] if options.benchmark else every
        return [(name, "bundled") for name in names]
    worlds = {world.format: name for name, world in every.items()}
    try:
        formats = [(load_pack(path).format, path) for path in options.pack]
    except PackError as error:
        raise Usage(str(error)) from None
    if len({format for format, _ in formats}) < len(formats):
        raise Usage("--pack: two packs are of one kind; give one of each")
    return [(worlds[format], path) for format, path in formats]


def _show(keepers: Sequence[ShareKeeper], command: Sequence[str]) -> int:
    """Print what each run has come to; the exit code."""
    show, records = answers(), [keeper.record for keeper in keepers if keeper.record]
    played = [(one.folder, one.record) for one in keepers if one.is_begun and one.record]
    for folder, record in played:
        say(show, *map(clean, _scores(folder, record)))
    if not records or records[0].ended_by == INTERRUPTED:
        say(show, "interrupted")
        return Exit.INTERRUPTED
    if not played:
        text = why_nothing_began(records[0], shadow_of(command))
        say(show, clean(f"the agent started no task here: {text}"))
    elif records[0].failed:
        say(show, f"the agent died: {records[0].exit}")
    complete = played and all(record.is_complete for _, record in played)
    return Exit.PLAYED if complete and not records[0].failed else Exit.OUTSIDE


def _scores(folder: Path, record: AgentSessionRecord) -> Iterator[str]:
    results = read_results(folder)
    passed = sum(task.passed for task in results.tasks)
    names = f" {', '.join(map(repr, record.names))}" if record.names else ""
    yield (
        f"{results.benchmark}{names}: {passed} of {so_many_tasks(len(results.tasks))} passed, "
        f"score {number(results.totals.score_mean, 3)}, {results.harm_name}s: {results.totals.harm}"
    )
    for task in results.tasks:
        if not task.passed:
            why = " ".join(reason(task.error or "", task.eval_log).split())
            yield f"  {task.spec_id}: {number(task.score, 1)}: {cut(why, WHY_CHARS)}"
    yield from list(lines_of(record))[1:]
    yield f"run: {folder}; look closer: {own_command('show', folder, '--failed')}"
