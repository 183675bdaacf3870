"""Prices of tokens: configured, from LiteLLM's bundled map, or of the same model elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import regex
from rapidfuzz import fuzz

from core.models.model_call import ErrorKind, ExchangeFailed, Reply, Usage
from core.models.models_file import Models, Prices, Target, default_models
from core.models.providers import GONKA, is_scripted
from core.models.tokens import litellm_folder

MAP_FILE = "model_prices_and_context_window_backup.json"
OPENROUTER = "openrouter/"
OPENROUTER_HOST = "openrouter.ai"
_MODES = ("chat", "completion", "responses")
_VENDOR = regex.compile(r"^(?:[a-z-]+\.)+(?=[a-z])")
"""``openai.`` or ``us-gov.openai.`` before a name; no version number looks like that."""
_REVISION = regex.compile(r"-(?:v?\d+)?:\d+$")
_POINT = regex.compile(r"(?<=\d)p(?=\d)")
_TOKEN = regex.compile(r"[a-z]+|\d+(?:\.\d+)*[a-z]*|:[a-z0-9]+")
_SIZE = regex.compile(r"^\d+(?:\.\d+)*[bm]$")
_NEUTRAL = frozenset({"awq", "gptq", "gguf", "hf", "maas", "meta", "v"})
"""How weights are stored or sold; says nothing of the model."""
_STORED = regex.compile(r"(?<=[-_])(?:fp|bf|nvfp|mxfp|int)[-_]?\d*(?=$|[-_:])")
_TUNED = frozenset({"instruct", "it"})
"""The usual form of a model with a size in its name; without one ("gpt-3.5-turbo-instruct") not."""

_UNCLEAR: frozenset[ErrorKind] = frozenset({"network", "timeout", "bad_answer"})
"""Failures after which nobody knows what was billed; a refusal costs nothing."""


@dataclass(frozen=True)
class Price:
    """Dollars per token."""

    input: float
    output: float
    cached: float | None
    """For prompt tokens from the provider's cache; None: the full price is asked."""
    source: str
    """"provider", "configuration", "litellm" or "like <LiteLLM id>"."""

    def of(self, usage: Usage) -> float | None:
        """Dollars for one request of these tokens; None where the tokens are unknown."""
        if usage.prompt is None or usage.completion is None:
            return None
        cached = min(usage.cached or 0, usage.prompt)
        cached_price = self.input if self.cached is None else self.cached
        fresh = (usage.prompt - cached) * self.input
        return fresh + cached * cached_price + usage.completion * self.output


def price_of(model: str, models: Models | None = None) -> Price | None:
    """The price of an id or a configured name, at its first backend; None: unknown."""
    target = (models or default_models()).settings(model, "worker").targets[0]
    return target_price(target.backend.model, target.prices, target.backend.base_url)


def target_price(model: str, configured: Prices | None, base_url: str | None) -> Price | None:
    """The price at one backend: configured, else listed, else like the same model elsewhere.

    A server of the user's own has no listed price; there it is only a likeness. What OpenRouter
    or Gonka asks has little to do with what others ask for the same model: no likeness there.
    """
    if is_scripted(model):
        return Price(0.0, 0.0, 0.0, "provider")
    if configured is not None:
        cached = None if configured.cached is None else configured.cached / 1e6
        return Price(configured.input / 1e6, configured.output / 1e6, cached, "configuration")
    routed = openrouter_id(model, base_url)
    exact = _exact(f"{OPENROUTER}{routed}" if routed is not None else model)
    if exact is not None:
        return _price(exact, f"like {exact}" if base_url else "litellm")
    # Gonka is paid in a coin of its own.
    alone = routed is not None or model.startswith(f"{GONKA}/")
    near = None if alone else like(model)
    return _price(near, f"like {near}") if near else None


def openrouter_id(model: str, base_url: str | None) -> str | None:
    """OpenRouter's own name for a LiteLLM id, where OpenRouter answers for it; else None.

    OpenRouter states the cost of each request in its reply.
    """
    if model.startswith(OPENROUTER):
        return model.removeprefix(OPENROUTER)
    try:
        host = urlsplit(base_url or "").hostname
    except ValueError:
        return None
    return model.partition("/")[2] if host == OPENROUTER_HOST else None


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


@lru_cache(maxsize=256)
def like(model: str) -> str | None:
    """The id in the map that names the same model at another provider, or None.

    Sizes, versions, dates and words such as mini, thinking or coder must all be the same. The
    same provider's ids come first, then the middle one by price, for prices differ many times.
    """
    name = canonical(model)
    result = _by_name().get(name, ()) if name else ()
    home = model.split("/", 1)[0].casefold()
    result = [i for i in result if i.split("/", 1)[0].casefold() == home] or list(result)
    if not result:
        return None
    map_ = price_map()

    def dollars(id_: str) -> tuple[float, float]:
        return map_[id_]["input_cost_per_token"], map_[id_]["output_cost_per_token"]

    middle = sorted(dollars(i) for i in result)[len(result) // 2]
    same = [i for i in result if dollars(i) == middle]
    return min(same, key=lambda i: (-fuzz.ratio(i.casefold(), model.casefold()), i))


@lru_cache(maxsize=8192)
def canonical(model: str) -> tuple[str, ...]:
    """The words and numbers that identify a model at any provider; empty if there are none."""
    last = model.casefold().rsplit("/", 1)[-1]
    last = _REVISION.sub("", _VENDOR.sub("", last.removeprefix("databricks-")))
    tokens = _TOKEN.findall(_POINT.sub(".", _STORED.sub("", last)))
    sized = any(_SIZE.match(t) for t in tokens)
    words = [t for t in tokens if t not in _NEUTRAL and not (sized and t in _TUNED)]
    return tuple(words) if len(words) > 1 else ()


def map_entry(model: str) -> Mapping[str, Any] | None:
    """The price of exactly this id in LiteLLM's map; None: unknown."""
    exact = _exact(model)
    return price_map()[exact] if exact else None


def _exact(model: str) -> str | None:
    """The map's own key for an id: itself, or without the provider that the entry names."""
    map_ = price_map()
    if model in map_:
        return model
    provider, _, rest = model.partition("/")
    entry = map_.get(rest)
    return rest if entry is not None and entry.get("litellm_provider") == provider else None


def _price(key: str, source: str) -> Price:
    entry = price_map()[key]
    cached = entry.get("cache_read_input_token_cost")
    return Price(
        float(entry["input_cost_per_token"]),
        float(entry["output_cost_per_token"]),
        None if cached is None else float(cached),
        source,
    )


@lru_cache(maxsize=1)
def price_map() -> Mapping[str, dict[str, Any]]:
    """LiteLLM's bundled entries of models that answer with text and have a price per token."""
    raw = json.loads((litellm_folder() / MAP_FILE).read_text(encoding="utf-8"))
    return {
        key: entry
        for key, entry in raw.items()
        if key != "sample_spec"
        and entry.get("mode") in _MODES
        and isinstance(entry.get("input_cost_per_token"), int | float)
        and isinstance(entry.get("output_cost_per_token"), int | float)
    }


@lru_cache(maxsize=1)
def _by_name() -> Mapping[tuple[str, ...], list[str]]:
    """Ids with a price above zero, by what they name; what is served for nothing is no likeness."""
    ids: dict[tuple[str, ...], list[str]] = {}
    for key, entry in price_map().items():
        name = canonical(key)
        if name and entry["input_cost_per_token"] > 0 and entry["output_cost_per_token"] > 0:
            ids.setdefault(name, []).append(key)
    return ids
