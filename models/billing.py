"""What one attempt at a model cost, and whose figure that is."""

from __future__ import annotations

from typing import Any

from models.exchange import ErrorKind, ExchangeFailed, Reply
from models.model_call import Usage
from models.models_file import Target
from models.prices import target_price

_UNCLEAR: frozenset[ErrorKind] = frozenset({"network", "timeout", "bad_answer"})
"""Failures after which nobody knows what was billed; a refusal costs nothing."""


def dollars(target: Target, reply: Reply) -> tuple[float | None, str | None]:
    """Dollars and their source: the provider's own figure, else by the best price known.

    The user's prices go before those that LiteLLM has counted with.
    """
    counted = reply.price_source == "litellm" and target.prices is not None
    if reply.cost_usd is not None and not counted:
        return reply.cost_usd, reply.price_source
    return _priced(target, reply.usage)


def failure_fields(target: Target, error: ExchangeFailed) -> dict[str, Any]:
    """What a record says of an attempt without an answer: text, class, tokens, dollars."""
    usage = error.usage or (Usage() if error.kind in _UNCLEAR else Usage.nothing())
    free = usage == Usage.nothing()
    cost, source = (0.0, None) if free else _priced(target, usage)
    return {
        "error": error.text,
        "error_kind": error.kind,
        "usage": usage,
        "cost_usd": cost,
        "price_source": source,
    }


def _priced(target: Target, usage: Usage) -> tuple[float | None, str | None]:
    price = target_price(target.backend.model, target.prices, target.backend.base_url)
    cost = price.of(usage) if price else None
    return cost, price.source if price and cost is not None else None
