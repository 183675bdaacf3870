"""Answers that a model server should never send: bounded in time and room, and each has a name."""

from __future__ import annotations

import gzip
import json
import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.http.bounded import AnswerRefused
from core.models.chat_http import chat_answer
from core.models.litellm_transport import LiteLLMTransport
from core.models.model_call import ExchangeFailed, Reply, Request, Usage
from core.models.models_file import Backend
from tests.kit.hostile_models import (
    DEEP,
    DRIBBLES,
    FLOODS,
    HostileModels,
    Send,
    answer,
    chat,
    said,
)

MB = 2**20
ASK = ({"role": "user", "content": "hello there"},)
OURS = ("openai/m", "nebius/m")
OTHERS = ("openrouter/m", "groq/m", "anthropic/m")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("X_KEY", "another-key")


def ask_at(server: HostileModels, model: str, timeout: float = 20.0) -> Reply:
    backend = Backend(name="b", model=model, base_url=server.base_url, key_variable="X_KEY")
    request = Request(model=model, messages=ASK, params={"max_tokens": 9})
    return LiteLLMTransport(backend).send(request, timeout)


def ask(send: Send, model: str = "openai/m", timeout: float = 20.0) -> Reply:
    with HostileModels(send) as server:
        return ask_at(server, model, timeout)


def failure_at(server: HostileModels, model: str) -> ExchangeFailed:
    with pytest.raises(ExchangeFailed) as caught:
        ask_at(server, model)
    return caught.value


def failure(send: Send, model: str = "openai/m", timeout: float = 20.0) -> ExchangeFailed:
    with pytest.raises(ExchangeFailed) as caught:
        ask(send, model, timeout)
    return caught.value


@pytest.mark.promise("what comes from outside is bounded")
@pytest.mark.parametrize("model", [*OURS, *OTHERS])
@pytest.mark.parametrize("name", FLOODS)
def test_a_flood_is_not_taken_in(name: str, model: str) -> None:
    ask(said(chat()), "openai/m")  # LiteLLM is loaded
    tracemalloc.start()
    began = time.monotonic()
    try:
        error = failure(FLOODS[name], model)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert error.kind in (("network",) if "header" in name else ("bad_answer",))
    assert error.usage is None, "nobody knows what it cost"
    assert peak < 40 * MB
    assert time.monotonic() - began < 60


@pytest.mark.promise("what comes from outside is bounded")
@pytest.mark.parametrize("model", [*OURS, *OTHERS])
@pytest.mark.parametrize("name", DRIBBLES)
def test_an_answer_that_never_ends_does_not_outlast_its_time(name: str, model: str) -> None:
    began = time.monotonic()
    error = failure(DRIBBLES[name], model, timeout=0.2)
    assert error.kind == "timeout"
    assert time.monotonic() - began < 60


def test_an_answer_within_bounds_is_taken_whatever_its_length_of_time() -> None:
    body = json.dumps(chat("x" * 300_000)).encode()
    parts = [body[i : i + 30_000] for i in range(0, len(body), 30_000)]
    head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body)
    reply = ask(lambda: iter([head, *(p for part in parts for p in (b"", part))]))
    assert len(reply.text) == 50_000, "what is longer is no answer, and not kept"


@pytest.mark.promise("no secret in an output")
@pytest.mark.parametrize("model", [*OURS, *OTHERS])
@pytest.mark.parametrize("status", ["302 Found", "307 Temporary Redirect"])
def test_a_prompt_is_not_posted_on_to_another_address(model: str, status: str) -> None:
    with HostileModels(said(chat())) as other:
        for where in (f"{other.base_url}/x", "/v1/there", "http://["):
            with HostileModels(answer(b"", status=status, Location=where)) as server:
                error = failure_at(server, model)
                assert (other.requests, server.requests) == (0, 1)
            assert error.kind == "bad_answer"
            assert where in str(error)


BAD_ANSWERS: dict[str, Callable[[], Any]] = {
    "deep": lambda: answer(b"[" * DEEP),
    "deep in the content": lambda: answer(b'{"choices":' + b"[" * DEEP + b"]" * DEEP + b"}"),
    "choices as text": lambda: said(chat(choices="none")),
    "choices as object": lambda: said(chat(choices={"0": {}})),
    "choice as number": lambda: said(chat(choices=[7])),
    "message as text": lambda: said(chat(choices=[{"message": "hi"}])),
    "content as object": lambda: said(chat({"a": 1})),
    "content as number": lambda: said(chat(3)),
    "content as parts of numbers": lambda: said(chat([1, 2])),
    "lists": lambda: answer(b'{"choices":[' + b"[]," * 1_300_000 + b"[]]}"),
    "garbage": lambda: answer(bytes(range(256)) * 40),
    "another packing": lambda: answer(b"\x28\xb5\x2f\xfd", Content_Encoding="zstd"),
    "half a packing": lambda: answer(
        gzip.compress(json.dumps(chat()).encode())[:-9], Content_Encoding="gzip"
    ),
    "no packing": lambda: answer(b"{}", Content_Encoding="gzip"),
    "digits": lambda: answer(b'{"choices": ' + b"9" * 5000 + b"}"),
}


@pytest.mark.parametrize("name", BAD_ANSWERS)
def test_an_answer_of_another_form_is_a_bad_answer(name: str) -> None:
    assert failure(BAD_ANSWERS[name]()).kind == "bad_answer"


@pytest.mark.parametrize("depth", [400, *range(900, 1_000, 7)])
@pytest.mark.parametrize("status", ["200 OK", "400 Bad Request"])
def test_an_error_that_is_nested_is_a_failure(depth: int, status: str) -> None:
    body = b'{"error":' * depth + b"1" + b"}" * depth
    assert failure(answer(body, status=status)).kind in ("overload", "bad_answer", "bad_request")


@pytest.mark.parametrize(
    "odd",
    [
        {"id": 7, "model": ["m"], "created": "now", "system_fingerprint": {"a": []}},
        {"message": {"reasoning": [1, 2], "reasoning_content": 4, "tool_calls": "none"}},
        {"message": {"annotations": 3, "images": "none", "function_call": 8, "role": 5}},
        {"choice": {"finish_reason": {"why": 1}, "index": "first", "logprobs": "odd"}},
        {"service_tier": {"x": 1}, "citations": 7, "object": 4},
        {"message": {"deep": json.loads("[" * 400 + "]" * 400)}},
    ],
)
def test_odd_things_beside_the_content_do_no_harm(odd: dict[str, Any]) -> None:
    reply = ask(said(chat("good", **odd)))
    assert reply.text == "good"
    assert reply.usage.prompt == 11


@pytest.mark.parametrize(
    "usage",
    [
        "eleven",
        [],
        {"prompt_tokens": -1_000_000, "completion_tokens": 7},
        {"prompt_tokens": 11, "completion_tokens": -7},
        {"prompt_tokens": "11", "completion_tokens": 7},
        {"prompt_tokens": True, "completion_tokens": 7},
        {"prompt_tokens": 11.5, "completion_tokens": 7},
        {"prompt_tokens": 10**300, "completion_tokens": 7},
        {"prompt_tokens": None, "completion_tokens": 7, "cost": -4},
        {"prompt_tokens": {}, "completion_tokens": float("nan"), "cost": float("inf")},
    ],
)
def test_a_usage_that_cannot_be_is_unknown(usage: object) -> None:
    reply = ask(said(chat(usage=usage)))
    assert (reply.text, reply.usage, reply.cost_usd) == ("hello", Usage(), None)


THOUGHTS = [{"type": "text", "text": "let me see"}]
SAID = {"type": "text", "text": "the answer"}


@pytest.mark.parametrize("model", [*OURS, "openrouter/m", "hosted_vllm/m", "lm_studio/m"])
@pytest.mark.parametrize(
    ("content", "text", "reasoning"),
    [
        ([{"type": "thinking", "thinking": THOUGHTS}, SAID], "the answer", "let me see"),
        ([{"type": "thinking", "thinking": "let me see"}, SAID], "the answer", "let me see"),
        ([{"type": "reasoning", "summary": THOUGHTS}, SAID], "the answer", "let me see"),
        ([SAID, {"type": "refusal", "refusal": "but no"}], "the answer", "but no"),
        (["the ", {"text": "answer"}], "the answer", ""),
        ([SAID, {"type": "image_url", "image_url": {"url": "data:x"}}], "the answer", ""),
        ([{"type": "thinking", "thinking": THOUGHTS}], "", "let me see"),
        ([], "", ""),
    ],
)
def test_of_a_content_in_parts_text_is_the_answer_and_all_else_reasoning(
    model: str, content: list[Any], text: str, reasoning: str
) -> None:
    reply = ask(said(chat(content)), model)
    assert (reply.text, reply.reasoning) == (text, reasoning)


@pytest.mark.parametrize("model", [*OURS, "openrouter/m", "hosted_vllm/m", "lm_studio/m"])
@pytest.mark.parametrize("content", [None, "", " \n"])
@pytest.mark.parametrize(
    ("arguments", "read"),
    [
        ('{"decision": "FINISH"}', {"decision": "FINISH"}),
        ({"decision": "FINISH"}, {"decision": "FINISH"}),
        ("print(1)", "print(1)"),
        ('{"decision": "FIN', '{"decision": "FIN'),
    ],
)
def test_a_call_of_a_tool_without_content_becomes_text(
    model: str, content: str | None, arguments: object, read: object
) -> None:
    call = {"name": "decide", "arguments": arguments}
    whole = {"id": "c1", "type": "function", "function": call}
    for message in ({"tool_calls": [whole]}, {"function_call": call}):
        reply = ask(said(chat(content, message=message)), model)
        assert json.loads(reply.text) == {"name": "decide", "arguments": read}
    both = ask(said(chat(content, message={"tool_calls": [whole, whole]})), model)
    assert len(both.text.splitlines()) == 2


def test_a_call_of_a_tool_beside_content_is_none() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "x", "arguments": "{}"}}
    assert ask(said(chat("the answer", message={"tool_calls": [call]}))).text == "the answer"


@pytest.mark.parametrize(
    ("code", "kind"),
    [(429, "rate_limit"), ("502", "overload"), (402, "quota"), ("odd", "overload")],
)
@pytest.mark.parametrize("place", ["body", "choice"])
def test_an_error_with_status_200_is_what_its_code_says(
    code: object, kind: str, place: str
) -> None:
    error = {"message": "upstream", "code": code, "metadata": {"headers": {"Retry-After": "9"}}}
    over = {"choices": None, "error": error} if place == "body" else {"choice": {"error": error}}
    failed = failure(said(chat("half an answer", **over)))
    assert (failed.kind, failed.retry_after) == (kind, 9.0)
    assert (failed.usage is None) == (place == "choice"), "what was begun may be billed"


def test_lone_surrogates_are_taken_out_where_they_enter() -> None:
    halves = {"reasoning": "c\ud800d"}
    reply = ask(
        said(chat("a\udcffb", message=halves, model="m\udfff", choice={"finish_reason": "\ud800"}))
    )
    assert (reply.text, reply.reasoning) == ("a?b", "c?d")
    reply.model_dump_json().encode()
    error = failure(answer(b'{"error": {"message": "x\\udcffy"}}', status="500 Oh"))
    assert "x?y" in error.text
    error.text.encode()


REFUSALS = ("400 Bad Request", "401 Unauthorized", "429 Too Many", "500 Oh", "503 Oh")
BODIES = {
    "empty": b"",
    "deep": b"[" * DEEP,
    "nested": b'{"error":' * 500 + b"1" + b"}" * 500,
    "long": b"x" * 3_000_000,
    "no text": b"\xff\xfe{",
}


def refusals() -> Iterator[Any]:
    """Every status with every body; by day a large body comes with one status of each range."""
    by_night = pytest.mark.nightly("a large body is read in the same way at every status")
    for status in REFUSALS:
        for name, body in BODIES.items():
            large = len(body) >= DEEP and status not in (REFUSALS[0], REFUSALS[-1])
            yield pytest.param(status, body, id=f"{name}-{status}", marks=[by_night] * large)


@pytest.mark.parametrize(("status", "body"), [*refusals()])
def test_a_refusal_is_told_by_its_status_whatever_its_body(status: str, body: bytes) -> None:
    kinds = {"400": "bad_request", "401": "authentication", "429": "rate_limit"}
    error = failure(answer(body, status=status))
    assert error.kind == kinds.get(status[:3], "overload")
    assert len(error.text) < 500


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
PARTS = ("choices", "usage", "message", "content", "prompt_tokens", "id", "error", "cost")


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_whatever_is_answered_becomes_plain_or_is_refused(data: st.DataObject) -> None:
    """One or two places of a good answer hold anything."""
    value: Any = chat()
    for _ in range(data.draw(st.integers(1, 2))):
        place: Any = value
        while isinstance(place, dict | list) and place and data.draw(st.booleans()):
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            inner = data.draw(st.sampled_from(keys))
            if isinstance(place[inner], dict | list) and data.draw(st.booleans()):
                place = place[inner]
                continue
            place[inner] = data.draw(JSON)
            break
    try:
        plain = json.loads(chat_answer(json.dumps(value).encode()))
    except AnswerRefused:
        return
    if "choices" in plain:
        for choice in plain["choices"]:
            content = choice["message"]["content"]
            assert content is None or content.encode() is not None
    for name in ("prompt_tokens", "completion_tokens"):
        assert plain.get("usage", {}).get(name, 0) >= 0
