"""The debugger's state: the task, the work, the current call, and what answers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from core.ledger import Ledger, Tool, ToolCall, ToolFault
from core.runs.task import Turn
from core.runs.work import StepRecord
from core.tools.live_task import LiveTask
from worker.sandbox.contract import ClockAndSeed, SandboxKind, SandboxLimits

LIMITS = replace(SandboxLimits(), wall_seconds=1e9)
"""A person thinks within a tool call: only the code's own time is limited."""
NOT_FORKED = "a live run is not forked; c continues it"


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

    def open_live(self, base_url: str, spec_id: str) -> LiveTask:
        """A new task on a platform. Raises ToolFault."""


class BadCommand(Exception):
    """The command is invalid; the text says why and what would be right."""


@dataclass(frozen=True)
class Pause:
    """A tool call that waits for its answer."""

    number: int
    """1 for the first call of the instruction."""
    name: str
    args: tuple[object, ...]
    kwargs: dict[str, object]
    step: int
    line: int
    """Source line within the step's snippet; 0 if unknown."""


@dataclass(frozen=True)
class Ended:
    """The work is over."""

    steps: tuple[StepRecord, ...] = ()
    result: object = None
    answered: bool = False


@dataclass(frozen=True)
class Answered:
    """A call that was answered: by the record, by the user, or by a running benchmark."""

    call: ToolCall
    by: Literal["record", "edited", "live"]


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


@dataclass
class DebugState:
    """The position in the work, and the user's changes.

    Calls are answered from the record; from the first other call on, by a simulator or the user.
    """

    subject: DebuggedTurn
    codes: Sequence[str]
    """The snippets so far, or all that were recorded."""
    clock_and_seed: ClockAndSeed
    workbench: Workbench
    tools: Mapping[str, Tool]
    record: Sequence[ToolCall] = ()
    open_live: Callable[[], LiveTask] | None = None
    """A new task on the simulator, if there is one."""
    live: LiveTask | None = None
    """The running environment, once it was needed."""
    ledger: Ledger | None = None
    """Of a live run; None for a recorded turn."""
    sandbox: SandboxKind | None = None
    """None: the environment decides."""
    note: str = ""
    """A note if the sandbox differs from the recorded one."""
    history: list[Answered] = field(default_factory=list)
    moment: Pause | Ended = field(default_factory=Ended)
    left: int | None = None
    """The call at which the work left the record."""
    arguments: dict[str, object] | None = None
    """Edited arguments of the waiting call."""
    edited_answer: dict[str, object] | None = None
    """The field of a call with the result that the user wants the waiting one to have."""
    breaks: set[tuple[int, int]] = field(default_factory=set)
    """Breakpoints by step and line."""

    def waiting(self) -> Pause:
        """The call that waits. Raises BadCommand at the end."""
        if isinstance(self.moment, Ended):
            raise BadCommand("the code has ended; back [N] goes to an earlier call")
        return self.moment

    @property
    def place(self) -> tuple[int, int]:
        """Step and line of the waiting call; at the end the last snippet."""
        if isinstance(self.moment, Pause):
            return max(1, self.moment.step), self.moment.line
        return max(1, len(self.moment.steps)), 1

    @property
    def calls(self) -> list[ToolCall]:
        """The calls that were answered."""
        return [answered.call for answered in self.history]

    def arrive(self, moment: Pause | Ended) -> None:
        """The work has gone on; edits were for the call before."""
        self.moment, self.arguments, self.edited_answer = moment, None, None

    def go_back(self, number: int) -> None:
        """Forget that call and later ones; a live world has to be rebuilt for that."""
        del self.history[number - 1 :]
        self.live = None
        if self.left is not None and self.left >= number:
            self.left = None

    def recorded(self, number: int) -> ToolCall | None:
        """The recorded call of that number."""
        return self.record[number - 1] if number <= len(self.record) else None

    def bound(self, pause: Pause) -> dict[str, object]:
        """Arguments by name; {} where they do not fit, as the record has it."""
        try:
            return self.tools[pause.name].bind(list(pause.args), dict(pause.kwargs))
        except ToolFault:
            return {}

    def arguments_of(self, pause: Pause) -> dict[str, object]:
        """The arguments of the waiting call, as they are edited."""
        return self.bound(pause) if self.arguments is None else self.arguments

    def settle(self) -> Answered | None:
        """Answer the waiting call; None where only the user can.

        Raises BadCommand: no call waits; ToolFault: the live world could not be brought here.
        """
        pause = self.waiting()
        if self.left == pause.number:
            self.left = None  # the user may have put the arguments back
        recorded = self.recorded(pause.number) if self.left is None else None
        now = pause.name, self.arguments_of(pause)
        if recorded is None or (recorded.name, recorded.arguments) != now:
            recorded, self.left = None, self.left or pause.number
        if self.edited_answer is not None:
            call = self._by_hand(pause, self.edited_answer)
            if self.ledger:
                self.ledger.note(call)
            return Answered(call, "edited")
        if recorded is not None:
            placed = recorded.model_copy(update={"step": pause.step, "line": pause.line})
            return Answered(placed, "record")
        live = self.live_task()
        return Answered(self._ask(live, pause), "live") if live else None

    def _by_hand(self, pause: Pause, answer: Mapping[str, object]) -> ToolCall:
        """The waiting call with an answer for which nothing was sent."""
        call = ToolCall(
            number=pause.number,
            name=pause.name,
            kind=self.tools[pause.name].kind,
            arguments=self.arguments_of(pause),
            outcome="done",
            step=pause.step,
            line=pause.line,
        )
        return call.model_copy(update=answer)

    def _ask(self, live: LiveTask, pause: Pause) -> ToolCall:
        """The waiting call as a running benchmark answers it; by hand where it reaches no tool."""
        args, kwargs = list(pause.args), dict(pause.kwargs)
        if self.arguments is not None:
            args, kwargs = [], self.arguments
        try:
            answered = live.call(pause.name, args, kwargs)
        except ToolFault as fault:
            failed = {"outcome": "failed", "error": fault.text, "fault": fault.kind}
            return self._by_hand(pause, failed)
        place = {"number": pause.number, "step": pause.step, "line": pause.line}
        return answered.model_copy(update=place)

    def live_task(self) -> LiveTask | None:
        """The running environment at this moment, made when first needed. Raises ToolFault."""
        if self.live is None and self.open_live is not None:
            live = self.open_live()
            calls = (*self.subject.before, *self.calls)
            requests = [request for call in calls for request in call.requests]
            live.repeat(requests, self.subject.instruction)
            self.live = live
        return self.live

    def edited_turn(self, ended: Ended) -> Turn:
        """The turn as it went now. Raises BadCommand: it is a live one."""
        recorded = self.subject.recorded
        if recorded is None or recorded.report is None:
            raise BadCommand(NOT_FORKED)
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
