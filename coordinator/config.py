"""What a run is asked to do, and who looks on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol

from coordinator.breaker import IN_A_ROW
from coordinator.limits import Limits
from models.model_call import ModelCall
from runs.results import TaskResult
from runs.task import TaskInfo
from runs.turn import Turn

StrategyName = Literal["evaluator-worker", "next-step"]
PROMPT_TOKENS = 12_000


@dataclass(frozen=True)
class RunConfig:
    """What to run and with which models."""

    benchmark: str
    evaluator: str
    worker: str
    pack: str | None = None
    tasks: tuple[str, ...] = ()
    """Specs to run as single tasks outside of a session; none: the whole benchmark."""
    jobs: int = 1
    max_turns: int = 7
    """A step of ``next-step`` is a turn; it needs more of them."""
    workspace: str = "default"
    name: str = ""
    architecture: str = ""
    flags: tuple[str, ...] = ()
    strategy: StrategyName = "evaluator-worker"
    """``next-step`` asks one model only, that of the evaluator."""
    prompt_tokens: int = PROMPT_TOKENS
    """What a prompt of ``next-step`` may hold; older steps are shortened to it."""
    patience: float = 0.0
    """Seconds for which a tool may wait for the platform, beside the time that code may take."""
    run_limits: Limits = field(default_factory=Limits)
    task_limits: Limits = field(default_factory=Limits)
    breaker: int = IN_A_ROW
    """Tasks in a row that may end for the same reason outside of the agent; 0: any number."""


class Watcher(Protocol):
    """Someone who looks on; called from the threads that run the tasks."""

    def task_started(self, task: TaskInfo) -> None:
        """A task begins."""

    def call_done(self, task: TaskInfo, call: ModelCall) -> None:
        """A model was asked for a task, whatever came of it."""

    def turn_done(self, task: TaskInfo, turn: Turn) -> None:
        """A turn is over."""

    def task_done(self, result: TaskResult) -> None:
        """A task is closed and scored."""
