"""Who looks on at a run."""

from __future__ import annotations

from collections.abc import Sequence
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


class Watchers:
    """Tells each of them everything, in their order."""

    def __init__(self, watchers: Sequence[Watcher]) -> None:
        self._watchers = tuple(watchers)

    def task_started(self, task: TaskInfo) -> None:
        """A task begins."""
        for watcher in self._watchers:
            watcher.task_started(task)

    def call_done(self, task: TaskInfo, call: ModelCall) -> None:
        """A model was asked for a task, whatever came of it."""
        for watcher in self._watchers:
            watcher.call_done(task, call)

    def decided(self, task: TaskInfo, number: int, decision: Decision) -> None:
        """A turn has its decision."""
        for watcher in self._watchers:
            watcher.decided(task, number, decision)

    def tool_called(self, task: TaskInfo, call: ToolCall) -> None:
        """A tool call of an instruction is over."""
        for watcher in self._watchers:
            watcher.tool_called(task, call)

    def turn_done(self, task: TaskInfo, turn: Turn) -> None:
        """A turn is over."""
        for watcher in self._watchers:
            watcher.turn_done(task, turn)

    def task_done(self, result: TaskResult) -> None:
        """A task is closed and scored."""
        for watcher in self._watchers:
            watcher.task_done(result)
