"""Prices at OpenRouter: its public list, cached for a day in the user's cache.

The list is at ``GET https://openrouter.ai/api/v1/models`` and needs no key. It has dollars per
token as text: ``{"data": [{"id": "openai/gpt-oss-120b", "pricing": {"prompt": "0.00000004",
"completion": "0.0000004", "input_cache_read": "0", "request": "0"}}, ...]}``. Models whose price
depends on where a request is routed are listed with -1.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from core.http.waits import TooLate, within
from core.models.kept_files import read_kept, write_kept

PREFIX = "openrouter/"
HOST = "openrouter.ai"
URL = "https://openrouter.ai/api/v1/models"
VARIABLE = "OPENROUTER_MODELS_URL"
"""The environment's variable for another address of the list; ``none``: it is never asked for."""
NEVER = "none"
FILE = Path("prices", "openrouter.json")
FRESH_SECONDS = 24 * 3600
"""A list in the cache that is younger is not asked for again."""
WAIT_SECONDS = 3.0
"""For the list, from the moment when it is asked for; no run waits longer."""
MOST_BYTES = 16 * 1024 * 1024
MOST_MODELS = 10_000
MOST_CHARS = 200
FILES_AT_MOST = 8
"""Maximum files in the cache folder: the list, and those that other processes are writing."""
MOST_DOLLARS = 1000.0
"""Maximum dollars per token or request; a larger figure is invalid."""
MOST_SECONDS = 1e11
Dollars = Annotated[float, Field(ge=0, le=MOST_DOLLARS, allow_inf_nan=False)]


class UnitPrice(BaseModel):
    """Dollars for one token, and for one request; OpenRouter has other names for them."""

    model_config = ConfigDict(frozen=True)

    input: Dollars = Field(validation_alias=AliasChoices("input", "prompt"))
    output: Dollars = Field(validation_alias=AliasChoices("output", "completion"))
    cached: Dollars | None = Field(
        default=None, validation_alias=AliasChoices("cached", "input_cache_read")
    )
    """A prompt token from the provider's cache; None: no price of its own is listed."""
    request: Dollars = 0.0


class _Row(BaseModel):
    """One model of OpenRouter's list; a price that depends on the route is -1, and no price."""

    id: Annotated[str, Field(min_length=1, max_length=MOST_CHARS)]
    pricing: UnitPrice


class PriceList(BaseModel):
    """The list in the cache."""

    model_config = ConfigDict(frozen=True)

    format: Literal["openrouter-prices/1"] = "openrouter-prices/1"
    fetched: Annotated[float, Field(ge=0, le=MOST_SECONDS, allow_inf_nan=False)]
    prices: dict[str, UnitPrice]
    """Keys are OpenRouter's ids in lower case."""

    @property
    def day(self) -> str:
        """When it was fetched, as 2026-01-31."""
        return datetime.fromtimestamp(self.fetched, UTC).date().isoformat()


class ListUnusable(Exception):
    """No price list can be had from an address; the text says why."""


class OpenRouterPrices:
    """The list for one process, asked for at most once, when the first price is wanted.

    Safe to use from several threads.
    """

    def __init__(
        self,
        folder: Path | None,
        url: str | None = URL,
        *,
        clock: Callable[[], float] = time.time,
        wait_seconds: float = WAIT_SECONDS,
    ) -> None:
        """``folder``: the user's cache. ``url``: None asks nobody and takes what is in there."""
        self._file = folder / FILE if folder else None
        self._url = url
        self._clock = clock
        self._wait_seconds = wait_seconds
        self._lock = threading.Lock()
        self._is_loaded = False
        self._known: PriceList | None = None
        self._problem = ""

    def price(self, model: str) -> UnitPrice | None:
        """Return OpenRouter's price of one of its ids; None: unknown."""
        known = self.known
        return known.prices.get(model.casefold()) if known else None

    @property
    def known(self) -> PriceList | None:
        """The list: the fresh one, else what the cache holds however old, else None."""
        with self._lock:
            if not self._is_loaded:
                self._is_loaded = True
                self._load()
            return self._known

    @property
    def problem(self) -> str:
        """Why there is no fresh list, and what is used instead; "" where all is well."""
        if not self._problem:
            return ""
        used = f"using the prices of {self._known.day}" if self._known else "no price is known"
        return f"OpenRouter's list of models: {self._problem}; {used}"

    def _load(self) -> None:
        if content := read_kept(self._file) if self._file else None:
            with suppress(ValidationError):  # damaged, or of another version
                self._known = PriceList.model_validate_json(content)
        age = self._clock() - self._known.fetched if self._known else None
        url, seconds = self._url, self._wait_seconds
        if url is None or (age is not None and 0 <= age < FRESH_SECONDS):
            return
        try:
            # A name that is looked up for minutes cannot be interrupted.
            prices = within(seconds, lambda: fetch(url, seconds))
        except TooLate:
            self._problem = f"no answer within {seconds:g} s"
        except ListUnusable as error:
            self._problem = str(error)
        else:
            self._known = PriceList(fetched=self._clock(), prices=prices)
            if self._file:
                write_kept(self._file, self._known.model_dump_json().encode(), FILES_AT_MOST)


def openrouter_id(model: str, base_url: str | None) -> str | None:
    """OpenRouter's own name for a LiteLLM id, where OpenRouter answers for it; else None."""
    if model.startswith(PREFIX):
        return model.removeprefix(PREFIX)
    return model.partition("/")[2] if is_at_openrouter(base_url) else None


def is_at_openrouter(base_url: str | None) -> bool:
    """Whether an address is OpenRouter's."""
    try:
        return urlsplit(base_url or "").hostname == HOST
    except ValueError:
        return False


def fetch(url: str, seconds: float) -> dict[str, UnitPrice]:
    """The prices of a list of models, by id in lower case. Raises ListUnusable."""
    import httpx

    from core.http.bounded import AnswerRefused, BoundedTransport

    try:
        transport = BoundedTransport(httpx.Client(), MOST_BYTES)
        with httpx.Client(transport=transport) as client:
            answer = client.get(url, timeout=seconds)
    except AnswerRefused as error:
        raise ListUnusable(str(error)) from None
    # Unreadable certificates, or a proxy whose library is missing: no run fails for a price.
    except (httpx.HTTPError, httpx.InvalidURL, ImportError, OSError, ValueError) as error:
        raise ListUnusable(f"cannot be reached ({type(error).__name__})") from None
    if answer.status_code != 200:
        raise ListUnusable(f"status {answer.status_code}")
    return read_prices(answer.content)


def read_prices(content: bytes) -> dict[str, UnitPrice]:
    """The usable prices of a list as OpenRouter sends it. Raises ListUnusable."""
    try:
        rows = json.loads(content)["data"][:MOST_MODELS]
    except (ValueError, TypeError, KeyError, RecursionError):
        rows = None
    if not isinstance(rows, list):
        raise ListUnusable("the response is not a list of models")
    prices = {}
    for row in rows:
        with suppress(ValidationError):
            model = _Row.model_validate(row)
            prices[model.id.casefold()] = model.pricing
    if not prices:
        raise ListUnusable("the response has no price")
    return prices


def address(environ_value: str | None) -> str | None:
    """The address of the list by the value of ``VARIABLE``; None: it is not to be asked for."""
    value = (environ_value or "").strip()
    return None if value == NEVER else value or URL


_used: OpenRouterPrices | None = None


def use(prices: OpenRouterPrices | None) -> None:
    """Have prices of OpenRouter looked up here from now on; None: nowhere, as at first."""
    global _used
    _used = prices


def used() -> OpenRouterPrices | None:
    """Where prices of OpenRouter are looked up; None: nowhere."""
    return _used
