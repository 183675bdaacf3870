"""A turn at the debugger: its code runs again or live, and a person decides about its calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from coordinator.benchmark import AS_SHIPPED, Benchmark, Environment
from core.erc3_client.retrying_platform import RetryingPlatform
from core.ledger import Budget, Ledger, Tool, ToolCall, ToolFault
from core.ledger.calls import FailedRequest
from core.ledger.combo import ComboRow, is_combo
from core.runs.task import Turn
from core.runs.task_record import TaskRecord, TurnLog
from core.runs.work import WorkReport
from core.tools.faults import OutOfReach, Refused
from worker.sandbox.contract import ClockAndSeed, SandboxKind
from workshop.replay.recorded import give_again, is_asked

if TYPE_CHECKING:
    from workshop.replay.terminal import Terminal

REFUSED = 400
"""HTTP status of a refusal that the person makes up."""
Origin: TypeAlias = Literal["record", "edited", "live"]
"""Who answered a call: the record, the person, or a benchmark that runs."""
Found: TypeAlias = "tuple[ToolCall | EditedAnswer | None, Origin]"
"""The answer of a call and who gave it; None: its own tool gives it."""


class BadCommand(Exception):
    """The command is invalid; the text says why and what would be right."""


@dataclass(frozen=True)
class EditedAnswer:
    """An answer that the person wants a call to have: a result, or an exception."""

    result: object = None
    fault: ToolFault | None = None

    def give(self, tool: Tool, arguments: dict[str, object]) -> object:
        """What the tool answers. Raises ToolFault; a Combo tool may report a refusal instead."""
        fault = self.fault
        if fault is None:
            return self.result
        if isinstance(fault, Refused):
            fault.request = FailedRequest(
                method=tool.name, status=REFUSED, code="", text=fault.text, parameters=arguments
            )
            fault.found = [ComboRow(error=fault.text)] if is_combo(tool) else None
        raise fault


@dataclass(frozen=True)
class WaitingCall:
    """A tool call that waits for its answer."""

    number: int
    """1 for the first call of the instruction."""
    tool: Tool
    args: list[object]
    kwargs: dict[str, object]
    step: int
    line: int
    """Source line within the step's snippet; 0 if unknown."""

    @property
    def arguments(self) -> dict[str, object]:
        """The arguments by name; {} where they do not fit, as the record has it."""
        try:
            return self.tool.bind(self.args, self.kwargs)
        except ToolFault:
            return {}


@dataclass
class DebuggedTurn:
    """The turn that is debugged, the answers of its calls so far, and the person's changes.

    Calls are answered from the record; from the first other call on, by a simulator or the person.
    In a live run its own tools answer.
    """

    benchmark: Benchmark
    spec_id: str
    text: str
    """The task."""
    number: int
    instruction: str
    sandbox: SandboxKind
    clock_and_seed: ClockAndSeed
    codes: Sequence[str] = ()
    """The snippets so far, or all that were recorded."""
    before: Sequence[ToolCall] = ()
    """Calls of earlier turns."""
    log: TaskRecord | None = None
    recorded: TurnLog | None = None
    """None while the turn is live."""
    base_url: str | None = None
    """Of a simulator with the task, if there is one."""
    answers: list[tuple[ToolCall, Origin]] = field(default_factory=list)
    """The calls that were answered, in order."""
    edits: dict[int, EditedAnswer] = field(default_factory=dict)
    """By number of the call."""
    left: int | None = None
    """The call at which the work left the record; in a live run the first."""
    _world: Environment | None = None
    """The simulated task, brought to this state, once it was needed."""

    @property
    def is_live(self) -> bool:
        """Whether calls of a run are answered that is going on."""
        return self.recorded is None

    @property
    def turn(self) -> Turn | None:
        """The whole turn as it was recorded."""
        return self.recorded.turn if self.recorded else None

    @property
    def calls(self) -> list[ToolCall]:
        """The calls that were answered."""
        return [call for call, _ in self.answers]

    def forget_from(self, number: int) -> list[int]:
        """Forget that call and later ones; return the numbers of the edits that went with them.

        A simulated task has to be built again for that.
        """
        if len(self.answers) >= number:
            del self.answers[number - 1 :]
            self._world = None
        if self.left is not None and self.left >= number:
            self.left = None
        gone = sorted(edited for edited in self.edits if edited >= number)
        for edited in gone:
            del self.edits[edited]
        return gone

    def recorded_call(self, number: int) -> ToolCall | None:
        """Return the recorded call of that number, as long as the work follows the record."""
        record = self.recorded.tools if self.recorded else ()
        follows = self.left is None or number < self.left
        return record[number - 1] if follows and number <= len(record) else None

    def find_answer(self, waiting: WaitingCall) -> Found | None:
        """The answer of a call; None where only the person has one.

        Raises ToolFault: the simulated task could not be brought to this state.
        """
        number = waiting.number
        if number <= len(self.answers):  # the work is done again
            return self.answers[number - 1]
        recorded = self.recorded_call(number)
        if not is_asked(recorded, waiting.tool.name, waiting.arguments):
            recorded, self.left = None, self.left or number
        if edit := self.edits.get(number):
            return edit, "edited"
        if recorded is not None:
            return recorded, "record"
        if self.is_live:
            return None, "live"
        if self.base_url is None:
            return None
        if self._world is None:
            done = [*self.before, *self.calls]
            self._world = open_world(self.benchmark, self.base_url, self.spec_id, done)
        return self._simulated(self._world, waiting), "live"

    def _simulated(self, world: Environment, waiting: WaitingCall) -> ToolCall:
        """Run a tool; the call as the ledger has it, failed or not. Raises ToolFault: not run."""
        ledger = Ledger()
        ledger.instruction = self.instruction
        with world.bind(ledger) as tools:
            ledger.offer(tools)
            try:
                ledger.call(waiting.tool.name, waiting.args, waiting.kwargs)
            except ToolFault:
                if not ledger.calls:
                    raise
        return ledger.calls[-1]

    def ends_as_recorded(self, report: WorkReport) -> bool:
        """Whether the work came to the recorded result."""
        was = self.turn.report if self.turn else None
        return was is not None and (was.answered, was.result) == (report.answered, report.result)

    def edited_turn(self, report: WorkReport) -> Turn:
        """Return the turn as it went now. Raises BadCommand: it went as recorded, or is live."""
        if self.turn is None:
            raise BadCommand("a live run is not forked; c continues it")
        if self.ends_as_recorded(report) and {origin for _, origin in self.answers} <= {"record"}:
            raise BadCommand("the turn went as it was recorded; edit an answer or a variable first")
        if report.failure:  # of the model, which has no reply beyond the recorded ones
            ended = {"failure": None, "error": "the code gave no final answer"}
            report = report.model_copy(update=ended)
        return self.turn.model_copy(update={"report": report, "requests": report.requests})


def open_world(
    benchmark: Benchmark, base_url: str, spec_id: str, calls: Sequence[ToolCall] = ()
) -> Environment:
    """A new task of that spec on a platform, with the writes of these calls sent again.

    Raises ToolFault: the platform has no such task or does not answer.
    """
    # Late: which client is chosen, and whether that can be, is no matter of recorded turns.
    from core.erc3_client import ERC3, ApiException, transport_errors

    try:
        platform = RetryingPlatform(ERC3(key="key-embedded", base_url=base_url))
        task_id = platform.start_new_task(benchmark.name, spec_id).task_id
        environment = benchmark.with_options(AS_SHIPPED).open(platform, task_id)
        environment.briefing(Ledger())
    except ApiException as error:
        raise ToolFault(f"the platform refused: {error}") from None
    except transport_errors() as error:
        raise OutOfReach(f"the platform does not answer: {type(error).__name__}") from None
    requests = [request for call in calls for request in call.requests]
    environment.repeat(requests, Ledger(Budget(final=len(requests) + 1)))
    return environment


class AskingHost:
    """The tools of a debugged instruction, behind a person at a terminal; see ``ToolHost``."""

    def __init__(self, terminal: Terminal, ledger: Ledger) -> None:
        """The tools of ``ledger`` give the answers that are found for them from now on."""
        self._terminal, self._ledger = terminal, ledger
        self._tools: Mapping[str, Tool] = {tool.name: tool for tool in ledger.tools}
        self._answer: ToolCall | EditedAnswer | None = None
        self.names, self.signatures = ledger.names, ledger.signatures
        ledger.offer(replace(tool, run=partial(self._run, tool)) for tool in ledger.tools)

    @property
    def waited(self) -> float:
        """Seconds that calls have waited for a model so far."""
        return self._ledger.waited

    def call(self, name: str, args: list[object], kwargs: dict[str, object]) -> object:
        """Carry out one call. Raises KeyboardInterrupt to go back or leave."""
        ledger = self._ledger
        number = len(ledger.calls) + 1
        waiting = WaitingCall(
            number, self._tools[name], args, kwargs, *(ledger.position() or (0, 0))
        )
        self._answer, origin = self._terminal.wait_at(waiting)
        try:
            return ledger.call(name, args, kwargs)
        finally:
            if len(ledger.calls) == number:
                self._terminal.note(ledger.calls[-1], origin)

    def _run(self, tool: Tool, /, **arguments: Any) -> object:
        match self._answer:
            case None:
                return tool.run(**arguments)
            case EditedAnswer() as edit:
                return edit.give(tool, arguments)
            case recorded:
                return give_again(recorded, self._ledger)
