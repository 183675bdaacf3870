"""The one place where a call of generated code becomes a call of a tool.

Everything that both sandboxes must refuse is refused here: unknown names, calls after the
answer, calls beyond a limit, values that are not plain.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from core.ledger.calls import FaultKind, ToolFault
from core.text import printable
from worker.sandbox.contract import DebugTerminal, SandboxLimits, ToolHost
from worker.sandbox.values import NotPlain, Plain, display, plain_json

FINAL = "final_answer"
PATIENCE = 20
"""Refused calls before the sandbox is closed on code that does not stop."""


Place: TypeAlias = tuple[int, int]
"""Step, and line of its snippet; line 0: not known."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One line of a traceback, as reported from inside."""

    step: int
    line: int
    function: str | None


class CodeFailure(Exception):
    """The code raised; what is known about it. Texts come from inside and are not clean."""

    def __init__(self, name: str, message: str, frames: tuple[Frame, ...] = ()) -> None:
        super().__init__(name, message)
        self.name = name
        self.message = message
        self.frames = frames


class StepOver(Exception):
    """The step cannot continue, and its interpreter is unusable; the text is for the model."""

    def __init__(self, text: str, kind: Literal["limit", "crash"] = "crash") -> None:
        super().__init__(text)
        self.text = text
        self.kind = kind


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The reply to the sandbox: a value, or an exception by name and text."""

    value: Plain = None
    raises: FaultKind | Literal["NameError", "SystemExit"] | None = None
    text: str = ""


@dataclass
class ToolBridge:
    """The tools of one instruction, called by one step after the other; used by one thread."""

    host: ToolHost
    limits: SandboxLimits
    terminal: DebugTerminal | None = None
    """Who steps through the code, if anybody does."""
    faults: list[BaseException] = field(default_factory=list)
    """Exceptions of the host other than ToolFault, oldest first."""
    position: Place | None = None
    """Position of the call that the host is carrying out."""
    pause: Callable[[], bool] = lambda: False
    """During a call: let the person at the terminal look around where the code calls; False: this
    cannot be done here."""
    step: int = 0
    code: str = ""
    answered: int = 0
    """Calls of this step that the host has answered."""
    final: bool = False
    final_value: Plain = None
    _refused: int = 0
    _in_tools: float = 0.0
    _waited: float = 0.0
    """Of that, for a model that a tool has asked."""
    _started: float = 0.0
    _stopped: float | None = None
    """Since when the clock of the code stands still."""

    def begin(self, step: int, code: str) -> None:
        """Begin a step, whose clock starts now."""
        self.step, self.code = step, code
        self.answered = self._refused = 0
        self.final, self.final_value = False, None
        self._in_tools = self._waited = 0.0
        self._started = time.monotonic()

    def code_seconds(self) -> float:
        """Seconds since the step began, without those spent in tools."""
        return (self._stopped or time.monotonic()) - self._started - self._in_tools

    @contextmanager
    def stop_clock(self) -> Iterator[None]:
        """Leave the time in this context out of the code's."""
        if self._stopped is not None:
            yield
            return
        self._stopped = time.monotonic()
        try:
            yield
        finally:
            self._in_tools += time.monotonic() - self._stopped
            self._stopped = None

    def seconds_left(self) -> float:
        """Seconds until ``check_time`` refuses, if no tool is called meanwhile."""
        limits = self.limits
        wall = limits.wall_seconds - self._wall_seconds()
        return max(0.0, min(wall, limits.seconds - self.code_seconds()))

    def check_time(self) -> None:
        """Raise StepOver when the step has used up its time."""
        limits = self.limits
        if self.code_seconds() > limits.seconds:
            raise StepOver(f"time limit of {limits.seconds:g} seconds per step reached", "limit")
        if self._wall_seconds() > limits.wall_seconds:
            text = (
                f"time limit of {limits.wall_seconds:g} seconds per step, tools included, reached"
            )
            raise StepOver(text, "limit")

    def _wall_seconds(self) -> float:
        return time.monotonic() - self._started - self._waited

    def call(
        self, name: str, args: list[object], kwargs: dict[str, object], place: Place | None
    ) -> ToolAnswer:
        """Answer one call. Raises StepOver when the sandbox has to be taken away."""
        limits = self.limits
        if self.final:
            over = StepOver("the code went on after its final answer")
            return self._refuse(ToolAnswer(raises="SystemExit"), over)
        self.check_time()
        if name == FINAL:
            values = [*args, *kwargs.values()]
            if len(values) != 1:
                text = f"final_answer() takes 1 argument but {len(values)} were given"
                return ToolAnswer(raises="TypeError", text=text)
            self.final = True
            self.final_value = display(values[0], limits.output_chars)
            return ToolAnswer(raises="SystemExit")
        if name not in self.host.names:
            return ToolAnswer(raises="NameError", text=f"name '{name[:80]}' is not defined")
        try:
            what = f"an argument of {name}"
            args, kwargs = (plain_json(g, limits.argument_chars, what) for g in (args, kwargs))
        except NotPlain as refusal:
            return ToolAnswer(raises="TypeError", text=f"{refusal}; tools take plain data")
        if self.answered >= limits.calls:
            text = f"limit of {limits.calls} tool calls per step reached"
            return self._refuse(
                ToolAnswer(raises="RuntimeError", text=text), StepOver(text, "limit")
            )
        self.answered += 1
        return self._ask_host(name, args, kwargs, place)

    def _refuse(self, answer: ToolAnswer, at_last: StepOver) -> ToolAnswer:
        self._refused += 1
        if self._refused > PATIENCE:
            raise at_last
        return answer

    def _ask_host(
        self, name: str, args: list[Plain], kwargs: dict[str, Plain], place: Place | None
    ) -> ToolAnswer:
        self.position = place or (self.step, 0)
        waited = self.host.waited
        try:
            with self.stop_clock():
                value = self.host.call(name, args, kwargs)
            limit = self.limits.result_chars
            return ToolAnswer(value=plain_json(value, limit, f"the answer of {name}"))
        except ToolFault as fault:
            return ToolAnswer(raises=fault.kind, text=printable(fault.text))
        except NotPlain as refusal:
            return ToolAnswer(raises="RuntimeError", text=f"the call was made, but {refusal}")
        except (KeyboardInterrupt, StepOver):
            raise
        except BaseException as fault:
            # Its text may hold a key or an address: only the class goes inside.
            self.faults.append(fault)
            return ToolAnswer(raises="RuntimeError", text=f"tool failed ({type(fault).__name__})")
        finally:
            self._waited += self.host.waited - waited
            self.position = None
