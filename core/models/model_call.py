"""Records of an exchange with a model: request, reply, failure, cost, and observers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, Field

Number = TypeVar("Number", int, float)
LARGEST = 10**15
"""Maximum of any figure, far beyond every real sum."""


Figure = BeforeValidator(
    lambda value: None if isinstance(value, int | float) and not 0 <= value <= LARGEST else value
)
"""Tokens or dollars; an impossible figure is unknown and lowers no sum."""
Role: TypeAlias = str
"""The role of a call: evaluator, worker, or the name of a stage."""
Message = dict[str, str]


def sha256_of(text: str) -> str:
    """SHA-256 of a text in UTF-8, including lone surrogates."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Usage(BaseModel, frozen=True):
    """Tokens of one call or of many; None is unknown, never 0."""

    prompt: Annotated[int | None, Figure] = None
    completion: Annotated[int | None, Figure] = None
    cached: Annotated[int | None, Figure] = None
    """Prompt tokens that were read from the provider's cache; part of ``prompt``."""
    reasoning: Annotated[int | None, Figure] = None
    """Completion tokens that went into reasoning; part of ``completion``."""

    @classmethod
    def nothing(cls) -> Usage:
        """The usage of a call that cost nothing."""
        return cls(**dict.fromkeys(cls.model_fields, 0))

    def __add__(self, other: Usage) -> Usage:
        pairs = zip(self, other, strict=True)
        known = {n: a + b for (n, a), (_, b) in pairs if a is not None and b is not None}
        return Usage(**known)


class PromptPart(BaseModel, frozen=True):
    """One message of a prompt by its hash; the text itself is kept once, elsewhere."""

    role: str
    sha256: str


class ModelCall(BaseModel, frozen=True, allow_inf_nan=False):
    """One attempt at a model: every one is kept, also those that failed or could not be read."""

    role: Role
    model: str
    text: str = ""
    finish_reason: str | None = None
    usage: Usage = Usage()
    cost_usd: Annotated[float | None, Figure] = None
    seconds: float = 0.0
    error: str | None = None
    prompt_sha256: str = ""
    started: float = 0.0
    """Unix seconds; 0 in records from before it was kept."""
    prompt: tuple[PromptPart, ...] = ()
    backend: str = ""
    attempt: int = 1
    """Counted over one call of the client, whatever the backend."""
    next: str | None = None
    """The step after a failed attempt: "again in 1.2 s", "next backend: b"; None: nothing."""
    error_kind: str | None = None
    reasoning: str = ""
    """Reasoning that the provider returned apart from the answer, cut; never part of ``text``."""
    reasoning_chars: int = 0
    slug: str = ""
    """The model's name as the platform expects it."""
    price_source: str | None = None
    """Source of the dollars: "provider", "configuration", "litellm", "openrouter", "genai-prices"
    or "like <id>"."""


class CallObserver:
    """Who watches the calls of a client; by itself it lets everything pass."""

    def on_prompt(self, messages: Sequence[Message]) -> None:
        """Called with the messages of a call before its first attempt."""

    def gate(self) -> None:
        """Asked before every attempt; what it raises ends the call and goes to the caller."""

    def on_call(self, call: ModelCall) -> None:
        """Called after every attempt, including failed ones."""


@dataclass
class KeptCalls(CallObserver):
    """Adds the record of every attempt to a list."""

    calls: list[ModelCall]

    def on_call(self, call: ModelCall) -> None:
        """Keep it."""
        self.calls.append(call)


def total_usage(calls: Iterable[ModelCall]) -> Usage:
    """Sum over calls; unknown as soon as one of them is unknown."""
    return sum((call.usage for call in calls), Usage.nothing())


def total_cost(calls: Iterable[ModelCall]) -> float | None:
    """Dollars over calls; unknown as soon as one of them is unknown."""
    cost = known_sum(call.cost_usd for call in calls)
    return None if cost is None else round(cost, 6)


def by_role(calls: Iterable[ModelCall]) -> dict[Role, list[ModelCall]]:
    """The calls of each role, in order of its first one."""
    roles: dict[Role, list[ModelCall]] = {}
    for call in calls:
        roles.setdefault(call.role, []).append(call)
    return roles


def known_sum(values: Iterable[Number | None]) -> Number | None:
    """The sum; None as soon as one is unknown."""
    total: Number = 0
    for value in values:
        if value is None:
            return None
        total += value
    return total


ErrorKind = Literal[
    "rate_limit", "overload", "network", "timeout", "authentication", "forbidden", "quota",
    "bad_request", "context_window", "max_tokens", "content_filter", "not_found", "bad_answer",
    "clock", "proxy", "missing",
]  # fmt: skip
"""Classes of failure. ``bad_answer``: HTTP 200 with HTML or no choices, or a text of the model
that its server could not read; ``forbidden``: the key is right and may not do this; ``clock``: a
signed request whose time the provider does not accept; ``proxy``: the environment names one that
cannot be used; ``missing``: a cassette has no such request."""


class Request(BaseModel, frozen=True):
    """A request to a provider, without the key."""

    model: str
    messages: tuple[Message, ...]
    params: dict[str, Any] = Field(default_factory=dict)
    """Sampling and the like, as LiteLLM takes them: temperature, max_tokens, response_format."""


class Reply(BaseModel, frozen=True):
    """A provider's reply."""

    text: str = ""
    """The content as it came; reasoning that the provider tells apart is not in it."""
    reasoning: str = ""
    finish_reason: str | None = None
    usage: Usage = Usage()
    cost_usd: Annotated[float | None, Figure] = None
    """Dollars, where the provider or LiteLLM's map tells them."""
    price_source: str | None = None
    """Source of the dollars: "provider" or "litellm"."""
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
    """The billed usage of the failure, if known; zeros if nothing was billed."""

    def __str__(self) -> str:
        return self.text


class Transport(Protocol):
    """Something that answers requests; safe to use from several threads."""

    def send(self, request: Request, timeout: float) -> Reply:
        """One attempt, at most ``timeout`` seconds. Raises ExchangeFailed."""
