"""Resumes an interrupted run: decides which tasks are kept, continued, or played again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from coordinator.benchmark import Platform
from coordinator.task_plan import TaskPlan, epochs_of
from core.runs.journal import journal_paths
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


def remember(plan: TaskPlan, log: TaskRecord, *, turns: bool = True, entries: bool = True) -> None:
    """Have a task go on where its journal ends.

    ``turns``: False lets it begin again in the same world, from the state as it is. ``entries``:
    False means that the world is a new one as well. All that was spent counts in any case.
    """
    findings = log.findings if entries else []
    plan.earlier = TaskRun(
        # A stage that failed is asked again by an attempt that begins again.
        findings=[one for one in findings if turns or not one.failed],
        turns=log.whole if turns else [],
        calls=log.calls,
        requests=sum(turn.turn.requests for turn in log.turns if turn.turn),
    )
    plan.goes_on = plan.attempt == log.attempt
    plan.origin = {"after_turn": len(log.whole) if turns else 0}
    calls = [call for turn in (log.last if turns else ()) for call in turn.tools]
    wires = [wire for call in calls for wire in (*call.requests, *call.kept)]
    reads = [wire for wire in wires if wire.kind == "read"]
    plan.entries = [*reads, *(log.entries if entries else ())]


@dataclass
class Continuation:
    """The tasks of a resumed run."""

    order: list[str] = field(default_factory=list)
    """Task ids in the order of the run; a task that is run as a new one has its new id."""
    kept: list[TaskResult] = field(default_factory=list)
    plans: list[TaskPlan] = field(default_factory=list)
    """The tasks that are played."""
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
            begun = TaskPlan(task, paths[old.task_id], epoch)
            plan.plans.append(_continued(begun, state, log))
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


def _continued(plan: TaskPlan, status: str, log: TaskRecord | None) -> TaskPlan:
    """Have a task go on that is new, in progress, closed, or made again (GONE)."""
    plan.needs_start, plan.closed = status == "new", status in CLOSED
    if log is None:
        return plan
    again = status == GONE or log.result is not None
    plan.attempt = log.attempt + again
    if again:
        plan.closed = False
    remember(plan, log, turns=not again, entries=status != GONE)
    return plan


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
