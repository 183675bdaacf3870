"""What a line of a page shows of a session, a task or a log: values that tell whether it changed.

Equal rows look the same, so a row is drawn once. No row takes longer for a larger session.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

from simulator.sessions import LogLine, Session, Task

FAULT = "fault: "
"""How the log's line of an arranged fault begins."""


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session; `points` is the sum of the scores of its `scored` tasks."""

    session_id: str
    name: str
    architecture: str
    flags: tuple[str, ...]
    workspace: str
    status: str
    created: float
    total: int
    new: int
    running: int
    completed: int
    failed: int
    scored: int
    points: float

    @property
    def score(self) -> float | None:
        """The mean over the tasks that have a score; None before the first."""
        return self.points / self.scored if self.scored else None

    @property
    def bar(self) -> list[tuple[str, float, float]]:
        """Points won, points lost and running tasks: (class, start, width) in percent of all."""
        parts, at = [], 0.0
        sizes = {"won": self.points, "lost": self.scored - self.points, "running": self.running}
        for kind, size in sizes.items():
            width = 100 * size / self.total if self.total else 0.0
            if width:
                parts.append((kind, round(at, 2), round(width, 2)))
            at += width
        return parts


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task; `score` is None until it is evaluated, `lines` the length of its log."""

    task_id: str
    spec_id: str
    num: int
    text: str
    status: str
    score: float | None
    model_calls: int
    acts: int
    lines: int


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


def session_row(session: Session) -> SessionRow:
    """The row of a session. Its account key is left out, also as the digest that is kept."""
    standing = session.standing
    return SessionRow(
        session_id=session.session_id,
        name=session.name,
        architecture=session.architecture,
        flags=session.flags,
        workspace=session.workspace,
        status=session.status,
        created=session.created,
        total=len(session.tasks),
        new=session.count("new"),
        running=session.count("in_progress"),
        completed=session.count("completed"),
        failed=session.count("failed"),
        scored=standing.scored,
        points=standing.points,
    )


def task_row(task: Task) -> TaskRow:
    """The row of a task."""
    return TaskRow(
        task_id=task.task_id,
        spec_id=task.scenario.spec_id,
        num=task.num,
        text=task.scenario.task_text,
        status=task.status,
        score=task.evaluation.score if task.evaluation else None,
        model_calls=task.model_calls,
        acts=len(task.acts),
        lines=len(task.log),
    )


def moment(seconds: float) -> datetime:
    """A point in time of the platform's clock, in UTC."""
    return datetime.fromtimestamp(seconds, UTC)
