"""Monty first, and over to CPython when a snippet needs it."""

from __future__ import annotations

from worker.sandbox.contract import SandboxChoice, SandboxKind
from worker.sandbox.gate import Diverged, Gate
from worker.sandbox.monty_subset import runs_in_monty
from worker.sandbox.runner import Runner, StepRun, names_of
from worker.sandbox.snippet_tree import parse

_SHARE = 0.5
"""Part of the time limit after which a failed snippet is not looked at a second time."""


class AutoRunner:
    """Monty for what it runs as CPython does, else a process; never back.

    The steps so far are repeated in the process from the recorded answers, without a request
    to the host. A snippet that fails in Monty is run there, too: if it fails in the same way
    it was the code's fault, and the state stays where it is.
    """

    def __init__(self, monty: Runner, process: Runner) -> None:
        self._now = monty
        self._process = process
        self.hints = process.kind
        self.choice: SandboxChoice = "auto"

    @property
    def kind(self) -> SandboxKind:
        """Where the next snippet runs unless its text asks for the other."""
        return self._now.kind

    def run(self, gate: Gate, past: list[Gate]) -> StepRun:
        """See ``Runner``."""
        if self._now is self._process:
            return self._process.run(gate, past)
        if not runs_in_monty(parse(gate.code), gate.side.host.names, names_of(past)):
            moved = self._process.run(gate, past)
            if not isinstance(moved.over, Diverged):
                return self._settled(moved)
        first = self._now.run(gate, past)
        seconds = gate.code_seconds()
        if first.failure is None or gate.final or seconds > _SHARE * gate.side.limits.seconds:
            return first
        again = Gate(gate.side, gate.step, gate.code, recorded=gate.calls, spent=seconds)
        second = self._process.run(again, past)
        further = again.final or len(again.calls) > len(gate.calls)
        alike = second.failure is not None and second.failure.args == first.failure.args
        if not further and (second.over is not None or alike):
            self._process.close()
            return first
        return self._settled(second)

    def close(self) -> None:
        """See ``Runner``."""
        self._now.close()
        self._process.close()

    def _settled(self, run: StepRun) -> StepRun:
        """The process is where the state is from now on."""
        self._now.close()
        self._now = self._process
        return run
