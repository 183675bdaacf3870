"""OpenRouter's own price list: read, kept, bounded, and never replaced by another provider's."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.models import openrouter_prices
from core.models.kept_files import read_kept
from core.models.model_call import Reply, Usage
from core.models.models_file import load_models
from core.models.openrouter_prices import (
    FRESH_SECONDS,
    MOST_DOLLARS,
    ListUnusable,
    OpenRouterPrices,
    PriceList,
    UnitPrice,
    openrouter_id,
    read_prices,
)
from core.models.prices import dollars, price_of, target_price
from tests.hostile_models import DEEP, DRIBBLES, FLOODS, HostileModels, answer, said

LISTED = {
    "openai/gpt-oss-120b": ("0.00000004", "0.0000004", None),
    "openai/gpt-oss-20b:free": ("0", "0", None),
    "openai/gpt-4o": ("0.0000025", "0.00001", "0.00000125"),
    "x-ai/grok-4.1-fast": ("0.0000002", "0.0000005", "0.00000005"),
    "qwen/qwen3-235b-a22b-2507": ("0.000000071", "0.0000001", None),
    "anthropic/claude-sonnet-4.5": ("0.000003", "0.000015", "0.0000003"),
    "deepseek/deepseek-v3.2": ("0.00000026", "0.00000039", "0.00000013"),
    "google/gemini-2.5-flash-lite": ("0.0000001", "0.0000004", "0.00000001"),
    "z-ai/glm-4.6": ("0.00000039", "0.0000019", None),
    "mistralai/mistral-small-3.2-24b-instruct": ("0.00000006", "0.00000018", None),
}
"""Ten ids with prices per token for prompt, completion and cached prompt."""


def row(name: object, prompt: object, completion: object, **more: object) -> dict[str, Any]:
    """One model as OpenRouter lists it."""
    return {
        "id": name,
        "name": str(name),
        "context_length": 131072,
        "architecture": {"modality": "text->text", "tokenizer": "GPT"},
        "pricing": {"prompt": prompt, "completion": completion, "image": "0", **more},
        "supported_parameters": ["max_tokens", "temperature"],
    }


def as_listed() -> dict[str, Any]:
    rows = []
    for name, (prompt, completion, cached) in LISTED.items():
        more = {} if cached is None else {"input_cache_read": cached}
        rows.append(row(name, prompt, completion, request="0", **more))
    return {"data": [row("openrouter/auto", "-1", "-1", request="-1"), *rows]}


@pytest.fixture(autouse=True)
def nothing_is_used_afterwards(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in [name for name in os.environ if name.upper().endswith("_PROXY")]:
        monkeypatch.delenv(name)
    yield
    openrouter_prices.use(None)


def nowhere() -> str:
    """An address on loopback at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}/models"


def test_ten_ids_cost_what_the_list_says(tmp_path: Path) -> None:
    with HostileModels(said(as_listed())) as server:
        openrouter_prices.use(OpenRouterPrices(tmp_path, server.base_url))
        assert len(LISTED) == 10
        for name, listed in LISTED.items():
            price = price_of(f"openrouter/{name}")
            assert price is not None
            assert price.source == "openrouter"
            figures = (price.input, price.output, price.cached)
            # Dollars per million, as the doctor shows them.
            assert [None if d is None else round(d * 1e6, 6) for d in figures] == [
                None if text is None else float(Decimal(text) * 10**6) for text in listed
            ]
        assert server.requests == 1


def test_an_id_that_is_not_listed_is_never_priced_by_another_provider(tmp_path: Path) -> None:
    elsewhere = ["x-ai/grok-4.1-fast", "openai/gpt-oss-120b", "qwen/qwen3-235b-a22b-2507"]
    for name in elsewhere:
        assert target_price(f"elsewhere/{name}", None, None) is not None  # others do sell it
        assert price_of(f"openrouter/{name}") is None
    with HostileModels(said({"data": [row("a/b", "0.1", "0.1")]})) as server:
        openrouter_prices.use(OpenRouterPrices(tmp_path, server.base_url))
        for name in [*elsewhere, "openai/gpt-oss-120b:nitro", "auto", "openrouter/auto"]:
            assert price_of(f"openrouter/{name}") is None
            assert target_price(f"openai/{name}", None, "https://openrouter.ai/api/v1") is None


def test_other_providers_do_not_ask_openrouter(tmp_path: Path) -> None:
    with HostileModels(said(as_listed())) as server:
        openrouter_prices.use(OpenRouterPrices(tmp_path, server.base_url))
        for model in ("nebius/openai/gpt-oss-120b", "openai/gpt-4o", "playbook/store", "a/none"):
            price_of(model)
        assert server.requests == 0


def test_a_configured_price_goes_first_and_sends_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    path.write_text('[models."openrouter/*"]\nprices = { input = 2, output = 4 }\n')
    with HostileModels(said(as_listed())) as server:
        openrouter_prices.use(OpenRouterPrices(tmp_path, server.base_url))
        price = price_of("openrouter/openai/gpt-4o", load_models(path))
        assert price is not None
        assert price.source == "configuration"
        assert server.requests == 0


def test_what_openrouter_bills_goes_before_its_list_and_the_list_before_litellms_count(
    tmp_path: Path,
) -> None:
    (target,) = load_models().settings("openrouter/openai/gpt-4o", "worker").targets
    usage = Usage(prompt=1_000_000, completion=100_000, cached=400_000)
    billed = Reply(text="x", usage=usage, cost_usd=7.0, price_source="provider")
    counted = Reply(text="x", usage=usage, cost_usd=99.0, price_source="litellm")
    assert dollars(target, counted) == (None, None)
    with HostileModels(said(as_listed())) as server:
        openrouter_prices.use(OpenRouterPrices(tmp_path, server.base_url))
        assert dollars(target, billed) == (7.0, "provider")
        cost, source = dollars(target, counted)
    assert source == "openrouter"
    assert cost == pytest.approx(0.6 * 2.5 + 0.4 * 1.25 + 0.1 * 10)


def test_a_fee_for_each_request_is_counted() -> None:
    prices = read_prices(json.dumps({"data": [row("p/q", "0", "0", request="0.005")]}).encode())
    openrouter_prices.use(_fixed(prices))
    price = price_of("openrouter/p/q")
    assert price is not None
    assert price.of(Usage(prompt=10, completion=10)) == 0.005


def _fixed(prices: dict[str, UnitPrice]) -> OpenRouterPrices:
    listing = OpenRouterPrices(None, None)
    listing._is_loaded, listing._known = True, PriceList(fetched=0, prices=prices)
    return listing


def test_a_fresh_list_in_the_cache_is_not_asked_for_again(tmp_path: Path) -> None:
    now = 1_800_000_000.0
    with HostileModels(said(as_listed())) as server:
        for later in (0, 1, FRESH_SECONDS - 1):
            listing = OpenRouterPrices(tmp_path, server.base_url, clock=lambda at=now + later: at)
            assert listing.price("openai/gpt-4o") is not None
            assert listing.problem == ""
        assert server.requests == 1
        old = OpenRouterPrices(tmp_path, server.base_url, clock=lambda: now + FRESH_SECONDS)
        assert old.price("openai/gpt-4o") is not None
        assert server.requests == 2
        ahead = OpenRouterPrices(tmp_path, server.base_url, clock=lambda: now - 10)
        assert ahead.price("openai/gpt-4o") is not None
        assert server.requests == 3  # a list from the future is of no known age


def test_offline_the_cache_serves_however_old_and_says_so_in_one_line(tmp_path: Path) -> None:
    with HostileModels(said(as_listed())) as server:
        then = OpenRouterPrices(tmp_path, server.base_url, clock=lambda: 0.0)
        assert then.price("z-ai/glm-4.6")
    offline = OpenRouterPrices(tmp_path, nowhere())
    assert offline.problem == ""
    assert offline.price("z-ai/glm-4.6") is not None
    assert offline.problem == (
        "OpenRouter's list of models: cannot be reached (ConnectError); "
        "using the prices of 1970-01-01"
    )


def test_with_neither_list_nor_cache_the_price_is_unknown(tmp_path: Path) -> None:
    offline = OpenRouterPrices(tmp_path, nowhere())
    assert offline.price("z-ai/glm-4.6") is None
    assert offline.problem.endswith("cannot be reached (ConnectError); no price is known")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"format":"openrouter-prices/1"}'])
def test_a_damaged_cache_is_as_none(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "prices" / "openrouter.json"
    file.parent.mkdir()
    file.write_bytes(content)
    assert OpenRouterPrices(tmp_path, None).price("openai/gpt-4o") is None
    with HostileModels(said(as_listed())) as server:
        assert OpenRouterPrices(tmp_path, server.base_url).price("openai/gpt-4o") is not None
    content_now = read_kept(file)
    assert content_now is not None
    assert len(PriceList.model_validate_json(content_now).prices) == 10


BAD = {
    "refused": answer(b"{}", status="503 Service Unavailable"),
    "a page": answer(b"<html>busy</html>"),
    "no list": said({"data": "none"}),
    "other rows": said({"data": [1, None, {}, {"id": 3}, {"id": "a", "pricing": []}]}),
    "deep": answer(b"[" * DEEP),
    **FLOODS,
}


@pytest.mark.parametrize("name", list(BAD))
def test_an_answer_that_is_no_list_of_prices_is_one_line(tmp_path: Path, name: str) -> None:
    with HostileModels(BAD[name]) as server:
        listing = OpenRouterPrices(tmp_path, server.base_url)
        assert listing.price("openai/gpt-4o") is None
        assert listing.problem.startswith("OpenRouter's list of models: ")
        assert "\n" not in listing.problem
    assert not (tmp_path / "prices").exists()


@pytest.mark.parametrize("name", list(DRIBBLES))
def test_nobody_waits_longer_than_the_limit(tmp_path: Path, name: str) -> None:
    with HostileModels(DRIBBLES[name]) as server:
        listing = OpenRouterPrices(tmp_path, server.base_url, wait_seconds=0.3)
        began = time.monotonic()
        assert listing.price("openai/gpt-4o") is None
        assert listing.price("openai/gpt-4o") is None
        assert time.monotonic() - began < 60
        assert listing.problem


def test_many_threads_ask_once(tmp_path: Path) -> None:
    held = threading.Event()

    def send() -> Iterator[bytes]:
        held.wait(60)
        return said(as_listed())()

    with HostileModels(send) as server, ThreadPoolExecutor(8) as pool:
        listing = OpenRouterPrices(tmp_path, server.base_url)
        futures = [pool.submit(listing.price, "openai/gpt-4o") for _ in range(8)]
        held.set()
        assert len({one.result() for one in futures} - {None}) == 1
        assert server.requests == 1


@given(
    st.one_of(
        st.text("0159.eE+-naif ", max_size=12), st.floats(), st.integers(), st.booleans(), st.none()
    )
)
def test_a_price_is_a_figure_within_bounds_or_unknown(figure: object) -> None:
    content = json.dumps({"data": [row("a/b", figure, "0"), row("c/d", "0", "0")]})
    price = read_prices(content.encode("utf-8", "replace")).get("a/b")
    assert price is None or 0 <= price.input <= MOST_DOLLARS


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    with suppress(ListUnusable):
        assert read_prices(content)


@pytest.mark.parametrize(
    ("model", "base_url", "expected"),
    [
        ("openrouter/openai/gpt-4o", None, "openai/gpt-4o"),
        ("openai/x-ai/grok-4", "https://openrouter.ai/api/v1", "x-ai/grok-4"),
        ("openai/x-ai/grok-4", "https://openrouter.ai.example/api/v1", None),
        ("openai/gpt-4o", "http://[", None),
        ("openai/gpt-4o", None, None),
    ],
)
def test_openrouter_is_known_by_prefix_or_host(
    model: str, base_url: str | None, expected: str | None
) -> None:
    assert openrouter_id(model, base_url) == expected
