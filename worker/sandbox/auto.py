"""The executor that begins in Monty and goes over to CPython when a snippet needs it."""

from __future__ import annotations

from worker.sandbox.contract import Limits, Pins, ToolHost
from worker.sandbox.executor import Executor, Outcome, Track
from worker.sandbox.route import wants_process
from worker.sandbox.source import parse

_SHARE = 0.5
"""Part of the time limit after which a failed snippet is not looked at a second time."""


class AutoExecutor(Executor):
    """Monty for what it runs as CPython does, else a process; never back.

    The steps so far are repeated in the process from the recorded answers, without a request
    to the host. A snippet that fails in Monty is run there, too: if it fails in the same way
    it was the code's fault, and the state stays where it is.
    """

    def __init__(
        self, host: ToolHost, limits: Limits, pins: Pins, monty: Track, process: Track
    ) -> None:
        super().__init__(host, limits, pins, monty)
        self._process = process
        self._hints = process.kind

    def cleanup(self) -> None:
        """See ``SandboxExecutor``."""
        super().cleanup()
        self._process.close()

    def _carry_out(self, step: int, code: str) -> Outcome:
        if self._track is self._process:
            return super()._carry_out(step, code)
        if wants_process(parse(code), self._host.names, self._known):
            moved = self._process.run(self._gate(step, code), self._variables, self._past)
            if not moved.lost_way:
                return self._settle(moved)
        first = super()._carry_out(step, code)
        if first.failure is None or first.gate.final:
            return first
        return self._second_look(first)

    def _second_look(self, first: Outcome) -> Outcome:
        seconds = first.gate.code_seconds()
        if seconds > _SHARE * self._limits.seconds:
            return first
        gate = self._gate(first.gate.step, first.gate.code)
        gate.recorded = first.gate.calls
        gate.spent = seconds
        second = self._process.run(gate, self._variables, self._past)
        if second.ended or _alike(first, second):
            self._process.close()
            return first
        return self._settle(second)

    def _settle(self, outcome: Outcome) -> Outcome:
        """The process is where the state is from now on."""
        self._track.close()
        self._track = self._process
        return outcome


def _alike(first: Outcome, second: Outcome) -> bool:
    one, other = first.failure, second.failure
    return (
        one is not None
        and other is not None
        and (one.name, one.message) == (other.name, other.message)
    )
