"""The debugger on a live run: every call of the worker's code asks here before it is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from inspect import Signature
from typing import Protocol

from ledger import Ledger, ToolCall, ToolFault
from worker.replay.debugger.answer_source import AnswerSource
from worker.replay.debugger.debug_state import DebuggedTurn, DebugState, Workbench
from worker.replay.debugger.pauses import Answered, Pause, WishedAnswer, WishedFault
from worker.replay.debugger.playback import LIMITS, Playback
from worker.replay.debugger.prompt import Prompt, Quit
from worker.replay.debugger.screen import Screen
from worker.replay.recorded_tools import answer_of
from worker.sandbox import Pins, SandboxExecutor, SandboxLimits, open_sandbox


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
        wish: WishedAnswer | WishedFault | None,
        history: Sequence[Answered],
    ) -> Answered:
        """The call, carried out or answered by hand; both stand in the ledger."""
        if wish is not None:
            arguments = self.bound(pause) if edited is None else edited
            call = self.by_hand(pause, arguments, wish)
            self._ledger.note(call)
            return Answered(call, "edited")
        return Answered(self._sent(pause, edited), "live")

    def _sent(self, pause: Pause, edited: dict[str, object] | None) -> ToolCall:
        before = len(self._ledger.calls)
        try:
            if edited is None:
                self._ledger.call(pause.name, list(pause.args), dict(pause.kwargs))
            else:
                self._ledger.call(pause.name, [], edited)
        except ToolFault as fault:
            if len(self._ledger.calls) == before:  # refused at the door: closed, or no budget
                return self.by_hand(pause, edited or {}, WishedFault(fault.kind, fault.text))
        return self._ledger.calls[-1]

    def afresh(self, history: Sequence[Answered]) -> str | None:
        """The benchmark's state now."""
        try:
            return self._state()
        except ToolFault as fault:
            return f"unknown: {fault.text}"


class Readable(Protocol):
    """The benchmark of a task, as far as the debugger needs it."""

    def state(self, ledger: Ledger) -> str:
        """Its state, read afresh and booked in that ledger. Raises ToolFault."""


class LiveDebugger:
    """Looks on at one task's worker: a prompt at each tool call."""

    def __init__(self, bench: Workbench, spec_id: str, text: str, benchmark: Readable) -> None:
        self._bench = bench
        self._spec_id = spec_id
        self._text = text
        self._benchmark = benchmark
        self._instructions = 0
        self._past: tuple[ToolCall, ...] = ()
        self._ledger = Ledger()

    def open(self, instruction: str, ledger: Ledger, limits: SandboxLimits) -> SandboxExecutor:
        """A sandbox for one instruction, whose calls ask at the prompt before they are sent."""
        from rich.console import Console

        self._instructions += 1
        self._past, self._ledger = (*self._past, *self._ledger.calls), ledger
        subject = DebuggedTurn(
            spec_id=self._spec_id,
            text=self._text,
            turn=self._instructions,
            instruction=instruction,
            state="not recorded",
            before=self._past,
        )
        answers = LiveSource(ledger, lambda: self._benchmark.state(Ledger()))
        # Playback is for looking at variables: it repeats snippets with the answers they got.
        playback = Playback((), Pins(0, 0), ledger.tools)
        debug = DebugState(subject, playback, answers, self._bench)
        screen = Screen(debug, Console(soft_wrap=True))
        screen.opening()
        host = _WatchedHost(ledger, debug, Prompt(debug, screen, rewinds=False))
        # A person thinks within a tool call: only the code's own time is limited.
        inner = open_sandbox(host, replace(limits, wall_seconds=LIMITS.wall_seconds))
        playback.pins, playback.codes = inner.pins, inner.codes
        return inner


class _WatchedHost:
    """A ledger whose calls go through the prompt; a ToolHost."""

    def __init__(self, ledger: Ledger, debug: DebugState, prompt: Prompt) -> None:
        self._ledger = ledger
        self._debug = debug
        self._prompt = prompt

    @property
    def names(self) -> frozenset[str]:
        """Names that generated code may call."""
        return self._ledger.names

    @property
    def signatures(self) -> Mapping[str, Signature]:
        """Expected arguments by tool name."""
        return self._ledger.signatures

    def call(self, name: str, args: list[object], kwargs: dict[str, object]) -> object:
        """Ask the user, then the tool. Raises KeyboardInterrupt when the user quits."""
        step, line = self._ledger.position() or (0, 0)
        number = len(self._debug.history) + 1
        move = self._prompt.at(Pause(number, name, tuple(args), dict(kwargs), step, line))
        if isinstance(move, Quit) or not isinstance(move, Answered):
            raise KeyboardInterrupt
        return answer_of(move.call)
