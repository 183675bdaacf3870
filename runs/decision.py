"""What was decided in one turn."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class Decision(BaseModel):
    """What the evaluator decided in one turn."""

    model_config = ConfigDict(frozen=True)

    thought: str
    decision: Literal["PROCEED", "FINISH"]
    instruction: str

    def prompt(self, thought_chars: int = 400) -> str:
        """The decision as text for a later prompt."""
        return f"THOUGHT: {self.thought[:thought_chars]}\nINSTRUCTION: {self.instruction}"
