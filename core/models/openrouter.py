"""OpenRouter's list of models and prices: fetched at most once a day, else the list that
``genai-prices`` ships."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

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
_SIZE = regex.compile(r"^\d++(?:\.\d++)*+[bm]$")
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
    data: tuple[Any, ...]


_KEPT = TypeAdapter(dict[str, Rates])


def refresh() -> bool:
    """Fetch the list if none was kept within the last day; return whether there is a fresh one.

    A list that cannot be had, or not within 3 s, is no error. No key is sent.
    """
    path = _path()
    if path is None or _is_fresh(path):
        return path is not None
    from core.http.waits import TooLate, within

    address = os.environ.get(ADDRESS_VARIABLE, "").strip() or ADDRESS
    try:
        # A look-up of the host's name has no limit of its own.
        content = within(TIMEOUT_SECONDS, lambda: _fetch(f"{address.rstrip('/')}/models"))
    except (_Unreachable, TooLate):
        return False
    known = _rates_in(content)
    if not known:
        return False
    write_kept(path, json.dumps(known).encode("ascii"), at_most=1)
    _kept.cache_clear()
    find_like.cache_clear()
    return True


class _Unreachable(Exception):
    """No list came."""


def _fetch(url: str) -> bytes:
    """The body of an answer. Raises _Unreachable."""
    import httpx  # slow, and most commands ask nobody

    from core.http.bounded import BoundedTransport

    transport = BoundedTransport(True, httpx.Limits(), MOST_BYTES, error_bytes=0)
    try:
        with httpx.Client(transport=transport, timeout=TIMEOUT_SECONDS) as client:
            return client.get(url).raise_for_status().content
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        raise _Unreachable from error


def _rates_in(content: bytes) -> dict[str, Rates]:
    """The prices of a list, by id; entries of another form are left out."""
    with suppress(ValidationError):
        listed = _List.model_validate_json(content)
        rates = {}
        for entry in listed.data:
            with suppress(ValidationError):
                one = _Model.model_validate(entry)
                rates[one.id] = Rates(*(value for _, value in one.pricing))
        # A negative price stands for "as the model that is chosen".
        return {id: one for id, one in rates.items() if _is_price(one)}
    return {}


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
    sized = any(map(_SIZE.match, parts))
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
