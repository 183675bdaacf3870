"""Recorded tool calls as a host for the sandbox: same question, same answer, nothing sent."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from inspect import Signature

from ledger import Budget, Ledger, Tool, ToolCall, ToolFault, WireCall
from ledger.calls import shorten

_NO_LIMIT = 1_000_000_000


class Divergence(Exception):
    """The first place where repeated work is not what was recorded."""

    def __init__(self, where: str, recorded: str, now: str) -> None:
        super().__init__(f"{where}: recorded {recorded}, now {now}")
        self.where = where
        self.recorded = recorded
        self.now = now


@dataclass(frozen=True)
class ToolNames:
    """What the code could call when it was recorded."""

    names: frozenset[str]
    signatures: Mapping[str, Signature]


class Tape:
    """Answers every call with what was recorded for it; a ToolHost.

    The first call that differs is kept in ``divergence``; from there on every call is refused.
    """

    def __init__(self, calls: Sequence[ToolCall], tools: ToolNames) -> None:
        self._calls = list(calls)
        self._tools = tools
        self.position = 0
        """How many recorded calls have been answered."""
        self.divergence: Divergence | None = None

    @property
    def names(self) -> frozenset[str]:
        """Names under which generated code finds the tools."""
        return self._tools.names

    @property
    def signatures(self) -> Mapping[str, Signature]:
        """Expected arguments by tool name."""
        return self._tools.signatures

    def call(self, name: str, args: list[object], kwargs: dict[str, object]) -> object:
        """The recorded answer, or the recorded fault.

        Raises:
            ToolFault: what was recorded, or that the work has left the record.
        """
        if self.divergence is not None:
            raise ToolFault("the record has ended", kind="RuntimeError", fatal=True)
        recorded = self.peek()
        now = f"{name}({shorten(self.bound(name, args, kwargs), 300)})"
        if recorded is None:
            return self._leave(f"call {self.position + 1}", "the end of the calls", now)
        bound = self.bound(name, args, kwargs)
        if recorded.name != name or not alike(recorded.arguments, bound):
            was = f"{recorded.name}({shorten(recorded.arguments, 300)})"
            return self._leave(f"call {recorded.number}", was, now)
        self.position += 1
        if recorded.outcome != "done":
            kind = recorded.fault or "RuntimeError"
            raise ToolFault(recorded.error or "failed", kind=kind, fatal=recorded.fatal)
        return copy.deepcopy(recorded.result)

    def peek(self) -> ToolCall | None:
        """The recorded call that comes next."""
        return self._calls[self.position] if self.position < len(self._calls) else None

    def bound(self, name: str, args: list[object], kwargs: dict[str, object]) -> dict[str, object]:
        """Arguments by name, as the record has them; {} where they do not fit the signature."""
        signature = self._tools.signatures.get(name)
        if signature is None:
            return dict(kwargs)
        try:
            return dict(signature.bind(*args, **kwargs).arguments)
        except TypeError:
            return {}

    def _leave(self, where: str, recorded: str, now: str) -> object:
        self.divergence = Divergence(where, recorded, now)
        raise ToolFault("the record has ended", kind="RuntimeError", fatal=True)


def alike(one: object, other: object) -> bool:
    """Whether two plain values are written alike: NaN is NaN, and 1 is neither True nor 1.0."""
    return _written(one) == _written(other)


def _written(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def tape_ledger(calls: Sequence[ToolCall], tools: Sequence[Tool]) -> Ledger:
    """A ledger whose tools answer from the record; nothing is sent.

    It counts, refuses and records as the one of the run did, so that what comes out can be
    compared with what was recorded, requests included.
    """
    # What a budget of requests refused is on the tape; calls are refused before a tool is asked.
    ledger = Ledger(Budget(requests=_NO_LIMIT, writes=_NO_LIMIT, final=_NO_LIMIT))
    names = ToolNames(frozenset(t.name for t in tools), {t.name: t.signature for t in tools})
    tape = Tape(calls, names)
    ledger.offer(_taped(tool, tape, ledger) for tool in tools)
    return ledger


def _taped(tool: Tool, tape: Tape, ledger: Ledger) -> Tool:
    def run(**arguments: object) -> object:
        # Calls whose arguments did not fit were refused by the ledger and never came here.
        tape.position = len(ledger.calls)
        recorded = tape.peek()
        try:
            return tape.call(tool.name, [], arguments)
        finally:
            if recorded is not None and tape.divergence is None:
                for request in recorded.requests:
                    _send_again(ledger, request)

    return replace(tool, run=run)


def _send_again(ledger: Ledger, request: WireCall) -> None:
    """Book a recorded request with what became of it."""

    def do() -> None:
        if request.outcome != "done":
            what = request.outcome
            text = request.error or "failed"
            raise ToolFault(text, fatal=what == "unknown", lost=what == "lost")

    with suppress(ToolFault):
        ledger.send(request.path, request.body, request.kind, do)
