"""Recorded tool calls as a host for the sandbox: same question, same answer, nothing sent."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import Signature

from ledger import ToolCall, ToolFault
from ledger.record import shorten


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
        if (recorded.name, recorded.arguments) != (name, self.bound(name, args, kwargs)):
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
