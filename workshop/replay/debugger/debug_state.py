"""What is debugged: a turn, the answers of its tools, and what the person wants them to be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from coordinator.benchmark import Benchmark
from core.ledger import Ledger, Tool, ToolCall, ToolFault
from core.ledger.calls import FailedRequest
from core.ledger.combo import ComboRow, is_combo, partial_result
from core.runs.task import Turn
from core.runs.work import StepRecord
from core.tools.faults import Refused
from worker.sandbox.contract import ClockAndSeed, SandboxKind, SandboxLimits
from workshop.replay.debugger.live_task import LiveTask

REFUSED = 400
"""HTTP status of a refusal that the person makes up."""


def debug_limits(limits: SandboxLimits) -> SandboxLimits:
    """Limits for code that a person steps through, who thinks within a step.

    A loop of a million rounds took 5.9 s with a breakpoint behind it, and 0.14 s without. pdb
    itself needs less than 40 calls on top of the code's, and 16 MB.
    """
    return replace(
        limits,
        seconds=6 * limits.seconds,
        wall_seconds=1e9,
        recursion=limits.recursion + 40,
        memory_mb=limits.memory_mb + 16,
    )


class BadCommand(Exception):
    """The command is invalid; the text says why and what would be right."""


@dataclass(frozen=True)
class WaitingCall:
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
    """A call that was answered: by the record, by the person, or by a running benchmark."""

    call: ToolCall
    by: Literal["record", "edited", "live"]


@dataclass(frozen=True)
class EditedAnswer:
    """An answer that the person wants a call to have: a result, or an exception."""

    result: object = None
    fault: ToolFault | None = None

    def apply_to(self, call: ToolCall, tool: Tool) -> ToolCall:
        """Return the call with this answer; a tool may report a refusal instead of raising it."""
        fault = self.fault
        if fault is None:
            return call.model_copy(update={"outcome": "done", "result": self.result})
        if isinstance(fault, Refused):
            fault.request = FailedRequest(
                method=call.name,
                status=REFUSED,
                code="",
                text=fault.text,
                parameters=dict(call.arguments),
            )
            fault.found = [ComboRow(error=fault.text)] if is_combo(tool) else None
        failed = {"outcome": "failed", "error": fault.text, "fault": fault.kind}
        return call.model_copy(update={**failed, "result": partial_result(fault)})


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
    """The answers of a turn's calls so far, and the person's changes.

    Calls are answered from the record; from the first other call on, by a simulator or the person.
    """

    subject: DebuggedTurn
    codes: Sequence[str]
    """The snippets so far, or all that were recorded."""
    clock_and_seed: ClockAndSeed
    benchmark: Benchmark
    tools: Mapping[str, Tool]
    sandbox: SandboxKind
    record: Sequence[ToolCall] = ()
    open_live: Callable[[], LiveTask] | None = None
    """A new task on the simulator, if there is one."""
    live: LiveTask | None = None
    """The running environment, once it was needed."""
    ledger: Ledger | None = None
    """Of a live run; None for a recorded turn."""
    history: list[Answered] = field(default_factory=list)
    edits: dict[int, EditedAnswer] = field(default_factory=dict)
    """By number of the call."""
    left: int | None = None
    """The call at which the work left the record; in a live run the first."""

    @property
    def is_live(self) -> bool:
        """Whether calls of a run are answered that is going on."""
        return self.ledger is not None

    @property
    def calls(self) -> list[ToolCall]:
        """The calls that were answered."""
        return [answered.call for answered in self.history]

    def forget_from(self, number: int) -> list[int]:
        """Forget that call and later ones; return the numbers of the edits that went with them.

        A live environment has to be built again for that.
        """
        if len(self.history) >= number:
            del self.history[number - 1 :]
            self.live = None
        if self.left is not None and self.left >= number:
            self.left = None
        gone = sorted(edited for edited in self.edits if edited >= number)
        for edited in gone:
            del self.edits[edited]
        return gone

    def recorded_call(self, number: int) -> ToolCall | None:
        """Return the recorded call of that number, as long as the work follows the record."""
        follows = self.left is None or number < self.left
        return self.record[number - 1] if follows and number <= len(self.record) else None

    def bind(self, waiting: WaitingCall) -> dict[str, object]:
        """Return arguments by name; {} where they do not fit, as the record has it."""
        try:
            return self.tools[waiting.name].bind(list(waiting.args), dict(waiting.kwargs))
        except ToolFault:
            return {}

    def answer(self, waiting: WaitingCall) -> Answered | None:
        """Answer a call; None where only the person can.

        Raises ToolFault: the live environment could not be brought to this state.
        """
        place = {"number": waiting.number, "step": waiting.step, "line": waiting.line}
        arguments, tool = self.bind(waiting), self.tools[waiting.name]
        by_hand = ToolCall(
            name=tool.name,
            kind=tool.kind,
            arguments=arguments,
            outcome="done",
            number=waiting.number,
            step=waiting.step,
            line=waiting.line,
        )
        recorded = self.recorded_call(waiting.number)
        if recorded is None or (recorded.name, recorded.arguments) != (waiting.name, arguments):
            recorded, self.left = None, self.left or waiting.number
        if edit := self.edits.get(waiting.number):
            call = edit.apply_to(by_hand, tool)
            if self.ledger:
                self.ledger.note(call)
            return Answered(call, "edited")
        if recorded is not None:
            return Answered(recorded.model_copy(update=place), "record")
        live = self.live_task()
        if live is None:
            return None
        try:
            call = live.call(waiting.name, list(waiting.args), dict(waiting.kwargs))
        except ToolFault as fault:  # it reached no tool
            failed = {"outcome": "failed", "error": fault.text, "fault": fault.kind}
            call = by_hand.model_copy(update=failed)
        return Answered(call.model_copy(update=place), "live")

    def live_task(self) -> LiveTask | None:
        """The running environment at this call, made when first needed. Raises ToolFault."""
        if self.live is None and self.open_live is not None:
            live = self.open_live()
            calls = (*self.subject.before, *self.calls)
            requests = [request for call in calls for request in call.requests]
            live.repeat(requests, self.subject.instruction)
            self.live = live
        return self.live

    def edited_turn(self, ended: Ended) -> Turn:
        """Return the turn as it went now. Raises BadCommand: it went as recorded, or is live."""
        recorded = self.subject.recorded
        if recorded is None or recorded.report is None:
            raise BadCommand("a live run is not forked; c continues it")
        if self.is_as_recorded(ended) and all(one.by == "record" for one in self.history):
            raise BadCommand("the turn went as it was recorded; edit an answer or a variable first")
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

    def is_as_recorded(self, ended: Ended) -> bool:
        """Whether the work came to the recorded result."""
        report = self.subject.recorded.report if self.subject.recorded else None
        ending = ended.answered, ended.result
        return report is not None and (report.answered, report.result) == ending
