"""Prints what a run does as it happens: thoughts, instructions, tool calls, reports."""

from __future__ import annotations

from rich.console import Console

from core.ledger import ToolCall
from core.models.model_call import ModelCall
from core.runs.results import TaskResult
from core.runs.task import Decision, TaskInfo, Turn
from core.terminal.console import plain_line
from core.terminal.figures import cut, peek

MOST_CHARS = 1_000
"""Maximum characters of a thought, an instruction or a report."""
CALL_CHARS = 400
RESULT_CHARS = 160


class Stream:
    """A watcher that prints each event as a line, behind the name of its task."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def task_started(self, task: TaskInfo) -> None:
        """Print its text."""
        self._print(task, f"TASK: {_one(task.text)}")

    def call_done(self, task: TaskInfo, call: ModelCall) -> None:
        """Print a failure of a model; a successful call shows in what follows."""
        if call.error:
            self._print(task, f"MODEL {call.role}: {_one(call.error)}")

    def decided(self, task: TaskInfo, number: int, decision: Decision) -> None:
        """Print a thought and what is to be done."""
        self._print(task, f"turn {number} THOUGHT: {_one(decision.thought)}")
        self._print(task, f"turn {number} {decision.decision}: {_one(decision.instruction)}")

    def tool_called(self, task: TaskInfo, call: ToolCall) -> None:
        """Print a call with the beginning of its answer."""
        self._print(task, f"  {_one(call.prompt(RESULT_CHARS), CALL_CHARS)}")

    def turn_done(self, task: TaskInfo, turn: Turn) -> None:
        """Print what was reported, or why nothing was done."""
        if turn.withheld:
            self._print(task, f"turn {turn.number} PREPARED ANSWER NOT SENT: {_one(turn.withheld)}")
        if turn.challenge:
            self._print(task, f"turn {turn.number} SENT BACK: {_one(turn.challenge)}")
        if turn.refused:
            self._print(task, f"turn {turn.number} REFUSED: {_one(turn.refused)}")
        if turn.report:
            failed = turn.report.error
            text = f"FAILED: {_one(failed)}" if failed else peek(turn.report.result, MOST_CHARS)
            self._print(task, f"turn {turn.number} REPORT: {text}")

    def task_done(self, result: TaskResult) -> None:
        """Nothing: the line of a task that is over is printed by the progress."""

    def _print(self, task: TaskInfo, line: str) -> None:
        plain_line(self._console, f"[{_one(task.spec_id, 60)}] {line}")


def _one(text: str, most: int = MOST_CHARS) -> str:
    """A text on one line."""
    return cut(" ".join(text[: 4 * most].split()), most)
