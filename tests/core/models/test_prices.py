"""Prices: configured, of the bundled map, and like the same model elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.models.model_call import Reply, Usage
from core.models.models_file import load_models
from core.models.prices import (
    Price,
    _by_name,
    canonical,
    dollars,
    like,
    openrouter_id,
    price_map,
    price_of,
    target_price,
    tells_cost,
)

SAME = [
    ("Qwen/Qwen3-235B-A22B-Instruct-2507-FP8", "qwen/qwen3-235b-a22b-2507"),
    ("nebius/openai/gpt-oss-120b", "openai.gpt-oss-120b-1:0"),
    ("databricks/databricks-gpt-oss-120b", "cloudflare/@cf/openai/gpt-oss-120b"),
    ("lemonade/gpt-oss-120b-mxfp-GGUF", "vertex_ai/openai/gpt-oss-120b-maas"),
    ("accounts/fireworks/models/llama-v3p1-70b-instruct", "meta-llama/Meta-Llama-3.1-70B-Instruct"),
    ("qwen.qwen3-235b-a22b-2507-v1:0", "qwen3-235b-a22b-instruct-2507"),
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
    assert canonical(one) == canonical(other) != ()


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_other_models_are_not_mixed(one: str, other: str) -> None:
    assert canonical(one) != canonical(other)


def test_no_likeness_mixes_sizes_or_forms() -> None:
    """Over the whole map: ids of one name have the same sizes and the same telling words."""
    words = ("mini", "nano", "turbo", "thinking", "coder", "vision", "vl", "lite", "flash", "pro")
    for ids in _by_name().values():
        for word in words:
            assert len({word in _words(i) for i in ids}) == 1, (word, ids)


def _words(model: str) -> set[str]:
    return set(model.casefold().rsplit("/", 1)[-1].replace(".", "-").split("-"))


def test_a_known_id_has_the_price_of_the_map() -> None:
    price = price_of("nebius/openai/gpt-oss-120b")
    assert price == Price(1.5e-7, 6e-7, None, "litellm")
    openai = price_of("openai/gpt-4o")
    assert openai is not None
    assert (openai.source, openai.cached) == ("litellm", 1.25e-6)


def test_an_unknown_id_is_like_the_same_model_elsewhere() -> None:
    model = "nebius/Qwen/Qwen3-235B-A22B-Instruct-2507-FP8"
    price = price_of(model)
    assert price is not None
    assert price.source == "like nebius/Qwen/Qwen3-235B-A22B-Instruct-2507"
    elsewhere = price_of("deepinfra/qwen/qwen3-235b-a22b-2507")
    assert elsewhere is not None
    assert elsewhere.source.startswith("like ")
    assert canonical(elsewhere.source.removeprefix("like ")) == canonical(model)


def test_a_likeness_is_the_middle_of_the_prices() -> None:
    likeness = like("elsewhere/openai/gpt-oss-120b")
    assert likeness is not None
    ids = _by_name()[canonical("gpt-oss-120b")]
    paid = sorted(price_map()[i]["input_cost_per_token"] for i in ids)
    assert price_map()[likeness]["input_cost_per_token"] == paid[len(paid) // 2]


def test_a_server_of_ones_own_is_only_like_a_provider() -> None:
    price = target_price("openai/gpt-4o", None, "http://127.0.0.1/v1")
    assert price is not None
    assert price.source == "like gpt-4o"


@pytest.mark.parametrize("model", ["openai/my-own", "openrouter/openai/gpt-oss-20b:free", "none"])
def test_what_is_not_known_has_no_price(model: str) -> None:
    assert price_of(model) is None


def test_ours_cost_nothing() -> None:
    price = price_of("scripted/store")
    assert price is not None
    assert price.of(Usage(prompt=1000, completion=10)) == 0


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


def test_an_id_of_openrouter_is_never_priced_by_another_provider() -> None:
    for name in ("x-ai/grok-4.1-fast", "qwen/qwen3-235b-a22b-2507"):
        assert target_price(f"elsewhere/{name}", None, None) is not None  # others do sell it
        assert price_of(f"openrouter/{name}") is None
        assert target_price(f"openai/{name}", None, "https://openrouter.ai/api/v1") is None


def test_the_cost_that_openrouter_states_goes_before_any_count() -> None:
    (target,) = load_models().settings("openrouter/x-ai/grok-4.1-fast", "worker").targets
    usage = Usage(prompt=1_000_000, completion=100_000)
    stated = Reply(text="x", usage=usage, cost_usd=7.0, price_source="provider")
    counted = Reply(text="x", usage=usage, cost_usd=99.0, price_source="litellm")
    assert dollars(target, stated) == (7.0, "provider")
    assert dollars(target, counted) == (None, None)


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
