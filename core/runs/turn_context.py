"""What a decision is asked for, the task, its past and the world now; and what was decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, TypeVar

from core.ledger import Record

Past = TypeVar("Past")
Other = TypeVar("Other")


@dataclass(frozen=True)
class TurnContext(Generic[Past]):
    """Where a task stands when the next turn is decided.

    ``past``: the turns so far, oldest first, in whatever form the one who decides is told them.
    """

    task: str
    past: Sequence[Past]
    state: str
    number: int
    """Of the turn that is to be decided, from 1 on."""
    limit: int
    """How many turns there are."""
    briefing: str = ""
    """What the benchmark says of this task."""
    findings: str = ""
    """What the steps before the solver have found."""
    closing: bool = False
    """Nothing is carried out any more: only a FINISH is asked for."""
    challenge: str | None = None
    """An earlier FINISH of this turn does not agree with the facts."""

    def told(self, tell: Callable[[Past], Other]) -> TurnContext[Other]:
        """The same with each turn in another form."""
        same: Any = self
        told: TurnContext[Other] = replace(same, past=[tell(turn) for turn in self.past])
        return told


class Decision(Record):
    """What the evaluator decided in one turn."""

    thought: str
    decision: Literal["PROCEED", "FINISH"]
    instruction: str

    def prompt(self, thought_chars: int = 400) -> str:
        """The decision as text for a later prompt."""
        return f"THOUGHT: {self.thought[:thought_chars]}\nINSTRUCTION: {self.instruction}"
