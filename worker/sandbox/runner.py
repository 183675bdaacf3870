"""Snippets on one kind of interpreter, and how the state is had again when one is lost."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from worker.sandbox.contract import SandboxKind, SandboxLimits, SandboxUnavailable
from worker.sandbox.error_report import CodeFailure
from worker.sandbox.snippet_tree import bound_names, parse
from worker.sandbox.tool_bridge import Diverged, StepOver, ToolBridge
from worker.sandbox.values import Prints


class Interpreter(Protocol):
    """A living interpreter with its variables, whichever it is."""

    def wait_ready(self) -> None:
        """Wait until it has started. Raises SandboxUnavailable: it has not."""

    def run(self, bridge: ToolBridge, prints: Prints) -> object:
        """Run the bridge's snippet to its end; the value of its last expression, safe to display.

        Returns None after ``final_answer`` (see ``bridge.final``). Raises CodeFailure when the code
        raised, StepOver when the interpreter is of no more use, and KeyboardInterrupt out of a
        tool.
        """

    def close(self) -> None:
        """Give the interpreter back. Called once, and nothing afterwards."""


def names_of(past: list[ToolBridge]) -> frozenset[str]:
    """All names that the steps so far made."""
    return frozenset().union(*(bound_names(parse(step.code)) for step in past))


@dataclass
class StepRun:
    """How one run of a snippet went."""

    sandbox: SandboxKind
    bridge: ToolBridge
    logs: str = ""
    value: object = None
    failure: CodeFailure | None = None
    """The code raised; the interpreter lives."""
    over: StepOver | None = None
    """Why the interpreter is gone; None while it lives."""


class Runner:
    """Interpreters of one kind, one after the other: the state after all steps so far."""

    def __init__(
        self, kind: SandboxKind, limits: SandboxLimits, open_interpreter: Callable[[], Interpreter]
    ) -> None:
        """``open_interpreter``: opens a new interpreter; raises SandboxUnavailable."""
        self.kind = kind
        self._limits = limits
        self._open_interpreter = open_interpreter
        self._interpreter: Interpreter | None = None

    def open(self) -> None:
        """Begin to open an interpreter, so that it is there when the first snippet is."""
        with suppress(SandboxUnavailable):  # the first snippet tries again
            self._interpreter = self._open_interpreter()

    def run(self, bridge: ToolBridge, past: list[ToolBridge]) -> StepRun:
        """Run a snippet after the past steps; opens and fills an interpreter if there is none.

        Raises:
            SandboxUnavailable: there is none, and none can be opened.
        """
        run = StepRun(self.kind, bridge)
        prints = Prints(self._limits.output_chars)
        try:
            interpreter = self._ready(past)
            bridge.begin()
            try:
                run.value = interpreter.run(bridge, prints)
            except CodeFailure as failure:
                run.failure = failure
        except StepOver as over:
            run.over = over
            self.close()
        except BaseException:
            self.close()
            raise
        run.logs = prints.text()
        return run

    def close(self) -> None:
        """End the interpreter; the next run repeats the past in a new one."""
        interpreter, self._interpreter = self._interpreter, None
        if interpreter is not None:
            interpreter.close()

    def _ready(self, past: list[ToolBridge]) -> Interpreter:
        if self._interpreter is not None:
            try:
                self._interpreter.wait_ready()
                return self._interpreter
            except SandboxUnavailable:  # the server may have died; the next one is new
                self.close()
        try:
            self._interpreter = self._open_interpreter()
            self._interpreter.wait_ready()
            for step in past:
                _repeat(self._interpreter, step)
        except StepOver as over:
            raise Diverged(over.text, over.kind) from None
        return self._interpreter


def _repeat(interpreter: Interpreter, past: ToolBridge) -> None:
    """Run an old step again from its recorded answers; its effects inside are all that counts."""
    bridge = ToolBridge(past.side, past.step, past.code, past.calls, live=False)
    try:
        interpreter.run(bridge, Prints(0))
    except CodeFailure:
        return  # it failed the first time, too
