"""Prices of tokens: configured, listed, or of the same model elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from core.models.model_call import ErrorKind, ExchangeFailed, Reply, Usage
from core.models.models_file import Models, Prices, Target, default_models
from core.models.price_lists import (
    Price,
    find_like,
    listed_price,
    mapped_id,
    mapped_price,
    refresh,
    shipped_price,
)
from core.models.providers import is_gonka, is_scripted

OPENROUTER = "openrouter/"
OPENROUTER_HOST = "openrouter.ai"
PRICING_VARIABLE = "PRICING_MODEL_ID"
"""The environment's variable that names the model by whose price calls of Gonka are counted."""
_UNCLEAR: frozenset[ErrorKind] = frozenset({"network", "timeout", "bad_answer"})
"""Failures after which nobody knows what was billed; a refusal costs nothing."""


def price_of(model: str, models: Models | None = None) -> Price | None:
    """The price of an id or a configured name, at its first backend; None: unknown."""
    target = (models or default_models()).settings(model, "worker").targets[0]
    return target_price(target.backend.model, target.prices, target.backend.base_url)


def target_price(model: str, configured: Prices | None, base_url: str | None) -> Price | None:
    """The price at one backend: configured, else listed, else like the same model at OpenRouter.

    A server of the user's own has no listed price; there it is only a likeness. So it is with
    Gonka, which is paid in a coin of its own.
    """
    if is_scripted(model):
        return Price(0.0, 0.0, 0.0, "provider")
    if configured is not None:
        cached = None if configured.cached is None else configured.cached / 1e6
        return Price(configured.input / 1e6, configured.output / 1e6, cached, "configuration")
    if is_gonka(model):
        return _like(os.environ.get(PRICING_VARIABLE, "").strip() or model, loosely=True)
    routed = openrouter_id(model, base_url)
    if routed is not None and (price := listed_price(routed)):
        return price
    mapped = mapped_id(f"{OPENROUTER}{routed}" if routed is not None else model)
    if mapped is not None:
        price = mapped_price(mapped)
        return price._replace(source=f"like {mapped}") if base_url and routed is None else price
    if routed is not None:  # the price of another provider would be another one
        return None
    provider, slash, name = model.partition("/")
    if slash and not base_url and (shipped := shipped_price(provider, name)):
        return shipped
    return _like(model)


def refresh_prices(targets: Iterable[Target]) -> None:
    """Have OpenRouter's list fetched, if the price of one of these needs it."""
    if any(map(_needs_list, targets)):
        refresh()


def _needs_list(target: Target) -> bool:
    from core.http.proxies import is_loopback  # httpx is slow to import

    model, base_url = target.backend.model, target.backend.base_url
    if is_scripted(model) or target.prices is not None or is_loopback(_host(base_url)):
        return False
    return openrouter_id(model, base_url) is not None or mapped_id(model) is None


def _host(base_url: str | None) -> str | None:
    try:
        return urlsplit(base_url or "").hostname
    except ValueError:
        return None


def _like(model: str, *, loosely: bool = False) -> Price | None:
    """The price of the same model at OpenRouter."""
    name = model.removeprefix(OPENROUTER)
    id = name if listed_price(name) else find_like(name, loosely=loosely) or ""
    price = listed_price(id)
    return price and price._replace(source=f"like {OPENROUTER}{id}")


def openrouter_id(model: str, base_url: str | None) -> str | None:
    """OpenRouter's own name for a LiteLLM id, where OpenRouter answers for it; else None.

    OpenRouter states the cost of each request in its reply.
    """
    if model.startswith(OPENROUTER):
        return model.removeprefix(OPENROUTER)
    return model.partition("/")[2] if _host(base_url) == OPENROUTER_HOST else None


def tells_cost(target: Target) -> bool:
    """Whether the dollars of a reply will be known: a price is, or the reply states them."""
    backend = target.backend
    stated = openrouter_id(backend.model, backend.base_url) is not None
    return stated or target_price(backend.model, target.prices, backend.base_url) is not None


def dollars(target: Target, reply: Reply) -> tuple[float | None, str | None]:
    """Dollars and their source: the provider's own figure, else by the best price known.

    The user's prices go before those that LiteLLM has counted with. What LiteLLM counts for an id
    of OpenRouter may be the price of another provider.
    """
    backend = target.backend
    ours = target.prices is not None or openrouter_id(backend.model, backend.base_url) is not None
    counted = reply.price_source == "litellm" and ours
    if reply.cost_usd is not None and not counted:
        return reply.cost_usd, reply.price_source
    return _priced(target, reply.usage)


def failure_fields(target: Target, error: ExchangeFailed) -> dict[str, Any]:
    """Describe an attempt without a reply: text, class, tokens, dollars."""
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
