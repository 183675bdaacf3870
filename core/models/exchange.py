"""One exchange with a provider as plain records: what is asked, what comes back, what goes wrong.

Everything that answers for a model (LiteLLM, a cassette) speaks these three, so that the client
above them does not know which one it holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol

from pydantic import BaseModel, Field

from core.models.model_call import Figure, Message, Usage

ErrorKind = Literal[
    "rate_limit", "overload", "network", "timeout", "authentication", "quota", "bad_request",
    "context_window", "not_found", "bad_answer", "clock", "missing",
]  # fmt: skip
"""Classes of failure. ``bad_answer``: HTTP 200 with an error body, HTML, or no choices;
``clock``: a signed request whose time the provider does not accept;
``missing``: a cassette holds no such request."""


class Request(BaseModel, frozen=True):
    """What is asked of a provider; holds no key."""

    model: str
    """The LiteLLM id."""
    messages: tuple[Message, ...]
    params: dict[str, Any] = Field(default_factory=dict)
    """Sampling and the like, as LiteLLM takes them: temperature, max_tokens, response_format."""


class Reply(BaseModel, frozen=True):
    """What a provider answered."""

    text: str = ""
    """The content as it came; reasoning that the provider tells apart is not in it."""
    reasoning: str = ""
    finish_reason: str | None = None
    usage: Usage = Usage()
    cost_usd: Annotated[float | None, Figure] = None
    """Dollars, where the provider or LiteLLM's map tells them."""
    price_source: str | None = None
    """Who told the dollars: "provider" or "litellm"."""
    answered_by: str = ""
    """The model's name in the provider's answer."""


@dataclass(eq=False)
class ExchangeFailed(Exception):
    """No reply came."""

    kind: ErrorKind
    text: str
    """Safe to log; holds no key."""
    status: int | None = None
    retry_after: float | None = None
    """Seconds that the provider asks to wait."""
    usage: Usage | None = None
    """What the failure was billed, where that is known; zeros where nothing was."""

    def __str__(self) -> str:
        return self.text


class Transport(Protocol):
    """Something that answers requests; safe to use from several threads."""

    def send(self, request: Request, timeout: float) -> Reply:
        """One attempt, at most ``timeout`` seconds. Raises ExchangeFailed."""
