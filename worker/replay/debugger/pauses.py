"""Where debugged work stands: at a call that waits, or at its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ledger import ToolCall
from runs.work import StepRecord


@dataclass(frozen=True)
class Pause:
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

    steps: tuple[StepRecord, ...]
    result: object = None
    answered: bool = False


@dataclass(frozen=True)
class Answered:
    """A call that was answered: by the record, by the user, or by a running benchmark."""

    call: ToolCall
    by: Literal["record", "edited", "live"]


@dataclass(frozen=True)
class WishedAnswer:
    """An answer that the user wants a call to have."""

    value: object
