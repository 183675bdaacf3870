"""Where debugged work stands: at a call, or at its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ledger import ToolCall
from ledger.fault import FaultKind
from worker.sandbox import StepTrace

Source = Literal["record", "edited", "live"]
"""Who gave an answer: the record, the user, or a running benchmark."""


@dataclass(frozen=True)
class Stop:
    """A tool call that waits for its answer."""

    number: int
    """1 for the first call of the instruction."""
    name: str
    args: tuple[object, ...]
    kwargs: dict[str, object]
    step: int
    line: int
    """Source line within the step's snippet; 0 where it is not known."""


@dataclass(frozen=True)
class Ended:
    """The work is over."""

    traces: tuple[StepTrace, ...]
    result: object = None
    answered: bool = False


@dataclass(frozen=True)
class Happened:
    """A call that was answered, and by whom."""

    call: ToolCall
    source: Source


@dataclass(frozen=True)
class Fault:
    """An error that the user wants a call to be answered with."""

    kind: FaultKind
    text: str


@dataclass(frozen=True)
class Given:
    """An answer that the user wants a call to have."""

    value: object


def clash(call: ToolCall, name: str, arguments: dict[str, object]) -> bool:
    """Whether a recorded call is another one than this."""
    return (call.name, call.arguments) != (name, arguments)
