"""One process of an external agent and the platform that it plays on: launched, watched, judged."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from core.files import read_bytes
from core.models.file_checks import first_problem
from core.runs.errors import CannotRun
from core.runs.journal import write_whole
from core.runs.summary import Figures
from core.terminal.figures import counted, named, seconds, so_many_tasks
from workshop.agent_adapter.launch import environment_for
from workshop.agent_adapter.outcome import Cause, tasks_of
from workshop.agent_adapter.process import AgentProcess
from workshop.simulator.platform import KEY_PREFIX, Platform, Session, Task
from workshop.simulator.server import serve
from workshop.simulator.world import Pack

INTERRUPTED = "the run was interrupted"
FOLDER = "agent"
NAMES_KEPT = 20
NAME_CHARS = 100
"""Maximum characters of a model's or session's name from the agent."""
_MISSING = re.compile(r"No module named '([\w.]+)'")


class AgentSessionRecord(Figures):
    """How a process and its sessions ended; a file of it lies beside what the agent has printed."""

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
    """Id of each in which a task was begun, and whether it was handed in."""
    helpers: int = 0
    """Sessions that were neither handed in nor played."""
    names: tuple[str, ...] = ()
    models: tuple[str, ...]
    """As it reported them, in the order in which they appear."""
    never_begun: tuple[str, ...]
    never_completed: tuple[str, ...]

    @property
    def is_complete(self) -> bool:
        """Whether every task was completed."""
        return not self.never_begun and not self.never_completed


@dataclass(frozen=True)
class Launch:
    """How the processes of a run are started."""

    command: str | Sequence[str]
    """A text is for the shell."""
    environment: Mapping[str, str]
    stand_in: Path
    """The folder with the package in place of the SDK."""
    timeout: float | None
    """Seconds for which an agent may neither begin a task nor complete one; None: for ever."""
    folder: Path | None
    """Where what it prints is kept; None: it has the terminal."""
    faults: str | None = None
    """What goes wrong with responses of its platform."""


class AgentNotStarted(CannotRun):
    """There is no such program, or it cannot be run."""


class AgentSession:
    """A process and its platform. Raises AgentNotStarted."""

    def __init__(self, packs: Sequence[Pack], number: int, launch: Launch) -> None:
        self._number, self._launch = number, launch
        # Agents run side by side: each has a key that no other knows.
        key = f"{KEY_PREFIX}{secrets.token_hex(16)}"
        self._counted: dict[str, str] = {}
        """The task that counts, of those that were reported, by spec."""
        self._began = self._moved = time.monotonic()
        self._marks = -1
        self._why = self._how = ""
        self._seconds = 0.0
        with ExitStack() as on_failure:
            self._served = on_failure.enter_context(serve(*packs, key=key, faults=launch.faults))
            url = self._served.base_url
            environment = environment_for(url, key, launch.stand_in, launch.environment)
            stem = launch.folder / str(number) if launch.folder else None
            try:
                if launch.folder:
                    launch.folder.mkdir(exist_ok=True)
                self._process = AgentProcess(launch.command, environment, stem)
            except OSError as error:
                program = launch.command if isinstance(launch.command, str) else launch.command[0]
                text = f"{program} cannot be started: {error.strerror or error}"
                raise AgentNotStarted(text) from None
            on_failure.pop_all()

    @property
    def platform(self) -> Platform:
        """Where it plays."""
        return self._served.platform

    def look(self) -> list[Task]:
        """The tasks that count and were closed since the last look."""
        first = {spec: tasks[0] for spec, tasks in tasks_of(self.platform).items()}
        over = [
            task
            for spec, task in first.items()
            if task.begun
            and task.evaluation is not None
            and self._counted.get(spec) != task.task_id
        ]
        self._counted |= {task.scenario.spec_id: task.task_id for task in over}
        marks = sum(task.begun for task in self.platform.tasks) + len(self._counted)
        if marks != self._marks:
            self._marks, self._moved = marks, time.monotonic()
        return over

    def why_over(self) -> str | None:
        """Why it ended; "" if the agent ended by itself; None: it is running."""
        if self._process.ended:
            return ""
        limit = self._launch.timeout
        if limit is not None and time.monotonic() - self._moved > limit:
            return f"it neither started nor completed a task for {limit:g} s"
        return None

    @property
    def failed(self) -> bool:
        """Whether it ended by itself with another exit code than 0."""
        return self._process.failed and not self._why

    def finish(self, why: str) -> None:
        """Stop the agent and the platform; ``why``: "" if it ended by itself."""
        self._why, self._how = why, self._process.end()
        self._served.stop()
        self._seconds = round(time.monotonic() - self._began, 3)

    def stop(self) -> None:
        """End it at once, whatever it has done; a second call does nothing."""
        self._process.end()
        self._served.stop()

    def cause_of(self, task: Task | None) -> Cause:
        """Why a task was not completed, once it is over; None: there is none of that spec."""
        what = "completed" if task and task.begun else "began"
        if self._why == INTERRUPTED:
            return Cause("interrupted", f"{INTERRUPTED} before the agent {what} it")
        if self._why:
            return Cause("limit", f"the agent never {what} it and was stopped: {self._why}")
        if self._process.failed:
            return Cause("agent", f"the agent died ({self._how}) before it {what} it")
        return Cause("agent", f"the agent never {what} it")

    def record(self, pack: str, epoch: int, specs: Iterable[str]) -> AgentSessionRecord:
        """How it ended, as far as these tasks are concerned."""
        by_spec = tasks_of(self.platform)
        mine = {spec: by_spec.get(spec, []) for spec in specs}
        every = [task for tasks in mine.values() for task in tasks]
        ids = {task.session_id for task in every}
        sessions = [one for one in self.platform.sessions.values() if one.session_id in ids]
        real = [one for one in sessions if one.status != "open" or _is_played(one)]
        return AgentSessionRecord(
            number=self._number,
            pack=pack,
            epoch=epoch,
            tasks=len(mine),
            exit=self._how,
            failed=self.failed,
            ended_by=self._why or None,
            seconds=self._seconds,
            last_words=self._process.last_words() if self.failed or self._why else (),
            sessions=tuple((one.session_id, one.status != "open") for one in real),
            helpers=len(sessions) - len(real),
            names=_first(one.asked.name for one in real),
            models=_first(report.model for task in every for report in task.reports),
            never_begun=tuple(s for s, tasks in mine.items() if not any(t.begun for t in tasks)),
            never_completed=tuple(
                s
                for s, tasks in mine.items()
                if any(t.begun for t in tasks) and tasks[0].status != "completed"
            ),
        )


def _is_played(session: Session) -> bool:
    return any(task.begun for task in session.tasks)


def _first(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name[:NAME_CHARS] for name in names if name))[:NAMES_KEPT]


def keep_record(folder: Path, record: AgentSessionRecord) -> None:
    """Keep how a session ended in a run folder. Raises OSError."""
    (folder / FOLDER).mkdir(exist_ok=True)
    path = folder / FOLDER / f"{record.number}.json"
    write_whole(path, record.model_dump_json(indent=1))


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
    if record.helpers:
        yield f"  {counted(record.helpers, 'session')} in which it began no task: not counted"
    for title, specs in (
        ("never started", record.never_begun),
        ("started and never completed", record.never_completed),
    ):
        if specs:
            yield f"  {title}: {so_many_tasks(len(specs))} ({named(specs)})"


def why_nothing_began(record: AgentSessionRecord, shadow: Path | None) -> str:
    """Why an agent began no task, as far as that can be seen.

    ``shadow``: a module `erc3` of the agent's own.
    """
    missing = next(filter(None, map(_MISSING.search, reversed(record.last_words))), None)
    if shadow and (missing is None or missing[1].startswith("erc3")):
        return f"Python imports {shadow} in place of the SDK; give that folder or file another name"
    if missing and not missing[1].startswith("erc3"):
        return (
            f"its Python has no module {missing[1]!r}: install what the agent needs, or name "
            "the Python of its own environment"
        )
    if record.failed or record.ended_by:
        return f"it {'died' if record.failed else 'was ended'}: {record.ended_by or record.exit}"
    return (
        "no request began one. A client with a fixed address, such as Node's new ERC3(), has to be "
        "given that of ERC3_BASE_URL, and a Python with -E or -I finds its own SDK"
    )
