"""What a stage is asked about, and what it has found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from core.ledger.calls import Record


@dataclass(frozen=True)
class StageInput:
    """Where a task stands when a stage is asked; behind the strategy with the end that it wants."""

    text: str
    """Of the task."""
    earlier: tuple[Finding, ...] = ()
    """What the stages before this one have found."""
    closing: str = ""
    """The words of the FINISH; "" before the strategy."""
    log: str = ""
    """What the strategy has done, as text; "" before it."""


class Verdict(Record):
    """A step's word that the task ends here."""

    closing: str
    """The words of a FINISH, in the form that the benchmark reads."""
    reason: str
    by: Literal["rule", "model"]


class Finding(Record):
    """What came of one stage; all that is empty is no finding."""

    step: str = ""
    text: str = ""
    """For the briefing of the strategy."""
    facts: dict[str, Any] = Field(default_factory=dict)
    """The same as plain data, for the stages after it."""
    verdict: Verdict | None = None
    """Of a stage before the strategy."""
    objection: str = ""
    """Of a stage behind it: what to ask back once."""
    words: str = ""
    """Of a stage behind it: the message in other words."""
    failed: str = ""
    """Why the stage came to nothing, where it should have."""
    about: str = ""
    """SHA-256 of the closing that it was asked about; "" before the strategy."""
    seconds: float = 0.0

    @property
    def nothing(self) -> bool:
        """Whether it says nothing at all."""
        return not (self.text or self.verdict or self.objection or self.words or self.facts)
