"""What a line of a page shows of a session, a task or a log, and what tells whether it changed.

Equal rows look the same, so a row is drawn once. No row takes longer for a larger session.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar, get_args

from simulator.sessions import LogLine, Session, Task, TaskStatus

FAULT = "fault: "
"""How the log's line of an arranged fault begins."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Row(Generic[T]):
    """`of` is looked at when the row is drawn; all that may change of it is in `mark`."""

    of: T = field(compare=False)
    mark: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class LogRow:
    """A line of a task's log by its place, counted from 1; written once, it never changes."""

    task_id: str
    number: int
    line: LogLine = field(compare=False)

    @property
    def kind(self) -> str:
        """The line's type; the lines of arranged faults are of a type of their own."""
        fault = self.line.type == "info" and self.line.text.startswith(FAULT)
        return "fault" if fault else self.line.type


def session_row(session: Session) -> Row[Session]:
    """The row of a session."""
    standing = session.standing
    counts = map(session.count, get_args(TaskStatus))
    mark = (session.session_id, session.status, standing.scored, standing.points, *counts)
    return Row(session, mark)


def task_row(task: Task) -> Row[Task]:
    """The row of a task."""
    sizes = (task.model_calls, len(task.acts), len(task.log))
    return Row(task, (task.task_id, task.status, task.score, *sizes))


def bar(session: Session) -> list[tuple[str, float, float]]:
    """Points won, points lost and running tasks: (class, start, width) in percent of all."""
    standing = session.standing
    sizes = {
        "won": standing.points,
        "lost": standing.scored - standing.points,
        "running": session.count("in_progress"),
    }
    parts, at = [], 0.0
    for kind, size in sizes.items():
        width = 100 * size / len(session.tasks)
        if width:
            parts.append((kind, round(at, 2), round(width, 2)))
        at += width
    return parts
