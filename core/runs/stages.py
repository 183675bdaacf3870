"""What a step around the solver is asked about, and what it has found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from core.ledger.calls import Record


@dataclass(frozen=True)
class StageInput:
    """Where a task stands when a step is asked; behind the solver with the end that it wants."""

    text: str
    """Of the task."""
    earlier: tuple[Finding, ...] = ()
    """What the steps before this one have found."""
    closing: str = ""
    """The words of the FINISH; "" before the solver."""
    log: str = ""
    """What the solver has done, as text; "" before it."""


class Verdict(Record):
    """A step's word that the task ends here."""

    closing: str
    """The words of a FINISH, in the form that the benchmark reads."""
    reason: str
    by: Literal["rule", "model"]


class Finding(Record):
    """What came of one step; all that is empty is no finding."""

    step: str = ""
    text: str = ""
    """For the briefing of the solver."""
    facts: dict[str, Any] = Field(default_factory=dict)
    """The same as plain data, for the steps after it."""
    verdict: Verdict | None = None
    """Of a step before the solver."""
    objection: str = ""
    """Of a step behind it: what to ask back once."""
    words: str = ""
    """Of a step behind it: the message in other words."""
    failed: str = ""
    """Why the step came to nothing, where it should have."""
    about: str = ""
    """SHA-256 of the closing that it was asked about; "" before the solver."""
    seconds: float = 0.0

    @property
    def nothing(self) -> bool:
        """Whether it says nothing at all."""
        return not (self.text or self.verdict or self.objection or self.words or self.facts)
