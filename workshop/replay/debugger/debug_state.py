"""The debugger's state: the task, the work, and the current call."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

from core.ledger import ToolCall, ToolFault
from core.runs.task import Turn
from worker.sandbox.contract import ClockAndSeed, SandboxKind, SandboxLimits
from workshop.replay.debugger.answer_source import (
    Answered,
    AnswerSource,
    EditedAnswer,
    Ended,
    LiveWorld,
    Pause,
)

LIMITS = replace(SandboxLimits(), wall_seconds=1e9)
"""A person thinks within a tool call: only the code's own time is limited."""


class Workbench(Protocol):
    """What a benchmark provides for the debugger."""

    def state_at(self, start: str, calls: Sequence[ToolCall]) -> str:
        """The state behind these calls, as far as records tell."""

    def scenario_of(
        self,
        spec_id: str,
        task_text: str,
        calls: Sequence[ToolCall],
        result: Mapping[str, Any] | None,
        edited: Sequence[ToolCall] = (),
    ) -> dict[str, Any]:
        """A pack with one scenario: the task as these calls saw it."""

    def open_live(self, base_url: str, spec_id: str) -> LiveWorld:
        """A new task on a platform. Raises ToolFault."""


class Place(NamedTuple):
    """A line of a snippet, both counted from 1."""

    step: int
    line: int


class BadCommand(Exception):
    """The command is invalid; the text says why and what would be right."""


@dataclass(frozen=True)
class DebuggedTurn:
    """The turn that is debugged, and what is known of its task."""

    spec_id: str
    text: str
    turn: int
    instruction: str
    state: str
    """The state at the start of the turn."""
    before: tuple[ToolCall, ...] = ()
    """Calls of earlier turns."""
    after: tuple[ToolCall, ...] = ()
    """Calls of later turns."""
    result: Mapping[str, Any] | None = None
    """How the task ended, if it has."""
    recorded: Turn | None = None
    """The whole turn; None while it is live."""
    outcome: tuple[bool, object] | None = None
    """Whether the recorded turn came to an answer, and to which; None while it is live."""


@dataclass
class DebugState:
    """The position in the work, and the user's changes."""

    subject: DebuggedTurn
    codes: Sequence[str]
    """The snippets so far, or all that were recorded."""
    clock_and_seed: ClockAndSeed
    answers: AnswerSource
    workbench: Workbench
    sandbox: SandboxKind | None = None
    """The kind of sandbox; None: the environment decides."""
    note: str = ""
    """A note if it differs from the recorded one."""
    history: list[Answered] = field(default_factory=list)
    moment: Pause | Ended = field(default_factory=lambda: Ended(()))
    arguments: dict[str, object] | None = None
    """Arguments that the user has edited, for the call that waits."""
    edited_answer: EditedAnswer | ToolFault | None = None
    """The answer that the user wants the waiting call to have."""
    breaks: set[tuple[int, int]] = field(default_factory=set)
    """Breakpoints by step and line."""
    depth: int = 0
    """How many callers above the waiting call is looked from."""
    callers: list[Place] | None = None
    """Positions of those calls, the outermost first; None: not computed yet."""

    @property
    def pause(self) -> Pause | None:
        """The call that waits; None at the end."""
        return self.moment if isinstance(self.moment, Pause) else None

    def waiting(self) -> Pause:
        """The call that waits. Raises BadCommand at the end."""
        if self.pause is None:
            raise BadCommand("no call is waiting; back [N] goes to an earlier one")
        return self.pause

    def arguments_of(self, pause: Pause) -> dict[str, object]:
        """The arguments of the waiting call, as they are edited."""
        return self.answers.bound(pause) if self.arguments is None else self.arguments

    @property
    def step(self) -> int:
        """The step that runs, or ran last."""
        if isinstance(self.moment, Pause):
            return max(1, self.moment.step)
        return max(1, len(self.moment.steps))

    @property
    def place(self) -> Place:
        """The selected frame: the waiting call, or one of its callers."""
        if self.depth and self.callers:
            return self.callers[-self.depth]
        return Place(self.step, self.pause.line if self.pause else 1)

    @property
    def calls(self) -> list[ToolCall]:
        """The calls that were answered."""
        return [h.call for h in self.history]

    def arrive(self, moment: Pause | Ended) -> None:
        """The work has gone on; edits were for the call before."""
        self.moment, self.arguments, self.edited_answer = moment, None, None
        self.depth, self.callers = 0, None

    @property
    def is_edited(self) -> bool:
        """Whether anything goes otherwise than it was recorded, or is about to."""
        waiting = self.arguments is not None or self.edited_answer is not None
        changed = self.answers.left is not None or any(h.by != "record" for h in self.history)
        return waiting or changed

    def edited_turn(self, ended: Ended) -> Turn:
        """The turn as it went now. Raises BadCommand: it is a live one."""
        recorded = self.subject.recorded
        if recorded is None or recorded.report is None:
            raise BadCommand("a live run is not forked; c continues it")
        report = recorded.report.model_copy(
            update={
                "steps": ended.steps,
                "result": ended.result,
                "answered": ended.answered,
                "error": None if ended.answered else "the code gave no final answer",
                "calls": tuple(self.calls),
                "requests": sum(len(call.requests) for call in self.calls),
            }
        )
        return recorded.model_copy(update={"report": report, "requests": report.requests})

    def code(self, step: int) -> list[str]:
        """The lines of a snippet."""
        there = 1 <= step <= len(self.codes)
        return self.codes[step - 1].rstrip("\n").split("\n") if there else []

    def calling_lines(self, step: int) -> list[int]:
        """Lines of a snippet from which tools are called, by its text or by the record."""
        lines = {c.line for c in self.calls if c.step == step and c.line}
        try:
            tree = ast.parse("\n".join(self.code(step)))
        except (SyntaxError, ValueError):
            return sorted(lines)
        nodes = [
            n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id in self.answers.tools
        ]
        return sorted(lines | {n.lineno for n in nodes})
