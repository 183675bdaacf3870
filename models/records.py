"""Frozen records of what a model answered and what it cost."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

Role = Literal["evaluator", "worker"]
Message = dict[str, str]


class Usage(BaseModel):
    """Tokens of one call or of many; None is unknown, never 0."""

    model_config = ConfigDict(frozen=True)

    prompt: int | None = None
    completion: int | None = None
    cached: int | None = None
    """Prompt tokens that were read from the provider's cache; part of ``prompt``."""
    reasoning: int | None = None
    """Completion tokens that went into reasoning; part of ``completion``."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            prompt=_plus(self.prompt, other.prompt),
            completion=_plus(self.completion, other.completion),
            cached=_plus(self.cached, other.cached),
            reasoning=_plus(self.reasoning, other.reasoning),
        )


class ModelCall(BaseModel):
    """One exchange with a model: every one is kept, also those that could not be read."""

    model_config = ConfigDict(frozen=True)

    role: Role
    model: str
    text: str = ""
    finish_reason: str | None = None
    usage: Usage = Usage()
    cost_usd: float | None = None
    seconds: float = 0.0
    error: str | None = None
    prompt_sha256: str = ""
    started: float = 0.0
    """Unix seconds; 0 in records from before it was kept."""


def _plus(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


def total_usage(calls: list[ModelCall]) -> Usage:
    """Sum over calls; unknown as soon as one of them is unknown."""
    total = Usage(prompt=0, completion=0, cached=0, reasoning=0)
    for call in calls:
        total = total + call.usage
    return total


def total_cost(calls: list[ModelCall]) -> float | None:
    """Dollars over calls; unknown as soon as one of them is unknown."""
    costs = [c.cost_usd for c in calls]
    return None if any(c is None for c in costs) else round(sum(c or 0.0 for c in costs), 6)
