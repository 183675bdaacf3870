"""Secrets never come through, and ordinary text does."""

from __future__ import annotations

import base64
import json
import time
from urllib.parse import quote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.models.redact import MASK, redact, remember

SECRET = 'p/a+n t"ed&Secret=0123'
PLAIN = [
    "Basic wireless mouse, 2x",
    "key-embedded",
    "key-chain-2pack",
    "the bearer of this",
    "password: none",
    "task-list sku-12345678",
    "Combo_Set_Basket_For_Items(items=[{'sku': 'gpu-h100', 'quantity': 2}])",
    "tokens: 12345678 prompt, total_tokens=99999999",
    "a" * 64,
]


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_PROVIDER_API_KEY", SECRET)


@pytest.mark.promise("no secret in an output")
@pytest.mark.usefixtures("planted")
@pytest.mark.parametrize(
    "form",
    [
        SECRET,
        f"before{SECRET}after",
        quote(SECRET, safe=""),
        quote(SECRET),
        json.dumps({"x": SECRET}),
        base64.b64encode(SECRET.encode()).decode(),
        base64.urlsafe_b64encode(SECRET.encode()).decode(),
        base64.b64encode(f"user:{SECRET}".encode()).decode(),
        base64.b64encode(f"{SECRET}:x".encode()).decode(),
    ],
)
def test_a_secret_of_the_environment_is_masked_in_every_form(form: str) -> None:
    masked = redact(f"it is {form} here")
    assert MASK in masked
    assert SECRET not in masked
    assert "0123" not in masked
    assert base64.b64encode(SECRET.encode()).decode()[4:-4] not in masked


@pytest.mark.promise("no secret in an output")
@pytest.mark.parametrize("name", ["A_KEY", "b_token", "CLIENT_SECRET", "DB_PASSWORD"])
def test_variables_are_known_by_their_names(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "correct horse")
    assert redact("say correct horse") == f"say {MASK}"
    monkeypatch.setenv(name, "other horse")
    assert redact("correct horse, other horse") == f"correct horse, {MASK}"


def test_short_values_and_other_variables_are_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHORT_KEY", "tea")
    monkeypatch.setenv("A_WORD", "green tea pot")
    monkeypatch.setenv("ERC3_API_KEY", "key-embedded")
    text = "tea, green tea pot, key-embedded"
    assert redact(text) == text


@pytest.mark.promise("no secret in an output")
def test_what_is_remembered_is_masked() -> None:
    remember("remembered-0815")
    remember("short")
    assert redact("remembered-0815 is short") == f"{MASK} is short"


@pytest.mark.promise("no secret in an output")
@pytest.mark.parametrize(
    "text",
    [
        "sk-abcdefgh",
        "sk-proj-AbC_123-456789",
        "Authorization: Bearer abcDEF123456",
        '{"api_key": "abcDEF123456"}',
        "api_key=abcDEF123456&x=1",
        "OPENAI_API_KEY=abcDEF123456",
        "key-0a1b2c3d4e",
        "gsk_abcDEF1234567890",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc",
    ],
)
def test_what_looks_like_a_secret_is_masked(text: str) -> None:
    masked = redact(f"<{text}>")
    assert MASK in masked
    assert "abcDEF" not in masked
    assert "sk-" not in masked
    assert "0a1b2c3d4e" not in masked


@pytest.mark.parametrize("text", PLAIN)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert redact(text) == text


@pytest.mark.promise("no secret in an output")
@given(st.text(min_size=8, max_size=40), st.text(max_size=20), st.text(max_size=20))
def test_no_secret_survives(secret: str, before: str, after: str) -> None:
    assume("\0" not in secret and not set(secret) <= set(MASK))
    with pytest.MonkeyPatch.context() as patch:
        try:
            patch.setenv("HIDDEN_KEY", secret)
        except (UnicodeEncodeError, ValueError):
            assume(False)
        assert secret not in redact(before + secret + after).replace(MASK, "\0")


@pytest.mark.promise("what comes from outside is bounded")
def test_long_texts_take_little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        monkeypatch.setenv(f"N{number}_KEY", f"value-{number}-0123456789")
    text = "Combo_List_All_Products() -> {'sku': 'tea', 'price': 4}\n" * 4000
    redact(text)
    began = time.process_time()
    redact(text)
    assert time.process_time() - began < 5, "220,000 characters"
