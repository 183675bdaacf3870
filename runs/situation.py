"""What a decision is asked for: the task, what happened in it, and the world now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Past = TypeVar("Past")
Other = TypeVar("Other")


@dataclass(frozen=True)
class Situation(Generic[Past]):
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
    challenge: str | None = None
    """An earlier FINISH of this turn does not agree with the facts."""

    def told(self, tell: Callable[[Past], Other]) -> Situation[Other]:
        """The same with each turn in another form."""
        return Situation(
            self.task,
            [tell(turn) for turn in self.past],
            self.state,
            self.number,
            self.limit,
            self.briefing,
            self.challenge,
        )
