"""Price lists: OpenRouter's, fetched at most once a day, ``genai-prices`` and LiteLLM's map."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import regex
from pydantic import TypeAdapter, ValidationError

from core.models.kept_files import cache_folder, read_kept, write_kept
from core.models.model_call import Usage
from core.models.tokens import litellm_folder

ADDRESS_VARIABLE = "OPENROUTER_API_BASE"
"""LiteLLM's name for the address of OpenRouter."""
ADDRESS = "https://openrouter.ai/api/v1"
FRESH_SECONDS = 86_400.0
TIMEOUT_SECONDS = 3.0
MOST_BYTES = 8_000_000
"""The list of 400 models takes about 1 MB."""
MAP_FILE = "model_prices_and_context_window_backup.json"
CLOSE = 90
"""Similarity (0 to 100) from which a name with the same numbers means a listed model."""
_MODES = ("chat", "completion", "responses")
_PART = regex.compile(r"[a-z]+|\d+(?:\.\d+)*[a-z]*|:[a-z0-9]+")
_SIZE = regex.compile(r"^\d++(?:\.\d++)*+[bm]$")
_STORED = regex.compile(r"(?<=[-_])(?:fp|bf|nvfp|mxfp|int)[-_]?\d*(?=$|[-_:])")
_NEUTRAL = frozenset({"awq", "gptq", "gguf", "hf", "maas", "meta", "v"})
"""How weights are stored or sold; says nothing of the model."""
_TUNED = frozenset({"instruct", "it"})
"""The usual form of a model with a size in its name; without one ("gpt-3.5-turbo-instruct") not."""


class Price(NamedTuple):
    """Dollars per token."""

    input: float
    output: float
    cached: float | None
    """For prompt tokens from the provider's cache; None: the full price is asked."""
    source: str = ""
    """"provider", "configuration", "litellm", "openrouter", "genai-prices" or "like <id>"."""

    def of(self, usage: Usage) -> float | None:
        """Dollars for one request of these tokens; None where the tokens are unknown."""
        if usage.prompt is None or usage.completion is None:
            return None
        cached = min(usage.cached or 0, usage.prompt)
        cached_price = self.input if self.cached is None else self.cached
        fresh = (usage.prompt - cached) * self.input
        return fresh + cached * cached_price + usage.completion * self.output

    @property
    def is_possible(self) -> bool:
        """Whether a provider may ask this; a negative one is "as the model that is chosen"."""
        rates = (self.input, self.output, self.cached)
        return all(one is None or (math.isfinite(one) and 0 <= one < 1) for one in rates)


_NO_LIST = (ValueError, LookupError, TypeError, RecursionError)
_KEPT = TypeAdapter(dict[str, Price])


def refresh() -> bool:
    """Fetch OpenRouter's list if none was kept within the last day; return whether one is there.

    A list that cannot be had, or not within 3 s, is no error. No key is sent.
    """
    path = _path()
    if path is None or _is_fresh(path):
        return path is not None
    # Slow to import, and most commands ask nobody.
    import httpx

    from core.http.bounded import BoundedTransport
    from core.http.waits import TooLate, within

    def fetch() -> bytes:
        transport = BoundedTransport(True, httpx.Limits(), MOST_BYTES, error_bytes=0)
        with httpx.Client(transport=transport, timeout=TIMEOUT_SECONDS) as client:
            return client.get(f"{address.rstrip('/')}/models").raise_for_status().content

    address = os.environ.get(ADDRESS_VARIABLE, "").strip() or ADDRESS
    try:
        # A look-up of the host's name has no limit of its own.
        known = _prices_in(within(TIMEOUT_SECONDS, fetch))
    except (TooLate, httpx.HTTPError, httpx.InvalidURL, OSError, *_NO_LIST):
        return False
    if known:
        write_kept(path, json.dumps(known).encode("ascii"), at_most=1)
        _kept.cache_clear()
        find_like.cache_clear()
    return bool(known)


def _prices_in(content: bytes) -> dict[str, Price]:
    """The prices of a list, by id; entries of another form are left out.

    Raises ValueError, LookupError, TypeError: it is no list.
    """
    prices = {}
    for entry in json.loads(content)["data"]:
        with suppress(ValueError, LookupError, TypeError, AttributeError):
            asked = entry["pricing"]
            cached = asked.get("input_cache_read")
            rates = (float(asked["prompt"]), float(asked["completion"]))
            price = Price(*rates, None if cached is None else float(cached), "openrouter")
            if price.is_possible and isinstance(entry["id"], str):
                prices[entry["id"]] = price
    return prices


def listed_price(model: str) -> Price | None:
    """The price of exactly this id of OpenRouter's; None: it is not listed."""
    if (kept := _kept()) is not None:
        return kept.get(model)
    price = shipped_price("openrouter", model) if model in _shipped_ids() else None
    return price and price._replace(source="openrouter")


@lru_cache(maxsize=1024)
def find_like(model: str, *, loosely: bool = False) -> str | None:
    """The listed id that names the same model as another provider's id; None without one.

    Sizes, versions, dates and words such as mini, thinking or coder are all the same; how the
    weights are stored is not compared. Of several, the one with the shortest id. What is served
    for nothing is no likeness. ``loosely``, as a person names a model: without such an id, one
    that has all the numbers and nearly the words.
    """
    parts = name_parts(model)
    choices = {id: name_parts(id) for id in _sold()} if parts else {}
    same = next((id for id, its in choices.items() if its == parts), None)
    if same or not loosely:
        return same
    from rapidfuzz import fuzz, process

    numbers = {part for part in parts if part[0].isdigit()}
    close = {id: " ".join(its) for id, its in choices.items() if numbers <= set(its)}
    best = process.extractOne(
        " ".join(parts), close, scorer=fuzz.token_set_ratio, score_cutoff=CLOSE
    )
    return best[2] if best else None


def _sold() -> list[str]:
    """The listed ids that cost something, the shortest first."""
    kept = _kept()
    ids: Collection[str] = _shipped_ids() if kept is None else kept
    sold = [id for id in ids if (price := listed_price(id)) and price.input and price.output]
    return sorted(sold, key=lambda id: (len(id), id))


@lru_cache(maxsize=1)
def _shipped_ids() -> frozenset[str]:
    from genai_prices.data_snapshot import get_snapshot  # 0.06 s, and most runs need none of it

    providers = get_snapshot().providers
    return frozenset(m.id for p in providers if p.id == "openrouter" for m in p.models)


@lru_cache(maxsize=1)
def _kept() -> Mapping[str, Price] | None:
    """The list that was fetched within the last day; None: there is none."""
    path = _path()
    if path is None or not _is_fresh(path):
        return None
    try:
        return _KEPT.validate_json(read_kept(path) or b"")
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


@lru_cache(maxsize=1024)
def shipped_price(provider: str, model: str) -> Price | None:
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
    price = Price(given, written, cached, "genai-prices")
    # What is counted as nothing, of a model that is sold, has no price in the data.
    has_one = model.endswith(":free") or (given and written)
    return price if has_one and price.is_possible else None


def mapped_id(model: str) -> str | None:
    """The key of LiteLLM's map for an id: itself, or without the provider that the entry names."""
    map_ = price_map()
    if model in map_:
        return model
    provider, _, rest = model.partition("/")
    entry = map_.get(rest)
    return rest if entry is not None and entry.get("litellm_provider") == provider else None


def mapped_price(key: str) -> Price:
    """The price in an entry of LiteLLM's map."""
    entry = price_map()[key]
    cached = entry.get("cache_read_input_token_cost")
    given, written = entry["input_cost_per_token"], entry["output_cost_per_token"]
    return Price(given, written, None if cached is None else float(cached), "litellm")


@cache
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


def _path() -> Path | None:
    folder = cache_folder()
    return folder / "prices" / "openrouter.json" if folder else None


def _is_fresh(path: Path) -> bool:
    try:
        return 0 <= time.time() - path.stat().st_mtime < FRESH_SECONDS
    except OSError:
        return False
