"""OpenRouter's list of models and prices: fetched at most once a day, else the list that
``genai-prices`` ships."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import regex
from pydantic import BaseModel, TypeAdapter, ValidationError

from core.models.kept_files import cache_folder, read_kept, write_kept

ADDRESS_VARIABLE = "OPENROUTER_API_BASE"
"""LiteLLM's name for the address of OpenRouter."""
ADDRESS = "https://openrouter.ai/api/v1"
FRESH_SECONDS = 86_400.0
TIMEOUT_SECONDS = 3.0
MOST_BYTES = 8_000_000
"""The list of 400 models takes about 1 MB."""
_PART = regex.compile(r"[a-z]+|\d+(?:\.\d+)*[a-z]*|:[a-z0-9]+")
_SIZE = regex.compile(r"\d+(?:\.\d+)*[bm]")
_STORED = regex.compile(r"(?<=[-_])(?:fp|bf|nvfp|mxfp|int)[-_]?\d*(?=$|[-_:])")
_NEUTRAL = frozenset({"awq", "gptq", "gguf", "hf", "maas", "meta", "v"})
"""How weights are stored or sold; says nothing of the model."""
_TUNED = frozenset({"instruct", "it"})
"""The usual form of a model with a size in its name; without one ("gpt-3.5-turbo-instruct") not."""


class Rates(NamedTuple):
    """Dollars per token."""

    input: float
    output: float
    cached: float | None
    """For prompt tokens from the provider's cache; None: the full price is asked."""


class _Pricing(BaseModel):
    prompt: float
    completion: float
    input_cache_read: float | None = None


class _Model(BaseModel):
    id: str
    pricing: _Pricing


class _List(BaseModel):
    data: tuple[_Model, ...]


_KEPT = TypeAdapter(dict[str, Rates])


def refresh() -> bool:
    """Fetch the list if none was kept within the last day; return whether there is a fresh one.

    A list that cannot be had, or not within 3 s, is no error. No key is sent.
    """
    path = _path()
    if path is None or _is_fresh(path):
        return path is not None
    import httpx  # slow, and most commands ask nobody

    from core.http.bounded import BoundedTransport

    address = os.environ.get(ADDRESS_VARIABLE, "").strip() or ADDRESS
    transport = BoundedTransport(True, httpx.Limits(), MOST_BYTES, error_bytes=0)
    try:
        with httpx.Client(transport=transport, timeout=TIMEOUT_SECONDS) as client:
            answer = client.get(f"{address.rstrip('/')}/models").raise_for_status()
        models = _List.model_validate_json(answer.content).data
    except (httpx.HTTPError, httpx.InvalidURL, ValidationError):
        return False
    rates = {one.id: Rates(*(value for _, value in one.pricing)) for one in models}
    # A negative price stands for "as the model that is chosen".
    known = {id: one for id, one in rates.items() if _is_price(one)}
    write_kept(path, json.dumps(known).encode("ascii"), at_most=1)
    _kept.cache_clear()
    find_like.cache_clear()
    return True


def listed_rates(model: str) -> Rates | None:
    """The price of exactly this id of OpenRouter's; None: it is not listed."""
    if (kept := _kept()) is not None:
        return kept.get(model)
    return shipped_rates("openrouter", model) if model in _shipped_ids() else None


@lru_cache(maxsize=1024)
def find_like(model: str) -> str | None:
    """The listed id that names the same model as another provider's id; None without one.

    Sizes, versions, dates and words such as mini, thinking or coder are all the same; how the
    weights are stored is not compared. Of several, the one with the shortest id. What is served
    for nothing is no likeness.
    """
    parts = name_parts(model)
    kept = _kept()
    ids: Collection[str] = _shipped_ids() if kept is None else kept
    same = [id for id in ids if parts and name_parts(id) == parts]
    sold = [id for id in same if (rates := listed_rates(id)) and rates.input and rates.output]
    return min(sold, key=lambda id: (len(id), id), default=None)


@lru_cache(maxsize=1)
def _shipped_ids() -> frozenset[str]:
    from genai_prices.data_snapshot import get_snapshot  # 0.06 s, and most runs need none of it

    providers = get_snapshot().providers
    return frozenset(m.id for p in providers if p.id == "openrouter" for m in p.models)


@lru_cache(maxsize=1)
def _kept() -> Mapping[str, Rates] | None:
    """The list that was fetched within the last day; None: there is none."""
    path = _path()
    if path is None or not _is_fresh(path):
        return None
    try:
        return MappingProxyType(_KEPT.validate_json(read_kept(path) or b""))
    except ValidationError:  # cut by a crash of the machine, or touched by somebody
        return None


@lru_cache(maxsize=8192)
def name_parts(model: str) -> tuple[str, ...]:
    """The words and numbers that identify a model at any provider; empty where it is one word."""
    last = model.casefold().rsplit("/", 1)[-1]
    parts = _PART.findall(_STORED.sub("", last))
    sized = any(map(_SIZE.fullmatch, parts))
    telling = [p for p in parts if p not in _NEUTRAL and not (sized and p in _TUNED)]
    return tuple(telling) if len(telling) > 1 else ()


@lru_cache(maxsize=256)
def shipped_rates(provider: str, model: str) -> Rates | None:
    """The price that ``genai-prices`` ships for a provider's model; None: it has none."""
    from genai_prices import Usage, calc_price

    def dollars(**tokens: int) -> float:
        usage = Usage(**tokens)
        counted = calc_price(usage, model, provider_id=provider, genai_request_timestamp=now)
        return float(counted.total_price / 1000)

    now = datetime.now(UTC)
    try:
        # So few tokens are in the first of several tiers.
        given, written = dollars(input_tokens=1000), dollars(output_tokens=1000)
        cached = dollars(input_tokens=1000, cache_read_tokens=1000)
    except (LookupError, ValueError):
        return None
    rates = Rates(given, written, cached)
    # What is counted as nothing, of a model that is sold, has no price in the data.
    is_free = model.endswith(":free")
    return rates if _is_price(rates) and (is_free or (given and written)) else None


def _is_price(rates: Rates) -> bool:
    return all(one is None or (math.isfinite(one) and 0 <= one < 1) for one in rates)


def _path() -> Path | None:
    folder = cache_folder()
    return folder / "prices" / "openrouter.json" if folder else None


def _is_fresh(path: Path) -> bool:
    try:
        return 0 <= time.time() - path.stat().st_mtime < FRESH_SECONDS
    except OSError:
        return False
