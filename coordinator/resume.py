"""Resumes an interrupted run: decides which tasks are kept, continued, or played again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from coordinator.beginning import Start
from coordinator.benchmark import Platform
from core.ledger import LedgerEntry
from core.runs.journal import Journal, journal_paths, write_whole
from core.runs.reader import read_task
from core.runs.results import RunResults, TaskResult
from core.runs.task import TaskInfo, TaskRun
from core.runs.task_record import TaskRecord

GONE = "gone"
"""The error of a task that the platform does not know because its pack has changed."""
NOT_FOUND = 404
CLOSED = frozenset({"completed", "failed"})


class CannotGoOn(Exception):
    """A run cannot continue; the text says why."""


class SessionGone(CannotGoOn):
    """The platform does not know the session of the run."""


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
    """Look at journals and platform and decide for every task.

    Finished tasks are kept. A task that is open on the platform continues after its last complete
    turn; after an external failure it starts again in the world as it is now. One that the
    platform closed although it failed externally, or does not know, is started as a new
    single task if ``may_start``. ``session``: what :func:`session_of` gave; ``seconds``:
    duration of the run in its results, which are as old as the last finished task.

    Raises NotRecorded for an unreadable journal, ApiException, and CannotGoOn: a task that is not
    done is unknown to the platform and may not be started again.
    """
    paths = journal_paths(folder, [(t.task_id, t.spec_id) for t in tasks])
    logs = [_log(paths[t.task_id]) for t in tasks]
    # A task that was started as a new one goes by that one's id from then on.
    now = [
        replace(t, task_id=log.task_id) if log else t for t, log in zip(tasks, logs, strict=True)
    ]
    status = _statuses(platform, now, session)
    plan = Continuation(seconds=max(seconds, _active_seconds(logs)))
    for old, task, log in zip(tasks, now, logs, strict=True):
        done, state = log.result if log else None, status[task.task_id]
        final = state in {*CLOSED, GONE} and not may_start
        if done and (final or not done.infrastructure_failure):
            plan.order.append(task.task_id)
            plan.kept.append(done)
            continue
        if state == GONE and not may_start:
            raise CannotGoOn(f"the platform does not know {task.task_id} ({task.spec_id})")
        if state == GONE or (done and state in CLOSED):
            task = _as_new(platform, benchmark, task)
            state = GONE
        start = _start(paths[old.task_id], state, log)
        plan.order.append(task.task_id)
        plan.tasks.append(task)
        plan.starts.append(start)
    return plan


def note_submitted(folder: Path, results: RunResults | None) -> None:
    """Write into the results what the platform says: that the session was handed in."""
    if results:
        noted = results.model_copy(update={"submitted": True})
        write_whole(folder / "results.json", noted.model_dump_json(indent=1))


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


def _statuses(platform: Platform, tasks: list[TaskInfo], session: Any | None) -> dict[str, str]:
    known = {t.task_id: str(t.status) for t in session.tasks} if session else {}
    return {t.task_id: known.get(t.task_id) or _status(platform, t.task_id) for t in tasks}


def session_of(platform: Platform, session_id: str) -> Any:
    """The status of a session with its tasks. Raises SessionGone, ApiException."""
    try:
        return platform.session_status(session_id)
    except Exception as error:
        if _is_not_found(error):
            raise SessionGone(f"the platform does not know the session {session_id}") from None
        raise


def _status(platform: Platform, task_id: str) -> str:
    try:
        return str(platform.task_detail(task_id).status)
    except Exception as error:
        if _is_not_found(error):
            return GONE
        raise


def _is_not_found(error: Exception) -> bool:
    return getattr(getattr(error, "api_error", None), "status", None) == NOT_FOUND


def _as_new(platform: Platform, benchmark: str, task: TaskInfo) -> TaskInfo:
    started = platform.start_new_task(benchmark, task.spec_id)
    return TaskInfo(task.spec_id, started.task_id, platform.task_detail(started.task_id).text)
