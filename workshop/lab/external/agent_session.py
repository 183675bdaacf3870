"""One session of an external agent: its process and the platform that it plays on."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError

from core.files import read_bytes
from core.models.file_checks import first_problem
from core.runs.errors import CannotRun
from core.runs.journal import write_whole
from core.runs.results import TaskResult
from core.terminal.figures import counted, named, seconds, so_many_tasks
from workshop.agent_adapter.launch import environment_for
from workshop.agent_adapter.process import AgentProcess
from workshop.lab.benchmark_adapter import BenchmarkAdapter, Known, Raw
from workshop.lab.engines import Job
from workshop.lab.external.outcome import Cause, PlayedTask, played, tasks_of
from workshop.simulator.platform import KEY_PREFIX
from workshop.simulator.server import serve
from workshop.simulator.world import Pack
from workshop.views.stats.interval import Record

INTERRUPTED = "the run was interrupted"
FOLDER = "agent"
NAMES_KEPT = 20
NAME_CHARS = 100
"""Maximum characters of a model's or session's name from the agent."""


@dataclass(frozen=True)
class Share:
    """The tasks of one session: a part of one pack in one epoch."""

    pack: str
    epoch: int
    tasks: tuple[tuple[Job, Raw], ...]
    """Each with the job that it belongs to."""

    @cached_property
    def jobs(self) -> dict[str, Job]:
        """The job of each task, by spec."""
        return {str(raw["spec_id"]): job for job, raw in self.tasks}

    @cached_property
    def texts(self) -> dict[str, str]:
        """The text of each task, by spec."""
        return {str(raw["spec_id"]): str(raw["task_text"]) for _, raw in self.tasks}

    def read(self, adapter: BenchmarkAdapter) -> tuple[Pack, dict[str, Known]]:
        """The pack of these tasks, and what is known of each. Raises CannotRun."""
        raw = [one for _, one in self.tasks]
        pack = adapter.read(adapter.pack_text(self.pack, raw), self.pack)
        return pack, adapter.known_of(pack, raw)

    def never_made(self, spec: str, cause: Cause) -> PlayedTask:
        """A task that its platform has never made, under a name in place of an id."""
        return PlayedTask(
            TaskResult(
                spec_id=spec,
                task_id=f"none-{self.pack}-{self.epoch}-{spec}",
                task_text=self.texts[spec],
                outcome="unfinished",
                error=cause.text,
                failure=cause.failure,
            )
        )


class AgentSessionRecord(Record):
    """How a session ended; a file of it lies beside what the agent has printed."""

    number: int
    pack: str
    epoch: int
    tasks: int
    exit: str
    """Its exit code or signal, in words."""
    failed: bool
    """Whether it ended by itself with another exit code than 0."""
    ended_by: str | None
    """Why we ended it; None: it ended by itself."""
    seconds: float
    last_words: tuple[str, ...]
    """The last lines of its output; kept if it failed or was stopped."""
    sessions: tuple[tuple[str, bool], ...]
    """Id of each, and whether it was handed in."""
    names: tuple[str, ...] = ()
    models: tuple[str, ...]
    """As it reported them, in the order in which they appear."""
    never_begun: tuple[str, ...]
    never_completed: tuple[str, ...]
    repeated: tuple[str, ...]
    """Specs that it started several times; the first time counts."""


@dataclass(frozen=True)
class Launch:
    """How the processes of a run are started."""

    folder: Path
    command: str
    environment: Mapping[str, str]
    stand_in: Path
    """The folder with the package in place of the SDK."""
    timeout: float


class AgentSession:
    """A process and its platform. Raises CannotRun if the agent cannot be started."""

    def __init__(
        self, adapter: BenchmarkAdapter, share: Share, number: int, launch: Launch
    ) -> None:
        self.share, self._adapter, self._number, self._launch = share, adapter, number, launch
        pack, self.known = share.read(adapter)
        # Agents run side by side: each has a key that no other knows.
        key = f"{KEY_PREFIX}{secrets.token_hex(16)}"
        self._stem = launch.folder / FOLDER / str(number)
        self._reported: set[str] = set()
        self._began = self._moved = time.monotonic()
        self._marks = -1
        with ExitStack() as on_failure:
            self._served = on_failure.enter_context(serve(pack, key=key))
            url = self._served.base_url
            environment = environment_for(url, key, launch.stand_in, launch.environment)
            try:
                self._stem.parent.mkdir(exist_ok=True)
                self._process = AgentProcess(launch.command, environment, self._stem)
            except OSError as error:
                text = f"the agent cannot be started: {error.strerror or error}"
                raise CannotRun(text) from None
            on_failure.pop_all()

    def look(self) -> list[PlayedTask]:
        """The tasks that were closed since the last look."""
        first = {spec: tasks[0] for spec, tasks in tasks_of(self._served.platform).items()}
        begun = sum(task.begun for task in first.values())
        over = [
            spec
            for spec, task in first.items()
            if task.begun and task.evaluation is not None and spec not in self._reported
        ]
        self._reported.update(over)
        if (marks := begun + len(self._reported)) != self._marks:
            self._marks, self._moved = marks, time.monotonic()
        return [played(self._adapter, self._served.platform, first[spec], None) for spec in over]

    def why_over(self) -> str | None:
        """Why it ended; "" if the agent ended by itself; None: it is running."""
        if self._process.ended:
            return ""
        if time.monotonic() - self._moved > self._launch.timeout:
            return f"it neither started nor completed a task for {self._launch.timeout:g} s"
        return None

    def finish(self, why: str) -> Iterator[PlayedTask]:
        """Stop the agent and the platform; return every task not reported yet.

        ``why``: why it is stopped; "" if it ended by itself.
        """
        how = self._process.end()
        self._served.stop()
        first = {spec: tasks[0] for spec, tasks in tasks_of(self._served.platform).items()}
        for spec in (spec for spec in self.share.texts if spec not in self._reported):
            task = first.get(spec)
            cause = self._cause(how, why, "completed" if task and task.begun else "began")
            if task is None:
                yield self.share.never_made(spec, cause)
            else:
                yield played(self._adapter, self._served.platform, task, cause)
        record = self._record(how, why)
        write_whole(self._stem.with_suffix(".json"), record.model_dump_json(indent=1))

    def stop(self) -> None:
        """End it at once, whatever it has done; a second call does nothing."""
        self._process.end()
        self._served.stop()

    def _cause(self, how: str, why: str, what: str) -> Cause:
        if why == INTERRUPTED:
            return Cause("interrupted", f"{INTERRUPTED} before the agent {what} it")
        if why:
            return Cause("limit", f"the agent never {what} it and was stopped: {why}")
        if self._process.failed:
            return Cause("agent", f"the agent died ({how}) before it {what} it")
        return Cause("agent", f"the agent never {what} it")

    def _record(self, how: str, why: str) -> AgentSessionRecord:
        failed = self._process.failed and not why
        by_spec, sessions = (
            tasks_of(self._served.platform),
            [*self._served.platform.sessions.values()],
        )
        # How often the agent has begun each task.
        begun = {s: sum(t.begun for t in by_spec.get(s, ())) for s in self.share.texts}
        reports = [r for tasks in by_spec.values() for t in tasks for r in t.reports]
        return AgentSessionRecord(
            number=self._number,
            pack=self.share.pack,
            epoch=self.share.epoch,
            tasks=len(self.share.texts),
            exit=how,
            failed=failed,
            ended_by=why or None,
            seconds=round(time.monotonic() - self._began, 3),
            last_words=self._process.last_words() if failed or why else (),
            sessions=tuple((one.session_id, one.status != "open") for one in sessions),
            names=_first(one.name for one in sessions),
            models=_first(report.model for report in reports),
            never_begun=tuple(spec for spec, times in begun.items() if not times),
            never_completed=tuple(
                spec
                for spec, times in begun.items()
                if times and by_spec[spec][0].status != "completed"
            ),
            repeated=tuple(spec for spec, times in begun.items() if times > 1),
        )


def shares_of(
    jobs: Iterable[Job], side_by_side: int, scenarios: Callable[[Raw], Iterable[Raw]]
) -> list[Share]:
    """Distribute all tasks of the jobs over shares, pack by pack and epoch by epoch.

    Neighbours go to different shares, because packs are often sorted by kind.
    """
    by_pack: dict[tuple[str, int], list[tuple[Job, Raw]]] = {}
    for job in jobs:
        body = json.loads(job.pack)
        tasks = by_pack.setdefault((str(body["name"]), job.epoch or 0), [])
        every = scenarios(body)
        tasks += [(job, raw) for raw in every if job.specs is None or raw["spec_id"] in job.specs]
    return [
        Share(pack, epoch, tuple(tasks[number::side_by_side]))
        for (pack, epoch), tasks in by_pack.items()
        for number in range(min(side_by_side, len(tasks)))
    ]


def _first(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name[:NAME_CHARS] for name in names if name))[:NAMES_KEPT]


def records_of(folder: Path) -> list[AgentSessionRecord]:
    """How every session of a run has ended, in order. Raises CannotRun."""
    records = []
    for path in (folder / FOLDER).glob("*.json"):
        try:
            records.append(AgentSessionRecord.model_validate_json(read_bytes(path)))
        except ValidationError as error:
            raise CannotRun(f"{path} cannot be read: {first_problem(error)}") from None
    return sorted(records, key=lambda record: record.number)


def next_number(folder: Path) -> int:
    """The first number that no session of the run has had."""
    stems = [path.stem for path in (folder / FOLDER).glob("*")]
    return 1 + max((int(stem) for stem in stems if stem.isdecimal()), default=0)


def lines_of(record: AgentSessionRecord) -> Iterator[str]:
    """How the agent ended, and what it left undone."""
    end = "died" if record.failed else "was ended" if record.ended_by else "ended"
    yield (
        f"agent {record.number}, {so_many_tasks(record.tasks)} of {record.pack}: {end} after "
        f"{seconds(record.seconds)}: {record.ended_by or record.exit}"
    )
    if record.last_words:
        yield f"  its last output ({FOLDER}/{record.number}.err, .out):"
        yield from (f"    {line}" for line in record.last_words)
    if left := [id_ for id_, submitted in record.sessions if not submitted]:
        yield f"  never submitted: {counted(len(left), 'session')} ({named(left)})"
    for title, specs in (
        ("never started", record.never_begun),
        ("started and never completed", record.never_completed),
        ("started more than once; the first time counts", record.repeated),
    ):
        if specs:
            yield f"  {title}: {so_many_tasks(len(specs))} ({named(specs)})"
