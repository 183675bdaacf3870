"""How a run that was cut off goes on: which tasks are kept, gone on with, or tried again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from coordinator.beginning import Start
from coordinator.benchmark import Platform
from runs.journal import write_whole
from runs.journal_names import journal_paths
from runs.memory import Memory, Unusable, read_memory
from runs.results import RunResults, TaskResult, read_results
from runs.task import TaskInfo

GONE = "gone"
"""Of a task that the platform does not know, because its pack is another one now."""
NOT_FOUND = 404
CLOSED = frozenset({"completed", "failed"})


class SessionGone(Unusable):
    """The platform does not know the session of the run."""


@dataclass
class Continuation:
    """The tasks of a run that goes on."""

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

    Finished tasks are kept. A task that is open on the platform goes on behind its last complete
    turn; after a failure from outside it begins again in the world as it stands. One that the
    platform has closed although it failed from outside, or does not know, is started as a new
    single task where that ``may_start``. ``session``: what :func:`session_of` gave; ``seconds``:
    how long the run lived by its results, which are as old as the last task that ended.

    Raises:
        Unusable: a journal cannot be read, or a task that is not done is unknown to the platform
            and may not be started anew.
        ApiException: the platform refused.
    """
    paths = journal_paths(folder, [(t.task_id, t.spec_id) for t in tasks])
    memories = [read_memory(paths[t.task_id]) for t in tasks]
    # A task that was started as a new one goes by that one's id from then on.
    now = [replace(t, task_id=m.task_id) if m else t for t, m in zip(tasks, memories, strict=True)]
    status = _statuses(platform, now, session)
    plan = Continuation(seconds=max(seconds, _active_seconds(memories)))
    for old, task, memory in zip(tasks, now, memories, strict=True):
        done = memory.result if memory else None
        state = status[task.task_id]
        final = state in {*CLOSED, GONE} and not may_start
        if done and (final or not done.infrastructure_failure):
            plan.order.append(task.task_id)
            plan.kept.append(done)
            continue
        if state == GONE and not may_start:
            raise Unusable(f"the platform does not know {task.task_id} ({task.spec_id})")
        if state == GONE or (done and state in CLOSED):
            task = _as_new(platform, benchmark, task)
            memory = replace(memory, effects=(), turns=()) if memory else None
            number = memory.attempt + 1 if memory else 1
            start = Start(paths[old.task_id], needs_start=False, number=number, history=memory)
        else:
            start = _start(paths[old.task_id], state, memory)
        plan.order.append(task.task_id)
        plan.tasks.append(task)
        plan.starts.append(start)
    return plan


def note_submitted(folder: Path, results: RunResults | None) -> None:
    """Write into the results what the platform says: that the session was handed in."""
    if results:
        noted = results.model_copy(update={"submitted": True})
        write_whole(folder / "results.json", noted.model_dump_json(indent=1))


def results_before(folder: Path) -> RunResults | None:
    """The results of the run so far; None where none can be read."""
    try:
        return read_results(folder)
    except (OSError, ValueError):
        return None


def _active_seconds(memories: Iterable[Memory | None]) -> float:
    """By the journals: the time in which any task was at a turn or waited for a model."""
    known = [memory for memory in memories if memory]
    turns = [(turn.started, turn.seconds) for memory in known for turn in memory.turns]
    calls = [(call.started, call.seconds) for memory in known for call in memory.calls]
    spans = sorted((began, began + seconds) for began, seconds in turns + calls if began > 0)
    total, until = 0.0, 0.0
    for began, ended in spans:
        total += max(ended - max(began, until), 0.0)
        until = max(until, ended)
    return total


def _start(path: Path, status: str, memory: Memory | None) -> Start:
    """How a task goes on that is new, under way, or closed on the platform."""
    fresh, closed = status == "new", status in CLOSED
    if memory is None:
        return Start(path, needs_start=fresh, closed=closed)
    if memory.result is None:
        return Start(path, fresh, memory.attempt, closed, memory)
    return Start(path, fresh, memory.attempt + 1, history=memory.anew())


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
