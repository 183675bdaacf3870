"""What agents report of their model calls, in the words of both versions of the SDK."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel, model_validator


@dataclass(frozen=True, slots=True)
class ModelReport:
    """A model call as the agent reported it; None is unknown."""

    model: str
    seconds: float
    prompt: int | None = None
    completion: int | None = None
    cached: int | None = None
    """Prompt tokens out of the provider's cache; part of `prompt`."""
    reasoning: int | None = None
    """Part of `completion`."""


class LogInference(BaseModel):
    """A reported model call: `usage` as SDK 1.1 sends it, or the fields of 1.2."""

    task_id: str
    model: str
    duration_sec: float
    usage: dict[str, int] | None = None
    completion: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_prompt_tokens: int | None = None

    @model_validator(mode="after")
    def _one_of_both_shapes(self) -> LogInference:
        if self.usage is None and self.completion is None:
            raise ValueError("either usage or completion must be given")
        return self

    def report(self) -> ModelReport:
        """What it says of the call."""
        if self.usage is not None:
            return ModelReport(self.model, self.duration_sec, *_tokens(self.usage))
        tokens = self.prompt_tokens, self.completion_tokens, self.cached_prompt_tokens
        return ModelReport(self.model, self.duration_sec, *tokens)


def _tokens(usage: Mapping[str, int]) -> tuple[int | None, ...]:
    """Prompt, completion, cached, reasoning of a flat usage as OpenAI or Anthropic name them."""

    def first(*names: str) -> int | None:
        return next((usage[name] for name in names if name in usage), None)

    prompt = first("prompt_tokens", "input_tokens")
    if prompt is not None:
        # Anthropic counts what its cache held apart.
        apart = ("cache_read_input_tokens", "cache_creation_input_tokens")
        prompt += sum(usage.get(name, 0) for name in apart)
    return (
        prompt,
        first("completion_tokens", "output_tokens"),
        first(
            "prompt_tokens_details.cached_tokens",
            "input_tokens_details.cached_tokens",
            "cache_read_input_tokens",
        ),
        first(
            "completion_tokens_details.reasoning_tokens",
            "output_tokens_details.reasoning_tokens",
        ),
    )
