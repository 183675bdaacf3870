"""The debugger on a live run: every call of the worker's code asks here before it is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from core.ledger import Ledger, ToolCall, ToolFault
from worker.sandbox.contract import ClockAndSeed, SandboxLimits
from worker.sandbox.executor import SandboxExecutor
from worker.sandbox.isolation import open_sandbox
from workshop.replay.debugger.answer_source import Answered, AnswerSource, EditedAnswer, Pause
from workshop.replay.debugger.debug_state import LIMITS, DebuggedTurn, DebugState, Workbench
from workshop.replay.debugger.prompt import AskingHost, Prompt
from workshop.replay.debugger.screen import Screen


class LiveSource(AnswerSource):
    """Answers come from the tools themselves, unless the user gives one."""

    def __init__(self, ledger: Ledger, state: Callable[[], str]) -> None:
        super().__init__((), ledger.tools)
        self._ledger = ledger
        self._state = state

    def settle(
        self,
        pause: Pause,
        edited: dict[str, object] | None,
        edited_answer: EditedAnswer | ToolFault | None,
        history: Sequence[Answered],
    ) -> Answered:
        """Carry the call out, or use the edited result; both are recorded in the ledger."""
        if edited_answer is not None:
            arguments = self.bound(pause) if edited is None else edited
            call = self.by_hand(pause, arguments, edited_answer)
            self._ledger.note(call)
            return Answered(call, "edited")
        return Answered(self.ask(self, pause, edited), "live")

    def call(self, name: str, args: list[object], kwargs: dict[str, object]) -> ToolCall:
        """Run a tool. Raises ToolFault if it is refused before it runs: closed, or no budget."""
        before = len(self._ledger.calls)
        try:
            self._ledger.call(name, args, kwargs)
        except ToolFault:
            if len(self._ledger.calls) == before:
                raise
        return self._ledger.calls[-1]

    def current_state(self, history: Sequence[Answered]) -> str | None:
        """The benchmark's state now."""
        try:
            return self._state()
        except ToolFault as fault:
            return f"unknown: {fault.text}"


class Readable(Protocol):
    """The benchmark of a task, as far as the debugger needs it."""

    def state(self, ledger: Ledger) -> str:
        """Its state, read afresh and recorded in that ledger. Raises ToolFault."""


@dataclass
class LiveDebugger:
    """Looks on at one task's worker: a prompt at each tool call."""

    workbench: Workbench
    spec_id: str
    text: str
    benchmark: Readable
    _instructions: int = 0
    _past: tuple[ToolCall, ...] = ()
    _ledger: Ledger = field(default_factory=Ledger)

    def open(self, instruction: str, ledger: Ledger, limits: SandboxLimits) -> SandboxExecutor:
        """A sandbox for one instruction, whose calls ask at the prompt before they are sent."""
        from rich.console import Console

        self._instructions += 1
        self._past, self._ledger = (*self._past, *self._ledger.calls), ledger
        subject = DebuggedTurn(
            spec_id=self.spec_id,
            text=self.text,
            turn=self._instructions,
            instruction=instruction,
            state="not recorded",
            before=self._past,
        )
        answers = LiveSource(ledger, lambda: self.benchmark.state(Ledger()))
        debug = DebugState(subject, (), ClockAndSeed(0, 0), answers, self.workbench)
        screen = Screen(debug, Console(soft_wrap=True))
        screen.opening()
        host = AskingHost(debug, Prompt(debug, screen, rewinds=False))
        inner = open_sandbox(host, replace(limits, wall_seconds=LIMITS.wall_seconds))
        debug.clock_and_seed, debug.codes, host.executor = inner.clock_and_seed, inner.codes, inner
        return inner
