"""The executor that an agent runs its snippets through: checks, steps, traces."""

from __future__ import annotations

import re
import time
import tomllib
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from smolagents.local_python_executor import (  # type: ignore[import-untyped, unused-ignore]
    CodeOutput,
    PythonExecutor,
)

from core.runs.work import StepRecord
from core.text import clean, printable
from worker.sandbox.check import bound_names, parse, refuse, source_line
from worker.sandbox.contract import (
    MONTY_MODULES,
    ClockAndSeed,
    DebugTerminal,
    SandboxError,
    SandboxKind,
    SandboxLimits,
    SandboxUnavailable,
    ToolHost,
)
from worker.sandbox.process import ProcessInterpreter
from worker.sandbox.tool_bridge import FINAL, CodeFailure, Frame, StepOver, ToolBridge
from worker.sandbox.values import Prints, shorten

if TYPE_CHECKING:
    from worker.sandbox.monty import MontyInterpreter

_HEAD = "Code execution failed:"
_MOST_FRAMES = 12
STARTED_AGAIN = (
    "Python was started again: names and imports of earlier steps are gone, what tools did stays."
)
NOTHING_CALLED = (
    "No tool was called, nothing was printed, and final_answer(report) was not called.\n"
)
"""Told to the model after a step such as ``report: {"total": 40}``: it only looks like a result."""
_HINTS: dict[str, list[list[str]]] = tomllib.loads(
    Path(__file__).with_name("hints.toml").read_text(encoding="utf-8")
)
"""For Monty and for CPython: pairs of what a failure says and a way that works."""


class SandboxExecutor(PythonExecutor):  # type: ignore[misc, unused-ignore]
    """Runs the snippets of one instruction, with state between them; a context manager.

    It begins to open the sandbox at once, so that it is there when the first program is.
    Only one thread at a time may use an executor; several executors can run concurrently.
    """

    def __init__(
        self,
        host: ToolHost,
        limits: SandboxLimits,
        clock_and_seed: ClockAndSeed,
        kind: SandboxKind,
        terminal: DebugTerminal | None = None,
    ) -> None:
        self.state: dict[str, Any] = {"_print_outputs": ""}
        """For smolagents: ``_print_outputs`` holds the printed text of the last step."""
        self.kind = kind
        """The kind of sandbox that was opened; it is recorded for replay, with clock and seed."""
        self.clock_and_seed = clock_and_seed
        """Clock and seed in use."""
        self.codes: list[str] = []
        """Every snippet that was given, oldest first; the last one may still be running."""
        self.traces: list[StepRecord] = []
        """One record per snippet that is done, oldest first."""
        self._bridge = ToolBridge(host, limits, terminal)
        self.host_faults = self._bridge.faults
        """Errors of this program, oldest first: exceptions of the host other than ToolFault, and
        of the sandbox other than SandboxError."""
        self._host = host
        self._limits = limits
        self._interpreter: MontyInterpreter | ProcessInterpreter | None = None
        self._known: frozenset[str] = frozenset()
        """The names that earlier steps have made in this interpreter."""
        self._closed = False
        with suppress(SandboxUnavailable):  # the first program says so
            self._interpreter = self._new_interpreter()

    @property
    def position(self) -> tuple[int, int] | None:
        """During a tool call: step and source line it came from (line 0: not known)."""
        return self._bridge.position

    def pause(self) -> bool:
        """During a tool call: let the person at the terminal look around where the code calls.

        False: there is nobody, or the sandbox cannot be looked into.
        """
        return self._bridge.pause()

    def send_tools(self, tools: Mapping[str, object]) -> None:
        """Check the names that smolagents announces against the host's; others are our bug."""
        unknown = sorted(set(tools) - self._host.names - {FINAL})
        if unknown:
            raise ValueError(f"tools that the host does not have: {', '.join(unknown)}")

    def send_variables(self, variables: Mapping[str, object]) -> None:
        """Required by smolagents; variables are not supported: code knows only its task."""
        if variables:
            raise ValueError(f"variables are not sent: {', '.join(variables)}")

    def cleanup(self) -> None:
        """End the sandbox and refuse later snippets. May be called more than once."""
        self._closed = True
        self._end_interpreter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.cleanup()

    def __call__(self, code_action: str) -> CodeOutput:
        """Run one snippet.

        Raises:
            SandboxError: the step failed; the text is for the model.
            SandboxUnavailable: there is no sandbox to run it in. This and any other fault of
                ours is kept in ``host_faults``, too: an agent takes every exception for the
                code's.
            KeyboardInterrupt: out of a tool.
        """
        self.codes.append(code_action)
        self.state["_print_outputs"] = ""
        if self._closed:
            refusal: str | None = "the sandbox is closed"
        else:
            refusal = refuse(code_action, self._limits, self._host, self._known)
        if refusal is not None:
            text = shorten(f"Code not run:\n{clean(refusal)}", self._limits.error_chars)
            error = SandboxError(text, "refused")
            self._keep(code_action[: self._limits.code_chars], error)
            raise error
        began = time.monotonic()
        bridge, limit = self._bridge, self._limits.output_chars
        prints = Prints(limit, bridge.terminal.show) if bridge.terminal else Prints(limit)
        try:
            value, failed = self._run(code_action, prints)
        except (KeyboardInterrupt, SystemExit):
            raise
        except Exception as fault:  # what the code does wrong is in the outcome
            self.host_faults.append(fault)
            raise
        except BaseException as panic:  # of a binding; nobody above counts on such a thing
            self.host_faults.append(SandboxUnavailable(f"the sandbox failed: {panic}"))
            raise self.host_faults[-1] from panic
        logs, seconds = prints.text(), round(time.monotonic() - began, 6)
        self._keep(code_action, failed, sandbox=self.kind, prints=logs, seconds=seconds)
        if failed is not None:
            raise failed
        if not (bridge.answered or logs or bridge.final):
            logs = NOTHING_CALLED
        return CodeOutput(output=value, logs=logs, is_final_answer=bridge.final)

    def _run(self, code: str, prints: Prints) -> tuple[object, SandboxError | None]:
        """Run a snippet: its value, and why it failed, unless it answered.

        Raises SandboxUnavailable.
        """
        value, error, bridge = None, None, self._bridge
        try:
            with ExitStack() as failing:
                failing.callback(self._end_interpreter)
                self._interpreter = interpreter = self._interpreter or self._new_interpreter()
                bridge.begin(len(self.traces) + 1, code)
                try:
                    value = interpreter.run(prints)
                except CodeFailure as failure:
                    codes = [*(trace.code for trace in self.traces), code]
                    text = describe(failure, codes, self._limits, self.kind)
                    error = SandboxError(text, "error")
                failing.pop_all()
            self._known |= bound_names(parse(code))
        except StepOver as over:
            text = f"{_HEAD}\n{clean(over.text)}\n{STARTED_AGAIN}"
            error = SandboxError(shorten(text, self._limits.error_chars), over.kind)
        return (bridge.final_value, None) if bridge.final else (value, error)

    def _new_interpreter(self) -> MontyInterpreter | ProcessInterpreter:
        """Begin to open an interpreter. Raises SandboxUnavailable."""
        if self.kind == "monty":
            from worker.sandbox.monty import MontyInterpreter

            return MontyInterpreter(self._bridge, self.clock_and_seed)
        return ProcessInterpreter(self._bridge, self.clock_and_seed)

    def _end_interpreter(self) -> None:
        """End it; the next step gets a new one, in which nothing is left of earlier steps."""
        interpreter, self._interpreter = self._interpreter, None
        self._known = frozenset()
        if interpreter is not None:
            interpreter.close()

    def _keep(self, code: str, error: SandboxError | None, **ran: Any) -> None:
        """Note a step; ``ran``: fields of the record of one that was run."""
        self.state["_print_outputs"] = ran.get("prints", "")
        kind = error.kind if error else None
        text = error.text if error else None
        self.traces.append(StepRecord(code=printable(code), error=text, error_kind=kind, **ran))


def describe(
    failure: CodeFailure, codes: list[str], limits: SandboxLimits, kind: SandboxKind
) -> str:
    """The report of an exception: one line per frame, class and message, perhaps a way out.

    ``codes``: the snippets so far, the failed one last.
    """
    # A message of several lines is indented, so that none of it can pass for a new section.
    message = shorten(clean(failure.message[: 50 * limits.error_chars]), limits.error_chars // 2)
    message = message.strip().replace("\n", "\n    ")
    name = " ".join(clean(failure.name[:80]).split())
    lines = [_HEAD, *_shown(failure.frames, codes), f"{name}: {message}" if message else name]
    # A hint tells the way that works where a gap of the sandbox made the code fail.
    raised = f"{failure.name}: {failure.message[:1000]}"
    hint = next((hint for pattern, hint in _HINTS[kind] if re.search(pattern, raised)), None)
    if hint is not None:
        lines.append(f"Hint: {hint.replace('{modules}', MONTY_MODULES)}")
    return shorten("\n".join(lines), limits.error_chars)


def _shown(frames: tuple[Frame, ...], codes: list[str]) -> list[str]:
    """A line per frame; repeated ones appear once, and the middle of a long list is omitted."""
    lines: list[str] = []
    for line, group in groupby(_line(f, codes) for f in frames if 0 < f.step <= len(codes)):
        times = len(list(group))
        lines.append(line if times == 1 else f"{line}  ({times} times)")
    if len(lines) <= _MOST_FRAMES:
        return lines
    head = _MOST_FRAMES // 3
    tail = _MOST_FRAMES - head
    return [*lines[:head], f"  ... {len(lines) - _MOST_FRAMES} more calls ...", *lines[-tail:]]


def _line(frame: Frame, codes: list[str]) -> str:
    inside = "" if frame.function in (None, "", "<module>") else f" in {frame.function[:60]}"
    where = "" if frame.step == len(codes) else f"  (defined in step {frame.step})"
    source = source_line(codes[frame.step - 1], frame.line)
    return clean(f"  line {frame.line}{inside}: {source}{where}").replace("\n", " ")
