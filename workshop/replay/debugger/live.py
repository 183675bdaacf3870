"""The debugger on a live run: every call of the worker's code asks here before it is sent."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

from rich.console import Console

from core.ledger import Ledger, ToolCall, ToolFault
from worker.sandbox.contract import ClockAndSeed, SandboxLimits
from worker.sandbox.executor import SandboxExecutor
from worker.sandbox.factory import open_sandbox
from workshop.replay.debugger.debug_state import (
    LIMITS,
    Answered,
    DebuggedTurn,
    DebugState,
    Workbench,
)
from workshop.replay.debugger.prompt import AskingHost, Prompt
from workshop.replay.debugger.screen import Screen


class Readable(Protocol):
    """The benchmark of a task, as far as the debugger needs it."""

    def state(self, ledger: Ledger) -> str:
        """Its state, read afresh and recorded in that ledger. Raises ToolFault."""


@dataclass(kw_only=True)
class LiveState(DebugState):
    """Answers come from the tools themselves, unless the user gives one."""

    ledger: Ledger
    benchmark: Readable

    def settle(self) -> Answered:
        """Carry the call out, or use the edited result; both are recorded in the ledger."""
        pause = self.waiting()
        if self.edited_answer is None:
            return Answered(self.ask(self._call, pause), "live")
        call = self.by_hand(pause, self.edited_answer)
        self.ledger.note(call)
        return Answered(call, "edited")

    def _call(self, name: str, args: list[object], kwargs: dict[str, object]) -> ToolCall:
        """Run a tool. Raises ToolFault if it is refused before it runs: closed, or no budget."""
        before = len(self.ledger.calls)
        try:
            self.ledger.call(name, args, kwargs)
        except ToolFault:
            if len(self.ledger.calls) == before:
                raise
        return self.ledger.calls[-1]

    def current_state(self) -> str:
        """The benchmark's state now."""
        try:
            return self.benchmark.state(Ledger())
        except ToolFault as fault:
            return f"unknown: {fault.text}"


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
        debug = LiveState(
            subject=subject,
            codes=(),
            clock_and_seed=ClockAndSeed(0, 0),
            workbench=self.workbench,
            tools={tool.name: tool for tool in ledger.tools},
            ledger=ledger,
            benchmark=self.benchmark,
        )
        screen = Screen(debug, Console(soft_wrap=True))
        screen.opening()
        host = AskingHost(debug, Prompt(debug, screen))
        inner = open_sandbox(host, replace(limits, wall_seconds=LIMITS.wall_seconds))
        debug.clock_and_seed, debug.codes, host.executor = inner.clock_and_seed, inner.codes, inner
        return inner
