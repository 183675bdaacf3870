"""One turn of a task, with its line for the journal and its text for the prompt."""

from __future__ import annotations

from core.ledger import Record
from core.models.tokens import cut_text
from core.runs.turn_context import Decision
from core.runs.work import WorkReport

THOUGHT_TOKENS = 40
"""Of a past turn's reasoning, as much as the next one is told."""


class Turn(Record):
    """One turn: the state that was seen, the decision, and what the worker did."""

    number: int
    state: str
    decision: Decision
    challenge: str | None = None
    """The question back, where a first FINISH did not agree with the facts."""
    report: WorkReport | None = None
    refused: str | None = None
    """What spoke against a FINISH whose last act was refused: the task goes on."""
    closed_by: str = ""
    """The step around the solver whose verdict it was; the solver was not asked."""
    model_calls: int = 0
    requests: int = 0
    """Requests to the benchmark's API, those for the state among them."""
    seconds: float = 0.0
    started: float = 0.0
    """Unix seconds; 0 in records from before it was kept."""

    @property
    def ends(self) -> bool:
        """Whether the task is over with this turn, as far as the turn itself tells."""
        return self.decision.decision == "FINISH" and self.refused is None

    def journal(self) -> dict[str, object]:
        """The turn as one JSON object for the journal."""
        return self.model_dump(mode="json")

    def prompt(self, *, latest: bool) -> str:
        """The turn as text for the next prompt; an older one keeps errors and effects."""
        thought = cut_text(" ".join(self.decision.thought.split()), THOUGHT_TOKENS)
        instruction = self.decision.instruction
        if not latest and len(instruction) > 300:
            instruction = f"{instruction[:300]}…"
        report = self.report.prompt(latest=latest) if self.report else self.refused or "no work"
        return f"THOUGHT: {thought}\nINSTRUCTION:\n{instruction}\n{report}"
