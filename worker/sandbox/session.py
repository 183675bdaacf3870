"""What an executor needs from a living interpreter, whichever it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from worker.sandbox.contract import Plain, SandboxKind
from worker.sandbox.gate import Gate
from worker.sandbox.log import Log


class SessionLost(Exception):
    """The interpreter is gone or must not be used again; the text is for the model."""

    def __init__(self, text: str, *, limit: bool) -> None:
        super().__init__(text)
        self.text = text
        self.limit = limit


class Session(Protocol):
    """One interpreter with its variables."""

    kind: SandboxKind

    def run(self, code: str, gate: Gate, log: Log, variables: dict[str, Plain]) -> object:
        """Run one snippet to its end; the value of its last expression, safe to display.

        Returns None after ``final_answer`` (see ``gate.final``). Raises report.Failure when
        the code raised, gate.StepOver or SessionLost when the session is of no more use, and
        KeyboardInterrupt out of a tool.
        """

    def checkpoint(self) -> object | None:
        """What ``restore`` of the same kind of session takes, or None where there is none."""

    def close(self) -> None:
        """Give the interpreter back; may be called more than once."""


Opener: TypeAlias = Callable[[object | None], Session]
"""Opens a session: anew, or from what ``Session.checkpoint`` gave. Raises SandboxUnavailable, or
SessionLost where what was kept does not fit into the limits."""
