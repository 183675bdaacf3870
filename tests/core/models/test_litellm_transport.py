"""One attempt through LiteLLM over real HTTP: what comes back, and what each fault is called."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from core.models.litellm_transport import LiteLLMTransport, TooLate, failure_of, within
from core.models.model_call import ExchangeFailed, Reply, Request, Usage
from core.models.models_file import Backend
from tests.kit.fake_openai import FakeOpenAI
from tests.kit.fake_openai_faults import always

Server = Callable[..., FakeOpenAI]
KEY = "sk-planted-for-the-test-0123456789"
ASK = ({"role": "system", "content": "s" * 400}, {"role": "user", "content": "hello there"})
KINDS: dict[str, tuple[str, int | None]] = {
    "401": ("authentication", 401),
    "402": ("quota", 402),
    "403": ("forbidden", 403),
    "404": ("not_found", 404),
    "429": ("rate_limit", 429),
    "429-after": ("rate_limit", 429),
    "429-quota": ("quota", 429),
    "500": ("overload", 500),
    "502": ("overload", 502),
    "503": ("overload", 503),
    "529": ("overload", 529),
    "400": ("bad_request", 400),
    "context-openai": ("context_window", 400),
    "context-vllm": ("context_window", 400),
    "context-llamacpp": ("context_window", 400),
    "html": ("bad_answer", 200),
    "empty-body": ("bad_answer", 200),
    "no-json": ("bad_answer", 200),
    "no-choices": ("bad_answer", 200),
    "no-choices-billed": ("bad_answer", 200),
    "drop": ("network", None),
    "400-quoting": ("bad_request", 400),
    "503-quoting": ("overload", 503),
    "choices-null": ("bad_answer", 200),
    "choice-null": ("bad_answer", 200),
    "no-object": ("bad_answer", 200),
}
UNBILLED = {k for k, (kind, _) in KINDS.items() if kind not in ("bad_answer", "network")}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def echo(_model: str, messages: list[dict[str, str]]) -> str:
    return f"you said {messages[-1]['content']}"


def send(base_url: str, model: str = "openai/fake-large", **fields: Any) -> Reply:
    params = fields.pop("params", {"max_tokens": 9})
    timeout = fields.pop("timeout", 20.0)
    backend = Backend(name="b", model=model, base_url=base_url, **fields)
    request = Request(model=model, messages=ASK, params=params)
    return LiteLLMTransport(backend).send(request, timeout)


def test_a_reply_has_text_usage_and_the_name_of_the_model(model_server: Server) -> None:
    server = model_server(echo)
    reply = send(server.base_url)
    assert (reply.text, reply.finish_reason) == ("you said hello there", "stop")
    billed = server.billed
    assert reply.usage == Usage(
        prompt=billed.prompt, completion=billed.completion, cached=billed.cached, reasoning=0
    )
    assert billed.cached > 0
    assert reply.answered_by == "fake-large"
    (ask,) = server.seen
    assert (ask.key, ask.body["max_tokens"]) == (KEY, 9)
    assert "stop" not in ask.body


def test_a_price_of_the_map_is_not_that_of_an_own_server(model_server: Server) -> None:
    reply = send(model_server(echo).base_url, "nebius/openai/gpt-oss-120b", key_variable="X_KEY")
    assert (reply.cost_usd, reply.price_source) == (None, None)


@pytest.fixture
def x_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("X_KEY", "another-key")


pytestmark = pytest.mark.usefixtures("x_key")


@pytest.mark.parametrize("model", ["openai/m", "nebius/openai/gpt-oss-120b"])
def test_reasoning_effort_arrives(model_server: Server, model: str) -> None:
    """LiteLLM would leave it out without a word where it does not know that it is taken."""
    server = model_server(echo)
    send(
        server.base_url, model, params={"reasoning_effort": "low", "top_k": 3}, key_variable="X_KEY"
    )
    (ask,) = server.seen
    assert (ask.body["reasoning_effort"], ask.body["top_k"], ask.key) == ("low", 3, "another-key")


@pytest.mark.parametrize("fault", KINDS)
def test_what_each_fault_is_called(model_server: Server, fault: str) -> None:
    server = model_server(echo, always(fault), retry_after="7")
    with pytest.raises(ExchangeFailed) as caught:
        send(server.base_url)
    error = caught.value
    assert (error.kind, error.status) == KINDS[fault]
    assert error.retry_after == (7.0 if fault == "429-after" else None)
    assert len(server.seen) == 1, "an attempt is one request"
    assert KEY not in error.text
    assert (error.usage == Usage.nothing()) == (fault in UNBILLED)
    assert fault != "no-choices-billed" or error.usage == Usage(**vars(server.billed))


def test_untold_usage_is_unknown(model_server: Server) -> None:
    reply = send(model_server(echo, always("no-usage")).base_url)
    assert reply.usage == Usage()
    assert reply.cost_usd is None


def test_nobody_listens() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ExchangeFailed) as caught:
        send(f"http://127.0.0.1:{port}/v1")
    assert caught.value.kind == "network"
    assert caught.value.text.startswith("no connection to the server")
    assert caught.value.usage == Usage.nothing(), "nothing was sent"


@pytest.mark.promise("no secret in an output")
def test_a_missing_key_is_told_and_no_other_one_shown(
    model_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("X_KEY")
    server = model_server(echo)
    with pytest.raises(ExchangeFailed, match="X_KEY is not set") as caught:
        send(server.base_url, key_variable="X_KEY")
    assert caught.value.kind == "authentication"
    monkeypatch.delenv("NEBIUS_API_KEY", raising=False)
    with pytest.raises(ExchangeFailed, match="NEBIUS_API_KEY is not set") as caught:
        send(server.base_url, "nebius/m")
    assert caught.value.kind == "authentication"
    assert server.seen == []


def test_a_server_of_ones_own_needs_no_key(
    model_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    server = model_server(echo)
    assert send(server.base_url).text
    assert server.keys == {"none"}


def test_an_id_without_a_provider_is_not_found() -> None:
    with pytest.raises(ExchangeFailed) as caught:
        send("http://127.0.0.1:9", "nobody-knows/this")
    assert caught.value.kind == "not_found"


def test_a_fault_of_ours_is_no_failure_of_the_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    from core.models import litellm_transport

    def bug(**_: Any) -> None:
        raise TypeError("a bug")

    monkeypatch.setattr(litellm_transport.load(), "completion", bug)
    with pytest.raises(TypeError, match="a bug"):
        send("http://127.0.0.1:9")


class OpenAIError(Exception):
    """Named as the base of all that LiteLLM raises."""


def refused(body: object, status: int, **headers: str) -> ExchangeFailed:
    error = OpenAIError("what LiteLLM makes of it")
    asked = httpx.Request("POST", "https://models.example/v1")
    text = body if isinstance(body, str) else json.dumps(body)
    answer = httpx.Response(status, text=text, headers=headers, request=asked)
    error.__cause__ = httpx.HTTPStatusError("refused", request=asked, response=answer)
    failure = failure_of(error)
    assert failure is not None
    return failure


def test_the_words_of_the_provider_behind_a_gateway_are_found() -> None:
    raw = json.dumps({"error": {"message": "max_tokens is too large: 6000"}})
    metadata = {"raw": raw, "headers": {"X-RateLimit-Reset": str(int(time.time() + 30))}}
    failure = refused({"error": {"message": "Provider returned error", "metadata": metadata}}, 400)
    assert failure.kind == "max_tokens"
    assert "Provider returned error: max_tokens is too large: 6000" in failure.text
    assert failure.retry_after == pytest.approx(30, abs=2)


@pytest.mark.promise("no secret in an output")
def test_texts_are_short_and_hold_no_secret() -> None:
    message = refused(f"{'x' * 250} token {KEY} of Bearer abcdefghijkl1234", 500).text
    assert KEY not in message
    assert "sk-planted" not in message
    assert "abcdefghijkl" not in message
    assert len(message) < 400
    assert "an HTML page" in refused("<html><body>no</body></html>", 502).text


@pytest.mark.parametrize("status", [400, 401, 402, 403, 429, 500])
@pytest.mark.parametrize(
    "quoted",
    [f"{KEY[:6]}***{KEY[-4:]}", f"{KEY[:9]}...{KEY[-4:]}", f"ending in {KEY[-6:]}", KEY[:12]],
)
def test_no_part_of_a_key_is_shown(status: int, quoted: str) -> None:
    text = refused({"error": {"message": f"The key {quoted} has a monthly limit"}}, status).text
    assert KEY[:6] not in text
    assert KEY[-4:] not in text
    assert ("monthly limit" in text) == (status != 401)


def test_what_a_server_repeats_of_the_prompt_decides_nothing() -> None:
    body = {"detail": [{"msg": "field required", "input": "billing flagged, retry in 50 s"}]}
    failure = refused(body, 422)
    assert (failure.kind, failure.retry_after) == ("bad_request", None)


# A limit on the clock for what has none.


def test_what_is_late_is_not_waited_for_and_never_told_to_another() -> None:
    free = threading.Event()
    with pytest.raises(TooLate):
        within(0.01, lambda: free.wait(30) and "late")
    assert within(30, lambda: "next") == "next"
    free.set()
    assert [within(30, lambda n=n: n) for n in range(20)] == list(range(20))
