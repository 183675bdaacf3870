"""The debugger on a live run: every call of the worker's code asks here before it is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from inspect import Signature
from typing import Any, Protocol

from ledger import Ledger, ToolCall, ToolFault
from worker.replay.debugger.answers import Answers
from worker.replay.debugger.moments import Fault, Given, Happened, Stop
from worker.replay.debugger.playback import LIMITS, Playback, answer_of
from worker.replay.debugger.prompt import Prompt, Quit
from worker.replay.debugger.scene import Scene, Subject, workbench_named
from worker.replay.debugger.screen import Screen
from worker.sandbox import CodeOutput, Limits, Pins, SandboxExecutor, open_sandbox


class LiveAnswers(Answers):
    """Answers come from the tools themselves, unless the user gives one."""

    def __init__(self, ledger: Ledger, state: Callable[[], str]) -> None:
        super().__init__((), ledger.tools)
        self._ledger = ledger
        self._state = state

    def settle(
        self,
        stop: Stop,
        edited: dict[str, object] | None,
        wish: Given | Fault | None,
        history: Sequence[Happened],
    ) -> Happened:
        """The call, carried out or answered by hand; both stand in the ledger."""
        if wish is not None:
            arguments = self.bound(stop) if edited is None else edited
            call = self.by_hand(stop, arguments, wish)
            self._ledger.note(call)
            return Happened(call, "edited")
        return Happened(self._sent(stop, edited), "live")

    def _sent(self, stop: Stop, edited: dict[str, object] | None) -> ToolCall:
        before = len(self._ledger.calls)
        try:
            if edited is None:
                self._ledger.call(stop.name, list(stop.args), dict(stop.kwargs))
            else:
                self._ledger.call(stop.name, [], edited)
        except ToolFault as fault:
            if len(self._ledger.calls) == before:  # refused at the door: closed, or no budget
                return self.by_hand(stop, edited or {}, Fault(fault.kind, fault.text))
        return self._ledger.calls[-1]

    def afresh(self, history: Sequence[Happened]) -> str | None:
        """The benchmark's state now."""
        try:
            return self._state()
        except ToolFault as fault:
            return f"unknown: {fault.text}"


class Readable(Protocol):
    """The benchmark of a task, as far as the debugger needs it."""

    def state(self, ledger: Ledger) -> str:
        """Its state, read afresh and booked in that ledger. Raises ToolFault."""


class LiveWatch:
    """Looks on at one task's worker: a prompt at each tool call."""

    def __init__(self, name: str, spec_id: str, text: str, benchmark: Readable) -> None:
        self._name = name
        self._spec_id = spec_id
        self._text = text
        self._benchmark = benchmark
        self._instructions = 0
        self._past: tuple[ToolCall, ...] = ()
        self._ledger = Ledger()

    def open(self, instruction: str, ledger: Ledger, limits: Limits) -> SandboxExecutor:
        """A sandbox for one instruction, whose calls ask at the prompt before they are sent."""
        from rich.console import Console

        self._instructions += 1
        self._past, self._ledger = (*self._past, *self._ledger.calls), ledger
        subject = Subject(
            spec_id=self._spec_id,
            text=self._text,
            turn=self._instructions,
            instruction=instruction,
            state="not recorded",
            before=self._past,
        )
        answers = LiveAnswers(ledger, lambda: self._benchmark.state(Ledger()))
        # Playback is for looking at variables: it repeats snippets with the answers they got.
        playback = Playback((), Pins(0, 0), ledger.tools)
        scene = Scene(subject, playback, answers, workbench_named(self._name))
        screen = Screen(scene, Console(soft_wrap=True))
        screen.opening()
        host = _WatchedHost(ledger, scene, Prompt(scene, screen, rewinds=False))
        # A person thinks within a tool call: only the code's own time is limited.
        inner = open_sandbox(host, replace(limits, wall_seconds=LIMITS.wall_seconds))
        playback.pins = inner.pins
        return _Told(inner, playback)


class _WatchedHost:
    """A ledger whose calls go through the prompt; a ToolHost."""

    def __init__(self, ledger: Ledger, scene: Scene, prompt: Prompt) -> None:
        self._ledger = ledger
        self._scene = scene
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
        number = len(self._scene.history) + 1
        move = self._prompt.at(Stop(number, name, tuple(args), dict(kwargs), step, line))
        if isinstance(move, Quit) or not isinstance(move, Happened):
            raise KeyboardInterrupt
        return answer_of(move.call)


class _Told(SandboxExecutor):
    """An executor that notes each snippet where the prompt finds it."""

    def __init__(self, inner: SandboxExecutor, playback: Playback) -> None:
        super().__init__(inner.pins)
        self._inner = inner
        self._playback = playback
        self.state = inner.state
        self._shared = inner._shared

    @property
    def sandbox(self) -> Any:
        """See ``SandboxExecutor``."""
        return self._inner.sandbox

    def send_tools(self, tools: Mapping[str, object]) -> None:
        """See ``SandboxExecutor``."""
        self._inner.send_tools(tools)

    def send_variables(self, variables: Mapping[str, object]) -> None:
        """See ``SandboxExecutor``."""
        self._inner.send_variables(variables)

    def __call__(self, code_action: str) -> CodeOutput:
        """See ``SandboxExecutor``."""
        self._playback.codes = (*self._playback.codes, code_action)
        return self._inner(code_action)

    def cleanup(self) -> None:
        """See ``SandboxExecutor``."""
        self._inner.cleanup()
