"""The executor behind the contract: steps, traces, repetition. The sessions do the running."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from worker.sandbox.check import refuse, tools_of
from worker.sandbox.contract import (
    CodeOutput,
    ErrorKind,
    Limits,
    Pins,
    Plain,
    SandboxError,
    SandboxExecutor,
    SandboxKind,
    SandboxUnavailable,
    StepTrace,
    ToolHost,
)
from worker.sandbox.gate import FINAL, CallRecord, Diverged, Gate, LimitReached, StepOver
from worker.sandbox.log import Log
from worker.sandbox.report import Failure, describe, describe_end, describe_refusal, hints_for
from worker.sandbox.session import Opener, Session, SessionLost
from worker.sandbox.source import bound_names, parse
from worker.sandbox.type_hints import type_findings
from worker.sandbox.values import plain_json


@dataclass(frozen=True, slots=True)
class PastStep:
    """A step whose effects are part of the state: what is needed to repeat it."""

    step: int
    code: str
    variables: dict[str, Plain]
    calls: list[CallRecord]


@dataclass
class Outcome:
    """How one run of a snippet went."""

    sandbox: SandboxKind
    gate: Gate
    logs: str = ""
    value: object = None
    failure: Failure | None = None
    """The code raised; the session lives."""
    ended: str = ""
    """Why the session is gone; empty while it lives."""
    limit: bool = False
    """It was a limit that ended the session."""
    lost_way: bool = False
    """A repetition went another way than the first run, or could not begin."""


class Track:
    """One line of sessions of one kind: the state after all steps so far."""

    def __init__(self, kind: SandboxKind, opener: Opener, limits: Limits) -> None:
        self.kind = kind
        self._opener = opener
        self._limits = limits
        self._session: Session | None = None
        self._checkpoint: object | None = None

    def run(self, gate: Gate, variables: dict[str, Plain], past: list[PastStep]) -> Outcome:
        """Run a snippet after the past steps; opens and fills a session when there is none.

        Raises:
            SandboxUnavailable: there is none, and none can be opened.
        """
        outcome = Outcome(self.kind, gate)
        log = Log(self._limits.output_chars)
        try:
            try:
                session = self._ready(past, gate)
            except (SessionLost, StepOver):
                outcome.lost_way = True
                raise
            gate.begin()
            try:
                outcome.value = session.run(gate.code, gate, log, variables)
            except Failure as failure:
                outcome.failure = failure
            if not gate.final:
                self._checkpoint = session.checkpoint()
        except SessionLost as lost:
            outcome.ended, outcome.limit = lost.text, lost.limit
        except StepOver as over:
            outcome.lost_way |= isinstance(over, Diverged)
            outcome.ended, outcome.limit = str(over), isinstance(over, LimitReached)
        except BaseException:
            self.close()
            raise
        if outcome.ended:
            self.close()
        outcome.logs = log.text()
        return outcome

    def close(self) -> None:
        """End the session; the next run starts from what was kept, or repeats the past."""
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def _ready(self, past: list[PastStep], gate: Gate) -> Session:
        if self._session is None:
            self._session = self._opened()
            if self._checkpoint is None:
                for step in past:
                    _repeat(self._session, step, gate, self._limits)
        return self._session

    def _opened(self) -> Session:
        try:
            return self._opener(self._checkpoint)
        except SandboxUnavailable as first:
            # The one at hand may have died since it was last used; the next one is new.
            try:
                return self._opener(self._checkpoint)
            except SandboxUnavailable:
                raise first from None


def _repeat(session: Session, past: PastStep, now: Gate, limits: Limits) -> None:
    """Run an old step again from its recorded answers; its effects inside are all that counts."""
    gate = Gate(now.host, limits, now.shared, past.step, past.code, past.calls, live=False)
    try:
        session.run(past.code, gate, Log(0), past.variables)
    except Failure:
        return  # it failed the first time, too


class Executor(SandboxExecutor):
    """An executor on one kind of session."""

    def __init__(self, host: ToolHost, limits: Limits, pins: Pins, track: Track) -> None:
        super().__init__(pins)
        self._host = host
        self._limits = limits
        self._track = track
        self._hints = track.kind
        """Whose gaps the hints beside an error speak of."""
        self._past: list[PastStep] = []
        self._variables: dict[str, Plain] = {}
        self._known: frozenset[str] = frozenset()
        self._closed = False

    @property
    def sandbox(self) -> SandboxKind:
        """See ``SandboxExecutor``."""
        return self._track.kind

    def send_tools(self, tools: Mapping[str, object]) -> None:
        """See ``SandboxExecutor``."""
        unknown = sorted(set(tools) - self._host.names - {FINAL})
        if unknown:
            raise ValueError(f"tools that the host does not have: {', '.join(unknown)}")

    def send_variables(self, variables: Mapping[str, object]) -> None:
        """See ``SandboxExecutor``. Raises ValueError for values that are not plain."""
        limit = self._limits.result_chars
        for name, value in variables.items():
            self._variables[name] = plain_json(value, limit, f"the variable {name}")

    def cleanup(self) -> None:
        """See ``SandboxExecutor``."""
        self._closed = True
        self._track.close()

    def __call__(self, code_action: str) -> CodeOutput:
        """See ``SandboxExecutor``."""
        step = len(self.traces) + 1
        self.state["_print_outputs"] = ""
        refusal = "the sandbox is closed" if self._closed else self._refusal(code_action)
        if refusal is not None:
            text = describe_refusal(refusal, self._limits)
            code = code_action[: self._limits.code_chars]
            self.traces.append(StepTrace(step, code, None, "", error=text, error_kind="refused"))
            raise SandboxError(text, "refused")
        began = time.monotonic()
        try:
            outcome = self._carry_out(step, code_action)
        except (KeyboardInterrupt, SystemExit):
            raise
        except Exception as fault:  # what the code does wrong is in the outcome
            self.host_faults.append(fault)
            raise
        except BaseException as panic:  # of a binding; nobody above counts on such a thing
            self.host_faults.append(SandboxUnavailable(f"the sandbox failed: {panic}"))
            raise self.host_faults[-1] from panic
        return self._conclude(outcome, time.monotonic() - began)

    def _refusal(self, code: str) -> str | None:
        return refuse(code, self._limits, tools_of(self._host), self._known)

    def _gate(self, step: int, code: str) -> Gate:
        return Gate(self._host, self._limits, self._shared, step, code)

    def _carry_out(self, step: int, code: str) -> Outcome:
        return self._track.run(self._gate(step, code), self._variables, self._past)

    def _conclude(self, outcome: Outcome, seconds: float) -> CodeOutput:
        gate = outcome.gate
        if not outcome.ended:
            self._past.append(PastStep(gate.step, gate.code, self._variables, gate.calls))
            self._known |= bound_names(parse(gate.code)) | self._variables.keys()
            self._variables = {}
        error, kind = (None, None) if gate.final else self._error(outcome)
        value = gate.final_value if gate.final else outcome.value
        self.state["_print_outputs"] = outcome.logs
        self.traces.append(
            StepTrace(
                step=gate.step,
                code=gate.code,
                sandbox=outcome.sandbox,
                logs=outcome.logs,
                output=value,
                final=gate.final,
                error=error,
                error_kind=kind,
                calls=len(gate.calls),
                seconds=seconds,
            )
        )
        if error is not None and kind is not None:
            raise SandboxError(error, kind)
        return CodeOutput(output=value, logs=outcome.logs, is_final_answer=gate.final)

    def _error(self, outcome: Outcome) -> tuple[str | None, ErrorKind | None]:
        if outcome.ended:
            return describe_end(outcome.ended, self._limits), "limit" if outcome.limit else "crash"
        if outcome.failure is not None:
            failure, gate = outcome.failure, outcome.gate
            hints = [*hints_for(failure, self._hints), *self._type_hints(gate.code)]
            return describe(failure, gate.step, self._limits, hints), "error"
        return None, None

    def _type_hints(self, code: str) -> list[str]:
        findings = type_findings(code, tools_of(self._host))
        return [f"type check, may be wrong: {finding}" for finding in findings]
