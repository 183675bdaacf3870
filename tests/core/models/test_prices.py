"""Prices: configured, listed, and like the same model at OpenRouter."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from core.models import price_lists, prices
from core.models.kept_files import cache_folder
from core.models.model_call import Reply, Usage
from core.models.models_file import load_models
from core.models.price_lists import Price, name_parts
from core.models.prices import (
    dollars,
    price_of,
    refresh_prices,
    target_price,
    tells_cost,
)

SAME = [
    ("Qwen/Qwen3-235B-A22B-Instruct-2507-FP8", "qwen/qwen3-235b-a22b-2507"),
    ("lemonade/gpt-oss-120b-mxfp-GGUF", "vertex_ai/openai/gpt-oss-120b-maas"),
    ("x/gemma-3-27b-it", "google/gemma-3-27b"),
]
OTHER = [
    ("openai/gpt-oss-20b", "openai/gpt-oss-120b"),
    ("qwen3-30b-a3b", "qwen3-235b-a22b"),
    ("qwen3-235b-a22b", "qwen3.5-235b-a22b"),
    ("qwen3-235b-a22b", "qwen3-235b-a22b-2507"),
    ("qwen3-235b-a22b-2507", "qwen3-235b-a22b-thinking-2507"),
    ("gpt-4o", "gpt-4o-mini"),
    ("gpt-5-mini", "gpt-5-nano"),
    ("gpt-3.5-turbo", "gpt-3.5-turbo-instruct"),
    ("gpt-4", "gpt-4-turbo"),
    ("qwen3-coder-30b-a3b", "qwen3-30b-a3b"),
    ("qwen3-vl-235b-a22b", "qwen3-235b-a22b"),
    ("gpt-oss-120b", "gpt-oss-safeguard-120b"),
    ("gpt-oss-120b", "deepinfra/openai/gpt-oss-120b-Turbo"),
    ("gpt-oss-20b", "gpt-oss-20b:free"),
    ("deepseek-v3", "deepseek-v3.1"),
    ("llama-2-70b", "llama-2-70b-chat"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_model_has_one_name(one: str, other: str) -> None:
    assert name_parts(one) == name_parts(other) != ()


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_other_models_are_not_mixed(one: str, other: str) -> None:
    assert name_parts(one) != name_parts(other)


def test_a_known_id_has_the_price_of_the_map() -> None:
    price = price_of("nebius/openai/gpt-oss-120b")
    assert price == Price(1.5e-7, 6e-7, None, "litellm")
    openai = price_of("openai/gpt-4o")
    assert openai is not None
    assert (openai.source, openai.cached) == ("litellm", 1.25e-6)


@pytest.mark.parametrize(
    "model",
    [
        "nebius/Qwen/Qwen3-235B-A22B-Instruct-2507-FP8",
        "gonka/Qwen/Qwen3-235B-A22B-Instruct-2507-FP8",
    ],
)
def test_an_unknown_id_is_like_the_same_model_at_openrouter(model: str) -> None:
    price = price_of(model)
    assert price is not None
    assert price.source == "like openrouter/qwen/qwen3-235b-a22b-2507"
    assert 0 < price.input < price.output < 1e-4


@pytest.mark.parametrize(
    "named",
    ["openrouter/openai/gpt-oss-20b", "OpenAI/GPT-OSS-20B", "gpt-oss 20b", "openai GPT OSS (20B)"],
)
def test_calls_of_gonka_are_counted_by_the_model_that_is_named_for_it(
    named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(prices.PRICING_VARIABLE, named)
    price = price_of("gonka/some/model")
    assert price is not None
    assert price.source == "like openrouter/openai/gpt-oss-20b"
    for unknown in ("nobody/knows-it", "gpt-oss-77b", "x"):
        monkeypatch.setenv(prices.PRICING_VARIABLE, unknown)
        assert price_of("gonka/openai/gpt-oss-20b") is None


def test_a_server_of_ones_own_is_only_like_a_provider() -> None:
    price = target_price("openai/gpt-4o", None, "http://127.0.0.1/v1")
    assert price is not None
    assert price.source == "like gpt-4o"


def test_a_configured_price_goes_first(tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    path.write_text(
        '[models."nebius/*"]\nprices = { input = 2, output = 4, cached = 0.5 }\n', encoding="utf-8"
    )
    price = price_of("nebius/openai/gpt-oss-120b", load_models(path))
    assert price is not None
    assert price.source == "configuration"
    usage = Usage(prompt=1_000_000, completion=500_000, cached=400_000)
    assert price.of(usage) == pytest.approx(0.6 * 2 + 0.4 * 0.5 + 0.5 * 4)


def test_dollars_of_tokens() -> None:
    price = Price(2e-6, 4e-6, None, "configuration")
    assert price.of(Usage(prompt=10, completion=5, cached=8)) == pytest.approx(40e-6)
    assert price.of(Usage(prompt=10, completion=None)) is None
    assert price.of(Usage()) is None
    with_cache = Price(2e-6, 4e-6, 1e-6, "configuration")
    assert with_cache.of(Usage(prompt=10, completion=5, cached=8)) == pytest.approx(32e-6)
    assert with_cache.of(Usage(prompt=10, completion=5)) == pytest.approx(40e-6)


def test_an_id_of_openrouter_has_its_own_price_and_never_that_of_another_provider() -> None:
    expected = price_lists.listed_price("openai/gpt-oss-120b")
    for model, base_url in (
        ("openrouter/openai/gpt-oss-120b", None),
        ("openai/openai/gpt-oss-120b", "https://openrouter.ai/api/v1"),
    ):
        price = target_price(model, None, base_url)
        assert price == expected
        assert price is not None
        assert price.source == "openrouter"
    assert target_price("elsewhere/openai/gpt-oss-120b", None, None) is not None
    assert price_of("openrouter/elsewhere/gpt-oss-120b") is None


def test_the_cost_that_openrouter_states_goes_before_any_count() -> None:
    (target,) = load_models().settings("openrouter/openai/gpt-oss-120b", "worker").targets
    usage = Usage(prompt=1_000_000, completion=100_000)
    stated = Reply(text="x", usage=usage, cost_usd=7.0, price_source="provider")
    counted = Reply(text="x", usage=usage, cost_usd=99.0, price_source="litellm")
    price = price_of("openrouter/openai/gpt-oss-120b")
    assert price is not None
    assert dollars(target, stated) == (7.0, "provider")
    assert dollars(target, counted) == (price.of(usage), "openrouter")


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("openrouter/x-ai/grok-4.1-fast", True),
        ("nebius/openai/gpt-oss-120b", True),
        ("nebius/nobody/knows-it", False),
    ],
)
def test_the_cost_of_a_call_is_told_by_a_price_or_by_openrouter(model: str, told: bool) -> None:
    (target,) = load_models().settings(model, "worker").targets
    assert tells_cost(target) is told


Serve = Callable[[object], list[str]]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Serve]:
    """Serves a list of models in OpenRouter's place; returns the paths that were asked for."""
    servers: list[ThreadingHTTPServer] = []

    def start(body: object) -> list[str]:
        asked: list[str] = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                assert "authorization" not in self.headers
                content = json.dumps(body).encode()
                self.send_response(200)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *args: object) -> None:
                pass

        servers.append(ThreadingHTTPServer(("127.0.0.1", 0), Handler))
        Thread(target=servers[-1].serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{servers[-1].server_port}/api/v1"
        monkeypatch.setenv(price_lists.ADDRESS_VARIABLE, url)
        return asked

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-1b5b2e66dd77ac0e")
    forget()
    yield start
    for server in servers:
        server.shutdown()
        server.server_close()
    forget()


def forget() -> None:
    price_lists._kept.cache_clear()
    price_lists.find_like.cache_clear()


def entry(id: str, prompt: str, completion: str) -> dict[str, object]:
    return {"id": id, "name": "N", "pricing": {"prompt": prompt, "completion": completion}}


def kept_list() -> Path:
    folder = cache_folder()
    assert folder is not None
    return folder / "prices" / "openrouter.json"


def test_the_list_of_openrouter_is_fetched_once_a_day_and_holds_for_its_ids_and_likenesses(
    serve: Serve,
) -> None:
    listed = [
        entry("new/model-7b", "0.000001", "0.000002"),
        entry("router/auto-1", "-1", "-1"),
        {"id": "odd"},
    ]
    asked = serve({"data": listed})
    targets = load_models().settings("openrouter/new/model-7b", "worker").targets
    refresh_prices(targets)
    refresh_prices(targets)
    assert asked == ["/api/v1/models"]
    assert price_of("openrouter/new/model-7b") == Price(1e-6, 2e-6, None, "openrouter")
    like = price_of("elsewhere/Model-7B-Instruct-FP8")
    assert like == Price(1e-6, 2e-6, None, "like openrouter/new/model-7b")
    assert price_of("openrouter/router/auto-1") is None
    old = time.time() - price_lists.FRESH_SECONDS - 60
    os.utime(kept_list(), (old, old))
    forget()
    assert price_of("openrouter/new/model-7b") is None, "an old list is not used"
    refresh_prices(targets)
    assert len(asked) == 2


@pytest.mark.parametrize(
    "body", ["no list", {"data": [{"id": 7}]}, {"data": None}, {"data": []}, []]
)
def test_a_list_that_cannot_be_used_leaves_the_shipped_prices(body: object, serve: Serve) -> None:
    shipped = price_of("openrouter/openai/gpt-oss-120b")
    serve(body)
    assert not price_lists.refresh()
    assert price_of("openrouter/openai/gpt-oss-120b") == shipped
    kept_list().parent.mkdir(parents=True)
    kept_list().write_text("half a li", encoding="utf-8")
    forget()
    assert price_of("openrouter/openai/gpt-oss-120b") == shipped


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", "http://[", "no address", "ftp://x"])
def test_an_address_where_nobody_answers_is_no_error(
    address: str, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(price_lists.ADDRESS_VARIABLE, address)
    assert not price_lists.refresh()


def test_a_server_that_says_nothing_is_not_waited_for(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(price_lists, "TIMEOUT_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        monkeypatch.setenv(price_lists.ADDRESS_VARIABLE, url)
        began = time.monotonic()
        assert not price_lists.refresh()
    assert time.monotonic() - began < 2


@pytest.mark.parametrize("model", ["scripted/store", "nebius/openai/gpt-oss-120b"])
def test_no_list_is_fetched_for_a_price_that_is_known(model: str, serve: Serve) -> None:
    asked = serve({"data": []})
    refresh_prices(load_models().settings(model, "worker").targets)
    refresh_prices(load_models().settings("openai/x", "worker", "http://127.0.0.1:1/v1").targets)
    assert asked == []
