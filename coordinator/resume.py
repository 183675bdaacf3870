"""Resumes an interrupted run: decides which tasks are kept, continued, or played again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from coordinator.beginning import Start, epochs_of
from coordinator.benchmark import Platform
from core.ledger import LedgerEntry
from core.runs.journal import Journal, journal_paths
from core.runs.reader import read_task
from core.runs.results import TaskResult
from core.runs.task import TaskInfo, TaskRun
from core.runs.task_record import TaskRecord

GONE = "gone"
"""The error of a task that the platform does not know because its pack has changed."""
NOT_FOUND = 404
CLOSED = frozenset({"completed", "failed"})
T = TypeVar("T")


class CannotGoOn(Exception):
    """A run cannot continue; the text says why."""


@dataclass(frozen=True)
class Memory:
    """The history of a task in its journal, for the attempt that continues it."""

    log: TaskRecord
    turns: bool = True
    """False: the attempt begins again in the same world, from the state as it is."""
    entries_hold: bool = True
    """False: the world is a new one as well."""

    def run(self) -> TaskRun:
        """A task that has come as far as the last complete turn; all that was spent counts."""
        every = (log.turn for log in self.log.turns if log.turn)
        findings = self.log.findings if self.entries_hold else []
        return TaskRun(
            # A stage that failed is asked again by an attempt that begins again.
            findings=[one for one in findings if self.turns or not one.failed],
            turns=self.log.whole if self.turns else [],
            calls=self.log.calls,
            requests=sum(turn.requests for turn in every),
        )

    def begin(self, journal: Journal, task: dict[str, object]) -> None:
        """Mark where the journal continues; another attempt starts with its own task record."""
        same = self.log.attempt == task["attempt"]
        after = {"after_turn": len(self.log.whole) if self.turns else 0}
        journal.write("resumed" if same else "task", task | after)

    def entries(self) -> Sequence[LedgerEntry]:
        """Return the reads of earlier turns, then their actions."""
        turns = self.log.last if self.turns else []
        calls = [call for turn in turns for call in turn.tools]
        wires = [wire for call in calls for wire in (*call.requests, *call.kept)]
        reads = [wire for wire in wires if wire.kind == "read"]
        return [*reads, *(self.log.entries if self.entries_hold else ())]


@dataclass
class Continuation:
    """The tasks of a resumed run."""

    order: list[str] = field(default_factory=list)
    """Task ids in the order of the run; a task that is run as a new one has its new id."""
    kept: list[TaskResult] = field(default_factory=list)
    tasks: list[TaskInfo] = field(default_factory=list)
    starts: list[Start] = field(default_factory=list)
    seconds: float = 0.0
    """How long the run lived before, without the pauses between its parts."""


def continuation(
    platform: Platform,
    benchmark: str,
    tasks: list[TaskInfo],
    folder: Path,
    session: Any | None,
    *,
    seconds: float = 0.0,
    may_start: bool = True,
) -> Continuation:
    """Decide for every task, by its journal and the platform.

    Finished tasks are kept. A task that is open on the platform continues after its last complete
    turn; after an external failure it starts again in the world as it is now. One that the
    platform closed although it failed externally, or does not know, is started as a new single
    task if ``may_start``. ``session``: as :func:`session_of` gave it; ``seconds``: duration of the
    run in its results, which are as old as the last finished task.

    Raises NotRecorded, ApiException, and CannotGoOn: a task may not be started again.
    """
    paths = journal_paths(folder, [(t.task_id, t.spec_id) for t in tasks])
    logs = [_log(paths[t.task_id]) for t in tasks]
    # A task that was started as a new one goes by that one's id from then on.
    pairs = zip(tasks, logs, strict=True)
    now = [replace(t, task_id=log.task_id) if log else t for t, log in pairs]
    known_states = {t.task_id: str(t.status) for t in session.tasks} if session else {}
    states = [known_states.get(t.task_id) or _status(platform, t.task_id) for t in now]
    plan = Continuation(seconds=max(seconds, _active_seconds(logs)))
    epochs = epochs_of(tasks)
    for old, task, log, state, epoch in zip(tasks, now, logs, states, epochs, strict=True):
        if result := _kept_result(log, state, may_start):
            plan.kept.append(result)
        elif state == GONE and not may_start:
            raise CannotGoOn(f"the platform does not know {task.task_id} ({task.spec_id})")
        else:
            if state == GONE or (log and log.result and state in CLOSED):
                task, state = _as_new(platform, benchmark, task), GONE
            plan.tasks.append(task)
            plan.starts.append(replace(_start(paths[old.task_id], state, log), epoch=epoch))
        plan.order.append(task.task_id)
    return plan


def _kept_result(log: TaskRecord | None, state: str, may_start: bool) -> TaskResult | None:
    """The result of a task that is not played again; None: it is to be played."""
    result = log.result if log else None
    final = state in {*CLOSED, GONE} and not may_start
    return result if result and (final or not result.infrastructure_failure) else None


def _log(path: Path) -> TaskRecord | None:
    """Read a journal; None if it is missing or empty. Raises NotRecorded."""
    log = read_task(path, strict=True) if path.exists() else None
    return log if log and log.begun else None


def _active_seconds(logs: Iterable[TaskRecord | None]) -> float:
    """Seconds, from the journals, in which any task played a turn or waited for a model."""
    known = [log for log in logs if log]
    turns = [(turn.started, turn.seconds) for log in known for turn in log.whole]
    calls = [(call.started, call.seconds) for log in known for call in log.calls]
    spans = sorted((began, began + seconds) for began, seconds in turns + calls if began > 0)
    total, until = 0.0, 0.0
    for began, ended in spans:
        total += max(ended - max(began, until), 0.0)
        until = max(until, ended)
    return total


def _start(path: Path, status: str, log: TaskRecord | None) -> Start:
    """Decide how a task continues that is new, in progress, closed, or made again (GONE)."""
    if status == GONE:
        memory = Memory(log, turns=False, entries_hold=False) if log else None
        number = log.attempt + 1 if log else 1
        return Start(path, needs_start=False, number=number, history=memory)
    fresh, closed = status == "new", status in CLOSED
    if log is None:
        return Start(path, needs_start=fresh, closed=closed)
    if log.result is None:
        return Start(path, fresh, log.attempt, closed, Memory(log))
    return Start(path, fresh, log.attempt + 1, history=Memory(log, turns=False))


def session_of(platform: Platform, session_id: str) -> Any:
    """The status of a session with its tasks. Raises CannotGoOn, ApiException."""
    session = _unless_gone(lambda: platform.session_status(session_id))
    if session is None:
        raise CannotGoOn(f"the platform does not know the session {session_id}")
    return session


def _status(platform: Platform, task_id: str) -> str:
    detail = _unless_gone(lambda: platform.task_detail(task_id))
    return GONE if detail is None else str(detail.status)


def _unless_gone(ask: Callable[[], T]) -> T | None:
    """What the platform says of something; None: it does not know it. Raises ApiException."""
    from core.erc3_client import ApiException

    try:
        return ask()
    except ApiException as error:
        if error.api_error.status != NOT_FOUND:
            raise
        return None


def _as_new(platform: Platform, benchmark: str, task: TaskInfo) -> TaskInfo:
    started = platform.start_new_task(benchmark, task.spec_id)
    return TaskInfo(task.spec_id, started.task_id, platform.task_detail(started.task_id).text)
