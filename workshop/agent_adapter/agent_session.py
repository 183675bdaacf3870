"""One session of an external agent: its process and the platform that it plays on."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError

from core.models.file_checks import first_problem
from core.runs.errors import CannotRun
from core.runs.journal import write_whole
from core.terminal.figures import counted, seconds, so_many_tasks
from core.text import clean
from workshop.agent_adapter.launch import environment_for
from workshop.agent_adapter.outcome import (
    Cause,
    PlayedTask,
    is_begun,
    is_over,
    never_begun,
    played,
    tasks_of,
)
from workshop.agent_adapter.process import AgentProcess
from workshop.lab.benchmark_adapter import BenchmarkAdapter, Known, Pack, Raw
from workshop.lab.engines import Job
from workshop.simulator.platform import KEY_PREFIX, Platform
from workshop.views.stats.interval import Record

INTERRUPTED = "the run was interrupted"
FOLDER = "agent"
NAMED = 5
"""Tasks that a line names."""
NAMES_KEPT = 20
NAME_CHARS = 100
"""Of each name of a model or a session that the agent gave."""


@dataclass(frozen=True)
class Share:
    """The tasks of one session: a part of one pack in one epoch."""

    pack: str
    epoch: int
    tasks: tuple[tuple[Job, Raw], ...]
    """Each with the job that it belongs to."""

    @cached_property
    def jobs(self) -> dict[str, Job]:
        """By spec."""
        return {str(raw["spec_id"]): job for job, raw in self.tasks}

    @cached_property
    def texts(self) -> dict[str, str]:
        """What the agent is told, by spec."""
        return {str(raw["spec_id"]): str(raw["task_text"]) for _, raw in self.tasks}

    def read(self, adapter: BenchmarkAdapter) -> tuple[Pack, dict[str, Known]]:
        """The pack of these tasks, and what is known of each. Raises CannotRun."""
        raw = [one for _, one in self.tasks]
        pack = adapter.read(adapter.pack_text(self.pack, raw), self.pack)
        both = zip(pack.scenarios, raw, strict=True)
        return pack, {one["spec_id"]: adapter.known(scenario, one) for scenario, one in both}


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
    """The last lines that it printed; kept where it failed or was ended."""
    sessions: tuple[tuple[str, bool], ...]
    """Id of each, and whether it was handed in."""
    names: tuple[str, ...] = ()
    """What it calls its sessions."""
    models: tuple[str, ...]
    """As it reported them, in the order in which they appear."""
    never_begun: tuple[str, ...]
    never_completed: tuple[str, ...]
    repeated: tuple[str, ...]
    """Specs that it has begun several times; the first time counts."""

    @property
    def cut_short(self) -> bool:
        """Whether it died, or was ended for a reason of its own."""
        return self.failed or self.ended_by not in (None, INTERRUPTED)

    @property
    def left(self) -> int:
        """How many tasks it has not completed."""
        return len(self.never_begun) + len(self.never_completed)


@dataclass
class AgentSession:
    """A process and its platform."""

    adapter: BenchmarkAdapter
    share: Share
    timeout: float
    """Seconds for which the agent may neither begin a task nor complete one."""
    number: int
    folder: Path
    """Of the run."""
    command: str
    environment: Mapping[str, str]
    """The user's."""
    stand_in: Path
    """The folder with the package in place of the SDK."""
    _reported: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Serve the tasks and start the agent. Raises CannotRun, OSError."""
        pack, self.known = self.share.read(self.adapter)
        self._texts = self.share.texts
        # Agents run side by side: each has a key that no other knows.
        key = f"{KEY_PREFIX}{secrets.token_hex(16)}"
        self._served = self.adapter.serve(pack, key)
        environment = environment_for(self._served.base_url, key, self.stand_in, self.environment)
        stem = self.folder / FOLDER / str(self.number)
        stem.parent.mkdir(exist_ok=True)
        try:
            self._process = AgentProcess(self.command, environment, stem)
        except BaseException:
            self._served.stop()
            raise
        self._stem = stem
        self._began = self._moved = time.monotonic()
        self._marks = -1

    @property
    def platform(self) -> Platform:
        """What the agent plays on."""
        return self._served.platform

    def look(self) -> list[PlayedTask]:
        """The tasks that were closed since the last look."""
        by_spec = tasks_of(self.platform)
        first = {spec: tasks[0] for spec, tasks in by_spec.items()}
        begun = sum(is_begun(task) for task in first.values())
        over = [
            spec for spec, task in first.items() if is_over(task) and spec not in self._reported
        ]
        self._reported.update(over)
        if (marks := begun + len(self._reported)) != self._marks:
            self._marks, self._moved = marks, time.monotonic()
        return [played(self.adapter, self._served, first[spec], None) for spec in over]

    def why_over(self) -> str | None:
        """Why it is over, "" where the agent has ended; None: it goes on."""
        if self._process.ended:
            return ""
        if time.monotonic() - self._moved > self.timeout:
            return f"it neither began nor completed a task for {self.timeout:g} s"
        return None

    def finish(self, why: str, *, interrupted: bool = False) -> Iterator[PlayedTask]:
        """End the agent and the platform; every task that was not told yet.

        ``why``: for which reason it is ended; "" where it has ended by itself.
        """
        how = self._process.end()
        self._served.stop()
        by_spec = tasks_of(self.platform)
        never: list[str] = []
        left: list[str] = []
        for spec in self._texts:
            task = next(iter(by_spec.get(spec, ())), None)
            if task is None or not is_begun(task):
                never.append(spec)
            elif task.status != "completed":
                left.append(spec)
            if spec in self._reported:
                continue
            what = "began" if task is None or not is_begun(task) else "completed"
            cause = self._cause(how, why, what, interrupted)
            if task is None:
                yield never_made(self.share, spec, self._texts[spec], cause)
            else:
                yield played(self.adapter, self._served, task, cause)
        self._write(how, why, never, left)

    def stop(self) -> None:
        """End it at once, whatever it has done; a second call does nothing."""
        self._process.end()
        self._served.stop()

    def _cause(self, how: str, why: str, what: str, interrupted: bool) -> Cause:
        if interrupted:
            return Cause("interrupted", f"the run was interrupted before the agent {what} it")
        if why:
            return Cause("limit", f"the agent never {what} it, and was ended: {why}")
        if self._process.failed:
            return Cause("agent", f"the agent died ({how}) before it {what} it")
        return Cause("agent", f"the agent never {what} it")

    def _write(self, how: str, why: str, never: list[str], left: list[str]) -> None:
        failed = self._process.failed and not why
        by_spec = tasks_of(self.platform)
        reports = [r for tasks in by_spec.values() for t in tasks for r in t.reports]
        sessions = [*self.platform.sessions.values()]
        record = AgentSessionRecord(
            number=self.number,
            pack=self.share.pack,
            epoch=self.share.epoch,
            tasks=len(self._texts),
            exit=how,
            failed=failed,
            ended_by=why or None,
            seconds=round(time.monotonic() - self._began, 3),
            last_words=self._process.last_words() if failed or why else (),
            sessions=tuple((one.session_id, one.status != "open") for one in sessions),
            names=_first(one.name for one in sessions),
            models=_first(report.model for report in reports),
            never_begun=tuple(never),
            never_completed=tuple(left),
            repeated=tuple(
                spec for spec, tasks in by_spec.items() if sum(map(is_begun, tasks)) > 1
            ),
        )
        write_whole(self._stem.with_suffix(".json"), record.model_dump_json(indent=1))


def shares_of(
    jobs: Iterable[Job], side_by_side: int, scenarios: Callable[[Raw], Iterable[Raw]]
) -> list[Share]:
    """Every task of the jobs in just one share; pack by pack, epoch by epoch.

    Neighbours go to different shares: a pack often stands in the order of its kinds.
    """
    by_pack: dict[tuple[str, int], list[tuple[Job, Raw]]] = {}
    known: dict[str, object] = {}
    for job in jobs:
        body = json.loads(job.pack)
        order = [{"spec_id": raw["spec_id"]} for raw in body["scenarios"]]
        # What it plays goes along in the share; all texts at once would fill the memory.
        job_in_share = replace(job, pack=json.dumps({"scenarios": order}))
        tasks = by_pack.setdefault((str(body["name"]), job.epoch or 0), [])
        for raw in scenarios(body):
            if job.specs is None or raw["spec_id"] in job.specs:
                tasks.append((job_in_share, _once(raw, known)))
    return [
        Share(pack, epoch, tuple(tasks[number::side_by_side]))
        for (pack, epoch), tasks in by_pack.items()
        for number in range(min(side_by_side, len(tasks)))
    ]


def _once(raw: Raw, known: dict[str, object]) -> Raw:
    """A scenario whose large parts are those of earlier ones, where they are the same."""
    return {
        name: known.setdefault(json.dumps(part), part) if isinstance(part, dict) else part
        for name, part in raw.items()
    }


def never_made(share: Share, spec: str, text: str, cause: Cause) -> PlayedTask:
    """A task that its platform has never made, under a name in place of an id."""
    return never_begun(f"none-{share.pack}-{share.epoch}-{spec}", spec, text, cause)


def _first(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name[:NAME_CHARS] for name in names if name))[:NAMES_KEPT]


def records_of(folder: Path) -> list[AgentSessionRecord]:
    """How every session of a run has ended, in order. Raises CannotRun."""
    records = []
    for path in (folder / FOLDER).glob("*.json"):
        try:
            records.append(AgentSessionRecord.model_validate_json(path.read_bytes()))
        except ValidationError as error:
            raise CannotRun(f"{path} cannot be read: {first_problem(error)}") from None
    return sorted(records, key=lambda record: record.number)


def next_number(folder: Path) -> int:
    """The first number that no session of the run has had."""
    stems = [path.stem for path in (folder / FOLDER).glob("*")]
    return 1 + max((int(stem) for stem in stems if stem.isdecimal()), default=0)


def session_lines(records: Sequence[AgentSessionRecord]) -> list[str]:
    """How the agent ended each time, and what it left undone."""
    return [clean(line) for record in records for line in _lines(record)]


def _lines(record: AgentSessionRecord) -> Iterator[str]:
    what = f"agent {record.number}, {so_many_tasks(record.tasks)} of {record.pack}"
    after = f"after {seconds(record.seconds)}"
    if record.ended_by:
        yield f"{what}: was ended {after}: {record.ended_by}"
    elif record.failed:
        yield f"{what}: died {after}, {record.exit}"
    else:
        yield f"{what}: ended {after}, {record.exit}"
    if record.last_words:
        yield f"  its last words ({FOLDER}/{record.number}.err, .out):"
        yield from (f"    {line}" for line in record.last_words)
    left = [id_ for id_, submitted in record.sessions if not submitted]
    if left:
        yield f"  never submitted: {counted(len(left), 'session')} ({named(left)})"
    for title, specs in (
        ("never begun", record.never_begun),
        ("begun and never completed", record.never_completed),
        ("begun more than once, of which the first time counts", record.repeated),
    ):
        if specs:
            yield f"  {title}: {so_many_tasks(len(specs))} ({named(specs)})"


def named(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are."""
    more = f", … {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
