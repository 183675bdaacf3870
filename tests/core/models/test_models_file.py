"""The models file: what is shipped, what a user lays over it, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.models.models_file import Models, ModelsError, load_models, slug_of

Write = Callable[[str], Models]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def make(text: str) -> Models:
        path = tmp_path / "mine.toml"
        path.write_text(text, encoding="utf-8")
        return load_models(path)

    return make


def params(models: Models, model: str, role: Any = "worker") -> dict[str, Any]:
    return models.settings(model, role).targets[0].params


def test_the_shipped_file_works_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MODELS_FILE", raising=False)
    models = load_models()
    settings = models.settings("openai/some-model", "worker")
    (target,) = settings.targets
    assert target.params == {"temperature": 0.0, "max_tokens": 6000}
    assert (target.timeout_seconds, target.attempts, settings.deadline_seconds) == (120, 3, 300)
    assert (target.backend.name, target.backend.key_variable) == ("openai/some-model", None)


def test_the_reference_has_two_backends_with_the_settings_of_their_model() -> None:
    first, second = load_models().settings("reference", "evaluator").targets
    assert first.backend.model == "nebius/openai/gpt-oss-120b"
    assert (first.backend.key_variable, second.backend.key_variable) == (
        "NEBIUS_API_KEY",
        "OPENROUTER_API_KEY",
    )
    for target in (first, second):
        assert target.params["reasoning_effort"] == "medium"
        assert target.slug == "openai/gpt-oss-120b"


def test_a_users_file_is_found_by_its_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "named.toml"
    path.write_text("[defaults]\nmax_tokens = 77\n", encoding="utf-8")
    monkeypatch.setenv("MODELS_FILE", str(path))
    models = load_models()
    assert params(models, "openai/x") == {"temperature": 0.0, "max_tokens": 77}
    assert params(models, "openai/gpt-oss-20b")["max_tokens"] == 8000


def test_the_more_special_wins_value_by_value(write: Write) -> None:
    models = write("""
[models."a/*"]
temperature = 0.1
top_p = 0.1
max_tokens = 1
[models."A/long*"]
top_p = 0.2
max_tokens = 2
worker = { max_tokens = 20, temperature = 1.5 }
[models."a/longest"]
max_tokens = 3
evaluator = { max_tokens = 30 }
""")
    assert params(models, "a/x") == {"temperature": 0.1, "top_p": 0.1, "max_tokens": 1}
    worker = {"temperature": 1.5, "top_p": 0.2, "max_tokens": 20}
    assert params(models, "a/longest") == worker
    evaluator = {"temperature": 0.1, "top_p": 0.2, "max_tokens": 30}
    assert params(models, "a/longest", "evaluator") == evaluator


def test_a_name_goes_over_the_ids_that_serve_it(write: Write) -> None:
    models = write("""
[models.mine]
max_tokens = 5
deadline_seconds = 9
backends = [
    { model = "openai/gpt-oss-20b", base_url = "http://one/v1" },
    { name = "two", model = "openai/other", prices = { input = 1, output = 2 } },
]
[models."openai/gpt-oss-20b"]
max_tokens = 6
top_p = 0.5
""")
    settings = models.settings("mine", "worker")
    one, two = settings.targets
    assert settings.deadline_seconds == 9
    assert (one.backend.name, one.backend.base_url) == ("openai/gpt-oss-20b", "http://one/v1")
    assert one.params == {
        "temperature": 0.0, "max_tokens": 5, "top_p": 0.5, "reasoning_effort": "medium",
    }  # fmt: skip
    assert two.params == {"temperature": 0.0, "max_tokens": 5}
    assert (one.prices, two.prices and two.prices.output) == (None, 2)


def test_what_is_to_be_left_out_is_not_sent(write: Write) -> None:
    models = write('[models."openai/o3"]\nleave_out = ["temperature"]\nextra = { seed = 7 }\n')
    assert params(models, "openai/o3") == {"max_tokens": 6000, "seed": 7}


def test_a_base_url_is_for_ids_without_backends(write: Write) -> None:
    models = write("")
    (target,) = models.settings("openai/x", "worker", "http://here/v1").targets
    assert target.backend.base_url == "http://here/v1"
    assert (
        models.settings("scripted/store", "worker", "http://x").targets[0].backend.base_url is None
    )
    with pytest.raises(ModelsError, match="has its own backends"):
        models.settings("reference", "worker", "http://here/v1")


def test_backends_of_a_model_are_shared(write: Write) -> None:
    models = write("")
    assert models.backends("reference") is models.backends("reference")
    assert models.backends("reference").names == ("nebius", "openrouter")
    assert models.backends("openai/x", "http://a") is not models.backends("openai/x", "http://b")


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[models", "is not valid TOML"),
        ("x = " + "9" * 5_000, "is not valid TOML"),
        ("x = " + "[" * 20_000, "is nested too deeply"),
        ("a." * 40_000 + "b = 1", "is nested too deeply"),
        ("[models]\nx = {" + "'a' . \"b\"." * 9_000 + "c = 1}", "is nested too deeply"),
        ("# " + "x" * 200_000, "is larger than 200,000 bytes"),
        ("[default]\n", "default: there is no such key; .*defaults"),
        ("[defaults]\ntemprature = 1", "defaults.temprature: .*temperature"),
        ("[defaults]\nzzz = 1", r"defaults\.zzz: there is no such key"),
        ("[defaults]\ntemperature = 3", "defaults.temperature: .* less than or equal to 2, not 3"),
        ("[defaults]\nattempts = 0", "defaults.attempts: .* greater than or equal to 1"),
        ("[models.x]\nprice = {}", "models.x.price: .*prices"),
        ("[models.x]\nprices = { input = 1 }", "models.x.prices.output: Field required"),
        (
            "[models.x]\nprices = { input = 1, output = 2, cache = 1 }",
            "cache: there is no such key; .*cached",
        ),
        ("[models.x]\nbackends = []", "models.x.backends: .* at least 1 item"),
        ("[models.x]\nbackends = [{ model = 'a', base = 'b' }]", "backends.0.base: there is no"),
        ("[models.x]\nbackends = [{ model = 'a' }, { model = 'a' }]", "is given twice"),
        ("[models.'a/*'.worker]\nslug = 'x'", "worker.slug: there is no such key"),
        ("[models]\nx = 3", "models.x: .*, not 3"),
    ],
)
def test_what_is_wrong_is_named(write: Write, text: str, words: str) -> None:
    with pytest.raises(ModelsError, match=words) as caught:
        write(text)
    assert "mine.toml: " in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("model", "slug"),
    [
        ("nebius/openai/gpt-oss-120b", "openai/gpt-oss-120b"),
        ("openrouter/openai/gpt-4o-mini", "openai/gpt-4o-mini"),
        ("openai/gpt-4o", "openai/gpt-4o"),
        ("gpt-4o", "openai/gpt-4o"),
        ("cerebras/gpt-oss-120b", "openai/gpt-oss-120b"),
        ("openai/Qwen3-8B-FP8", "qwen/qwen3-8b"),
        ("nebius/meta-llama/Llama-3.3-70B-Instruct", "meta-llama/llama-3.3-70b-instruct"),
        ("anthropic/claude-sonnet-4", "anthropic/claude-sonnet-4"),
        ("openai/my-own", "openai/my-own"),
        ("scripted/store", "scripted/store"),
    ],
)
def test_slugs(model: str, slug: str) -> None:
    assert slug_of(model) == slug


def test_a_slug_of_the_file_goes_first(write: Write) -> None:
    models = write('[models."openai/my-own"]\nslug = "vendor/own"\n')
    assert models.settings("openai/my-own", "worker").targets[0].slug == "vendor/own"
    qwen = models.settings("nebius/Qwen/Qwen3-235B-A22B-Instruct-2507-FP8", "worker").targets[0]
    assert qwen.slug == "qwen/qwen3-235b-a22b-2507"
