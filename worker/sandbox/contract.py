"""The contract of a sandbox for generated code: the host's side, the limits, the records."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

SandboxKind: TypeAlias = Literal["landlock", "monty"]
"""CPython isolated by Landlock and a system call filter, or a Monty worker without isolation."""
SandboxChoice: TypeAlias = Literal["auto", "landlock", "monty"]
"""``auto``: Landlock where it works, else Monty."""

MONTY_MODULES = (
    "math re json itertools collections functools datetime decimal copy random bisect csv "
    "hashlib base64 dataclasses typing time"
)
"""Modules that code may import in Monty, as text."""

ErrorKind: TypeAlias = Literal["refused", "error", "limit", "crash"]
"""refused: never ran; error: the code raised; limit: a limit ended it; crash: the sandbox died."""


class ToolHost(Protocol):
    """The tools of one instruction, on the host.

    ``call`` answers with plain data or raises ``core.ledger.calls.ToolFault``, whose ``kind`` and
    ``text`` the generated code sees. Any other exception is an error of this program: code sees
    ``RuntimeError: tool failed (ClassName)`` and never its text, and the executor keeps it in
    ``host_faults``. ``KeyboardInterrupt`` passes through to the caller of the executor.
    """

    @property
    def names(self) -> frozenset[str]:
        """Names under which generated code finds the tools."""

    @property
    def signatures(self) -> Mapping[str, inspect.Signature]:
        """Signatures of tools: calls are checked against them before the code runs."""

    @property
    def waited(self) -> float:
        """Seconds that calls have waited for a model so far; a step's time goes on behind them."""

    def call(self, name: str, args: list[object], kwargs: dict[str, object]) -> object:
        """Carry out one call. Called from the thread that runs the executor."""


class DebugTerminal(Protocol):
    """A person who steps through the generated code of one instruction, on the host.

    All texts come from inside the sandbox: they are neither clean nor bounded to a screen, and
    hostile code may have said them. ``KeyboardInterrupt`` passes through to the caller of the
    executor.
    """

    @property
    def codes(self) -> Sequence[str]:
        """The snippets that are known so far; their lines can have breakpoints."""

    def show(self, text: str) -> None:
        """Take in what the code printed."""

    def ask(self, said: str, is_new: bool) -> str:
        """Return the next line for pdb; ``is_new``: the code has come to another stop."""


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """The limits of one instruction; all are hard."""

    seconds: float = 10.0
    """Running time of the code per step, without the time spent in tools."""
    wall_seconds: float = 120.0
    """Time per step, also in tools, but not waiting for models; a tool in flight is not cut off,
    the next is refused."""
    memory_mb: int = 64
    """Memory that the code's own data may take, per session."""
    recursion: int = 1000
    """Depth of Python calls."""
    output_chars: int = 20_000
    """Printed text kept per step; also the size of a step's value as text."""
    error_chars: int = 4_000
    """Size of an error report."""
    calls: int = 500
    """Tool calls per step."""
    argument_chars: int = 100_000
    """Size of the arguments of one tool call, as JSON."""
    result_chars: int = 4_000_000
    """Size of the answer of one tool call, as JSON."""
    code_chars: int = 50_000
    """Size of one snippet."""


EPOCH = 1_765_238_400.0
"""Start of the sandboxes' clock: 9 December 2025, UTC."""


@dataclass(frozen=True, slots=True)
class ClockAndSeed:
    """Clock and random seed, which make a replay equal.

    Inside, the clock starts at ``clock`` (seconds since 1970, UTC), advances by a millisecond
    at each read and by the whole time at a ``sleep``, which does not wait.
    """

    clock: float
    seed: int

    @classmethod
    def of(cls, instruction: str) -> ClockAndSeed:
        """The same for the same instruction, so that what a model's code prints, and with it the
        next prompt, is the same whenever it runs."""
        digest = hashlib.sha256(instruction.encode("utf-8", "backslashreplace")).digest()
        return cls(EPOCH, int.from_bytes(digest[:4], "big") >> 1)


class SandboxError(Exception):
    """A step failed; ``str()`` is the report for the model, safe to show and bounded."""

    def __init__(self, text: str, kind: ErrorKind) -> None:
        super().__init__(text)
        self.text = text
        self.kind: ErrorKind = kind


class SandboxUnavailable(Exception):
    """No sandbox could be opened; this is an error of this program, not of the code."""
