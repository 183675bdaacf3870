"""What the platform remembers: sessions, their tasks and the lines of a task's log."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

from simulator.clock import Clock
from simulator.world import Evaluation, Refusal, Scenario, TaskWorld

TaskStatus = Literal["new", "in_progress", "completed", "failed"]
SessionStatus = Literal["open", "evaluated"]
LineType = Literal["info", "telemetry", "request", "response", "error"]

UNSCORED = -1.0
"""The platform's score of a task that is not evaluated."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of a task's log; `moment` in unix seconds, `body` a JSON object or None."""

    type: LineType
    text: str
    body: dict[str, Any] | None
    moment: float


@dataclass(slots=True)
class Standing:
    """How tasks stand, counted while they change: of thousands nobody has to go through all.

    `points` is the sum of the scores of the `scored` tasks.
    """

    counts: Counter[TaskStatus] = field(default_factory=Counter)
    scored: int = 0
    points: float = 0.0

    @property
    def mean(self) -> float | None:
        """Over the tasks that have a score; None before the first."""
        return self.points / self.scored if self.scored else None


@dataclass(slots=True)
class Task:
    """One task; `world` is there once the task was started."""

    task_id: str
    benchmark: str
    scenario: Scenario
    clock: Clock = field(repr=False)
    num: int = 0
    session_id: str | None = None
    status: TaskStatus = "new"
    world: TaskWorld | None = None
    log: list[LogLine] = field(default_factory=list)
    model_calls: int = 0
    evaluation: Evaluation | None = None
    error_message: str | None = None
    standing: Standing = field(default_factory=Standing, repr=False)
    """Of the tasks that it belongs to."""

    def __post_init__(self) -> None:
        self.standing.counts[self.status] += 1

    def move(self, status: TaskStatus, evaluation: Evaluation | None = None) -> None:
        """Go on to a status, with the evaluation where it is the last one."""
        self.standing.counts[self.status] -= 1
        self.standing.counts[status] += 1
        self.status = status
        if evaluation:
            self.evaluation = evaluation
            self.standing.scored += 1
            self.standing.points += evaluation.score

    @property
    def score(self) -> float:
        """The evaluator's score, or -1.0 before it."""
        return self.evaluation.score if self.evaluation else UNSCORED

    @property
    def acts(self) -> tuple[Any, ...]:
        """What was done for good so far."""
        return self.world.acts if self.world else ()

    def note(self, type: LineType, text: str, body: dict[str, Any] | None = None) -> None:
        """Write a line into the task's log."""
        self.log.append(LogLine(type, text, body, self.clock.now()))

    def running(self) -> TaskWorld:
        """The task's world; `Refusal` unless the task is in progress."""
        if self.status != "in_progress" or self.world is None:
            raise Refusal(f"task is not in progress, its status is {self.status}")
        return self.world


@dataclass(slots=True)
class Session:
    """The tasks of one account's run over the benchmark, in pack order."""

    session_id: str
    account_key: str = field(repr=False)
    benchmark: str
    workspace: str
    name: str
    architecture: str
    flags: tuple[str, ...]
    tasks: tuple[Task, ...]
    standing: Standing
    created: float
    status: SessionStatus = "open"

    def count(self, status: TaskStatus) -> int:
        """How many tasks have this status."""
        return self.standing.counts[status]

    @property
    def score(self) -> float:
        """The mean of the tasks' scores; a task without one counts as 0."""
        return sum(max(0.0, task.score) for task in self.tasks) / len(self.tasks)
