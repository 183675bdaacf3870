"""The executor that an agent runs its snippets through: checks, steps, traces."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any, Protocol, Self

from smolagents.local_python_executor import (  # type: ignore[import-untyped, unused-ignore]
    CodeOutput,
    PythonExecutor,
)

from core.runs.work import StepRecord
from core.text import printable
from worker.sandbox.check import refuse
from worker.sandbox.contract import (
    ClockAndSeed,
    SandboxError,
    SandboxKind,
    SandboxLimits,
    SandboxUnavailable,
    ToolHost,
)
from worker.sandbox.error_report import (
    CodeFailure,
    describe,
    describe_end,
    describe_refusal,
    hints_for,
)
from worker.sandbox.snippet_tree import bound_names, parse
from worker.sandbox.tool_bridge import FINAL, Diverged, HostSide, StepOver, ToolBridge
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
            with ExitStack() as failing:
                failing.callback(self.close)
                interpreter = self._ready(past)
                bridge.begin()
                try:
                    run.value = interpreter.run(bridge, prints)
                except CodeFailure as failure:
                    run.failure = failure
                failing.pop_all()
        except StepOver as over:
            run.over = over
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


class SandboxExecutor(PythonExecutor):  # type: ignore[misc, unused-ignore]
    """Runs the snippets of one instruction, with state between them; a context manager.

    Only one thread at a time may use an executor; several executors can run concurrently.
    """

    def __init__(
        self, host: ToolHost, limits: SandboxLimits, clock_and_seed: ClockAndSeed, runner: Runner
    ) -> None:
        self.state: dict[str, Any] = {"_print_outputs": ""}
        """For smolagents: ``_print_outputs`` holds the printed text of the last step."""
        self.kind = runner.kind
        """The kind of sandbox that was opened; it is recorded for replay, with clock and seed."""
        self.clock_and_seed = clock_and_seed
        """Clock and seed in use."""
        self.codes: list[str] = []
        """Every snippet that was given, oldest first; the last one may still be running."""
        self.traces: list[StepRecord] = []
        """One record per snippet that is done, oldest first."""
        self._side = HostSide(host, limits)
        self.host_faults = self._side.faults
        """Errors of this program, oldest first: exceptions of the host other than ToolFault, and
        of the sandbox other than SandboxError."""
        self._host = host
        self._limits = limits
        self._runner = runner
        self._past: list[ToolBridge] = []
        """Steps whose effects are part of the state."""
        self._closed = False

    @property
    def position(self) -> tuple[int, int] | None:
        """During a tool call: step and source line it came from (line 0: not known)."""
        return self._side.position

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
        self._runner.close()

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
        step = len(self.traces) + 1
        self.codes.append(code_action)
        self.state["_print_outputs"] = ""
        known = names_of(self._past)
        refusal = (
            "the sandbox is closed"
            if self._closed
            else refuse(code_action, self._limits, self._host, known)
        )
        if refusal is not None:
            error = SandboxError(describe_refusal(refusal, self._limits), "refused")
            self._keep(code_action[: self._limits.code_chars], error)
            raise error
        began = time.monotonic()
        try:
            bridge = ToolBridge(self._side, step, code_action)
            run = self._runner.run(bridge, self._past)
        except (KeyboardInterrupt, SystemExit):
            raise
        except Exception as fault:  # what the code does wrong is in the run
            self.host_faults.append(fault)
            raise
        except BaseException as panic:  # of a binding; nobody above counts on such a thing
            self.host_faults.append(SandboxUnavailable(f"the sandbox failed: {panic}"))
            raise self.host_faults[-1] from panic
        return self._conclude(run, time.monotonic() - began)

    def _conclude(self, run: StepRun, seconds: float) -> CodeOutput:
        bridge = run.bridge
        if run.over is None:
            self._past.append(bridge)
        error = None if bridge.final else self._error(run)
        self.state["_print_outputs"] = run.logs
        timing = {"sandbox": run.sandbox, "prints": run.logs, "seconds": round(seconds, 6)}
        self._keep(bridge.code, error, **timing)
        if error is not None:
            raise error
        value = bridge.final_value if bridge.final else run.value
        return CodeOutput(output=value, logs=run.logs, is_final_answer=bridge.final)

    def _keep(self, code: str, error: SandboxError | None, **ran: Any) -> None:
        """Note a step; ``ran``: fields of the record of one that was run."""
        kind = error.kind if error else None
        text = error.text if error else None
        self.traces.append(StepRecord(code=printable(code), error=text, error_kind=kind, **ran))

    def _error(self, run: StepRun) -> SandboxError | None:
        if run.over is not None:
            return SandboxError(describe_end(run.over.text, self._limits), run.over.kind)
        if run.failure is not None:
            hints = hints_for(run.failure, self.kind)
            codes = [*(trace.code for trace in self.traces), run.bridge.code]
            return SandboxError(describe(run.failure, codes, self._limits, hints), "error")
        return None
