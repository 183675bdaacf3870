"""Who looks on at a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from core.ledger import ToolCall
from core.models.model_call import ModelCall
from core.runs.results import TaskResult
from core.runs.task import Decision, TaskInfo, Turn


class Watcher(Protocol):
    """Someone who looks on; called from the threads that run the tasks."""

    def task_started(self, task: TaskInfo) -> None:
        """A task begins."""

    def call_done(self, task: TaskInfo, call: ModelCall) -> None:
        """A model was asked for a task, whatever came of it."""

    def decided(self, task: TaskInfo, number: int, decision: Decision) -> None:
        """Show the decision of a turn, also one that is sent back."""

    def tool_called(self, task: TaskInfo, call: ToolCall) -> None:
        """A tool call of an instruction is over."""

    def turn_done(self, task: TaskInfo, turn: Turn) -> None:
        """A turn is over."""

    def task_done(self, result: TaskResult) -> None:
        """A task is closed and scored."""


def _to_all(event: str) -> Callable[..., None]:
    def tell(watchers: Watchers, *happened: object) -> None:
        for watcher in watchers.watchers:
            getattr(watcher, event)(*happened)

    return tell


class Watchers:
    """Tells each of them everything, in their order."""

    def __init__(self, watchers: Sequence[Watcher]) -> None:
        self.watchers = tuple(watchers)

    task_started = _to_all("task_started")
    call_done = _to_all("call_done")
    decided = _to_all("decided")
    tool_called = _to_all("tool_called")
    turn_done = _to_all("turn_done")
    task_done = _to_all("task_done")
