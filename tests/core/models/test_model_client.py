"""The door to models: attempts, backends, deadline, usage, cost, records, our own providers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tenacity import wait_exponential

from core.models import errors, retries
from core.models import model_client as door_module
from core.models.model_call import (
    CallObserver,
    ExchangeFailed,
    KeptCalls,
    ModelCall,
    Reply,
    Request,
    Usage,
    total_cost,
    total_usage,
)
from core.models.model_client import (
    ANSWER_CHARS,
    REASONING_CHARS,
    ModelClient,
    ModelFailed,
    supports_schema,
)
from core.models.models_file import Models, ModelsFile, Params, load_models
from core.models.providers import is_scripted
from core.models.tokens import count_messages, count_text
from tests.kit import canned
from tests.kit.canned import left, play

ROOT = Path(door_module.__file__).parents[2]
ASK = [{"role": "user", "content": "hello there"}]
USAGE = Usage(prompt=1000, completion=100, cached=600, reasoning=20)
REPLY = Reply(text="hi", finish_reason="stop", usage=USAGE)
TWO = {"backends": [{"name": "a", "model": "openai/a"}, {"name": "b", "model": "openai/b"}]}


GROWING = wait_exponential(multiplier=1, max=20)
"""The pauses of ``retries``, which tests leave out, without their jitter."""


class Time:
    """A clock that only goes when somebody sleeps or answers slowly."""

    def __init__(self) -> None:
        self.now = 50.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        self.now += seconds


class Canned:
    """A transport with canned outcomes per LiteLLM id; the last one goes on for ever."""

    def __init__(self, time: Time, **outcomes: Any) -> None:
        self._time = time
        self.outcomes = {
            f"openai/{k}": v if isinstance(v, list) else [v] for k, v in outcomes.items()
        }
        self.asked: list[str] = []
        self.requests: list[Request] = []
        self.timeouts: list[float] = []
        self.seconds = 0.0

    def send(self, request: Request, timeout: float) -> Reply:
        self.asked.append(request.model.removeprefix("openai/"))
        self.requests.append(request)
        self.timeouts.append(round(timeout, 3))
        self._time.now += min(self.seconds, timeout)
        waiting = self.outcomes[request.model]
        outcome = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        if isinstance(outcome, BaseException):
            raise outcome
        assert isinstance(outcome, Reply)
        return outcome


class House:
    """Doors to the models ``a``, ``b`` and ``two`` (a, then b) of one run."""

    def __init__(self, **outcomes: Any) -> None:
        self.time = Time()
        self.transport = Canned(self.time, **outcomes)
        self.calls: list[ModelCall] = []
        self.models = Models(ModelsFile.model_validate({"models": {"two": TWO}}))

    def client(self, model: str = "openai/a", **more: Any) -> ModelClient:
        return ModelClient(
            model,
            "worker",
            more.pop("observer", KeptCalls(self.calls)),
            models=more.pop("models", self.models),
            transport_factory=lambda _: self.transport,
            sleep=self.time.sleep,
            clock=self.time.clock,
            **more,
        )

    @property
    def attempts(self) -> list[tuple[int, str, str | None, str | None]]:
        """Of every attempt: number, backend, class of failure, what followed."""
        return [(c.attempt, c.backend, c.error_kind, c.next) for c in self.calls]


def with_defaults(house: House, **defaults: Any) -> Models:
    return Models(house.models.file.model_copy(update={"defaults": Params(**defaults)}))


def failed(kind: Any, text: str = "no", **more: Any) -> ExchangeFailed:
    return ExchangeFailed(kind, text, **more)


def test_an_answer_is_recorded_with_all_that_is_known_of_it() -> None:
    house = House(a=Reply(text="hi", reasoning="hm" * 2000, finish_reason="stop", usage=USAGE))
    call = house.client().complete([{"role": "system", "content": "s"}, *ASK])
    assert house.calls == [call]
    assert (call.text, call.usage, call.error, call.error_kind) == ("hi", USAGE, None, None)
    assert (call.backend, call.attempt, call.next) == ("openai/a", 1, None)
    assert (len(call.reasoning), call.reasoning_chars) == (REASONING_CHARS, 4000)
    assert (call.slug, call.finish_reason) == ("openai/a", "stop")
    assert call.started > 0
    assert [part.role for part in call.prompt] == ["system", "user"]
    assert len({part.sha256 for part in call.prompt} | {call.prompt_sha256}) == 3


def test_parameters_of_a_call_go_over_those_of_the_file() -> None:
    house = House(a=REPLY)
    client = house.client(models=load_models())
    client.complete(ASK, max_tokens=11, response_format={"type": "json_object"})
    client.complete(ASK)
    first, second = (r.params for r in house.transport.requests)
    assert first == {
        "temperature": 0.0, "max_tokens": 11, "response_format": {"type": "json_object"},
    }  # fmt: skip
    assert second == {"temperature": 0.0, "max_tokens": 6000}


def asks(kind: Any, times: int = 0, **more: Any) -> list[Any]:
    """A failure for ever, or so many times and then an answer."""
    return [failed(kind, **more)] * (times or 1) + ([REPLY] if times else [])


WALKS: dict[str, tuple[dict[str, Any], str, str, str]] = {
    **{f"{kind} passes": ({"a": asks(kind, 2)}, "aaa", "a", "a") for kind in sorted(errors.AGAIN)},
    **{
        f"{kind} moves on": ({"a": asks(kind), "b": REPLY}, "ab", "b", "a")
        for kind in ("bad_request", "context_window", "max_tokens", "content_filter")
    },
    **{
        f"{kind} is for the run": ({"a": asks(kind), "b": REPLY}, "ab", "b", "b")
        for kind in ("quota", "authentication", "forbidden", "clock", "proxy")
    },
    "one backend has three attempts": ({"a": asks("overload")}, "aaa", "overload", "a"),
    "an ill backend is left alone": ({"a": asks("overload"), "b": REPLY}, "aaab", "b", "b"),
    "another one may know the model": ({"a": asks("not_found"), "b": REPLY}, "ab", "b", "b"),
    "no backend has what a cassette lacks": (
        {"a": asks("missing"), "b": REPLY}, "a", "missing", "a",
    ),
    "a rate limit is outlasted": ({"a": asks("rate_limit", 7)}, "a" * 8, "a", "a"),
    "but not while another is well": ({"a": asks("rate_limit"), "b": REPLY}, "aaab", "b", "b"),
    "a short pause is waited for": (
        {"a": asks("rate_limit", 1, retry_after=2.0), "b": REPLY}, "aa", "a", "a",
    ),
    "a long one is not while another is well": (
        {"a": asks("rate_limit", retry_after=30.0), "b": REPLY}, "ab", "b", "b",
    ),
    "no pause passes the deadline": (
        {"a": asks("rate_limit", retry_after=400.0)}, "a", "rate_limit", "a",
    ),
}  # fmt: skip
"""By name: what each backend says; who is asked; who answers, or the failure; who is asked next."""


@pytest.mark.parametrize(("outcomes", "asked", "end", "later"), WALKS.values(), ids=WALKS)
def test_which_backend_is_asked_and_how_often(
    outcomes: dict[str, Any], asked: str, end: str, later: str
) -> None:
    house = House(**outcomes)
    client = house.client("two" if "b" in outcomes else "openai/a")
    try:
        ended = client.complete(ASK).backend.removeprefix("openai/")
    except ModelFailed as error:
        ended = str(error.kind)
    assert ("".join(house.transport.asked), ended) == (asked, end)
    assert [call.attempt for call in house.calls] == list(range(1, len(asked) + 1))
    assert len([call for call in house.calls if call.next]) == len(asked) - 1
    known = {"network", "timeout", "bad_answer"}.isdisjoint(c.error_kind for c in house.calls)
    assert (total_usage(house.calls).prompt is not None) == known, "a refusal costs nothing"
    house.time.now += 4  # less than an illness lasts
    next_one = house.models.backends(client.model).choose()
    assert (next_one or "").removeprefix("openai/") == later


def test_a_pause_that_is_asked_for_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    house = House(a=asks("rate_limit", 1, retry_after=30.0))
    house.client().complete(ASK)
    (slept,) = house.time.slept
    assert 30 <= slept <= 33
    monkeypatch.setattr(retries, "WAIT", GROWING)
    house = House(a=asks("rate_limit", 7))
    house.client().complete(ASK)
    assert sum(house.time.slept) >= 60, "limits are counted by the minute"


def test_what_every_backend_refuses_ends_the_call_with_what_each_said() -> None:
    house = House(a=failed("max_tokens", "too large"), b=failed("context_window", "too long"))
    with pytest.raises(ModelFailed, match="a: too large; b: too long") as caught:
        house.client("two").complete(ASK)
    assert "lower max_tokens" in str(caught.value)
    assert "larger context window" in str(caught.value)
    assert house.transport.asked == ["a", "b"]


def test_a_stated_wait_that_did_not_suffice_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "WAIT", GROWING)
    house = House(a=failed("rate_limit", retry_after=0.0))
    with pytest.raises(ModelFailed):
        house.client().complete(ASK)
    assert house.time.slept[0] == 0.0
    assert sum(house.time.slept[1:]) >= 60
    assert len(house.calls) == 8


def test_where_every_backend_is_lost_nobody_is_asked() -> None:
    house = House(a=failed("quota", "paid out"), b=failed("authentication", "bad key"))
    with pytest.raises(ModelFailed, match=r"a: paid out; b: bad key \(.*OPENAI_API_KEY"):
        house.client("two").complete(ASK)
    assert len(house.calls) == 2
    with pytest.raises(
        ModelFailed, match=r"disabled for the rest.*a \(quota\); b \(authentication\)"
    ):
        house.client("two").complete(ASK)
    assert len(house.calls) == 2


@pytest.mark.promise("what comes from outside is bounded")
def test_an_attempt_has_only_the_time_that_is_left() -> None:
    house = House(a=failed("timeout"), b=failed("timeout"))
    house.transport.seconds = 1000
    began = house.time.now
    with pytest.raises(ModelFailed) as caught:
        house.client("two", models=with_defaults(house, deadline_seconds=250)).complete(ASK)
    assert caught.value.kind == "timeout"
    assert house.transport.timeouts == [120, 120, 10]
    assert house.time.now - began == 250
    assert {c.usage for c in house.calls} == {Usage()}, "nobody knows what was billed"


def test_errors_that_are_none_of_the_provider_are_not_tried_again() -> None:
    house = House(a=[ZeroDivisionError("ours"), REPLY])
    with pytest.raises(ZeroDivisionError):
        house.client().complete(ASK)
    (call,) = house.calls
    assert (call.error, call.usage) == ("ZeroDivisionError", Usage())


def test_an_interrupted_attempt_is_recorded_and_is_no_illness() -> None:
    house = House(a=KeyboardInterrupt(), b=REPLY)
    with pytest.raises(KeyboardInterrupt):
        house.client("two").complete(ASK)
    assert house.calls[0].error == "KeyboardInterrupt"
    assert house.models.backends("two").choose() == "a"


class CancelToken(Exception):
    pass


def test_a_gate_is_asked_before_every_attempt() -> None:
    house = House(a=[failed("overload"), REPLY])

    class ToolBridge(KeptCalls):
        asked = 0

        def gate(self) -> None:
            self.asked += 1
            if self.asked == 2:
                raise CancelToken

    with pytest.raises(CancelToken):
        house.client(observer=ToolBridge(house.calls)).complete(ASK)
    assert house.transport.asked == ["a"]
    assert [c.next for c in house.calls] == ["again in 0.0 s"]


def test_the_prompt_is_told_before_the_first_attempt() -> None:
    house = House(a=[failed("overload"), REPLY])
    told: list[Any] = []

    class Reader(CallObserver):
        def on_prompt(self, messages: Any) -> None:
            told.append(list(messages))

        def gate(self) -> None:
            told.append("attempt")

    house.client(observer=Reader()).complete(ASK)
    assert told == [ASK, "attempt", "attempt"]


def test_an_unreadable_answer_that_was_billed_counts() -> None:
    models = Models(ModelsFile.model_validate(
        {"models": {"openai/a": {"prices": {"input": 1, "output": 2, "cached": 0.5}}}}
    ))  # fmt: skip
    house = House(a=[failed("bad_answer", usage=USAGE), REPLY])
    house.client(models=models).complete(ASK)
    assert total_usage(house.calls) == USAGE + USAGE
    assert total_cost(house.calls) == pytest.approx(2 * (400 + 600 * 0.5 + 100 * 2) / 1e6)
    assert {c.price_source for c in house.calls} == {"configuration"}


@pytest.mark.parametrize(
    ("told", "prices", "cost", "source"),
    [
        ({"cost_usd": 0.25, "price_source": "provider"}, True, 0.25, "provider"),
        ({"cost_usd": 0.25, "price_source": "litellm"}, False, 0.25, "litellm"),
        ({"cost_usd": 0.25, "price_source": "litellm"}, True, 0.0011, "configuration"),
        ({}, True, 0.0011, "configuration"),
        ({}, False, None, None),
    ],
)
def test_whose_dollars(told: dict[str, Any], prices: bool, cost: Any, source: Any) -> None:
    entry = {"prices": {"input": 1, "output": 1}} if prices else {}
    models = Models(ModelsFile.model_validate({"models": {"openai/a": entry}}))
    call = House(a=Reply(text="x", usage=USAGE, **told)).client(models=models).complete(ASK)
    assert (call.cost_usd, call.price_source) == (pytest.approx(cost) if cost else cost, source)


def test_an_empty_answer_is_an_answer() -> None:
    call = House(a=Reply(finish_reason="length", usage=USAGE)).client().complete(ASK)
    assert (call.text, call.error, call.finish_reason) == ("", "empty answer", "length")


@pytest.mark.promise("what comes from outside is bounded")
def test_texts_are_bounded_and_can_be_written() -> None:
    house = House(a=[Reply(text="x" * 100_000), Reply(text="a\ud800b")])
    assert len(house.client().complete(ASK).text) == ANSWER_CHARS
    assert house.client().complete(ASK).text == "a?b"


# Our own providers.


def test_a_script_is_played_in_order_and_ends() -> None:
    client = ModelClient(play("in-order", ["one", "two"]), "evaluator")
    assert [client.complete(ASK).text, client.complete(ASK).text] == ["one", "two"]
    assert left("in-order") == 0
    with pytest.raises(ModelFailed, match="no reply left") as caught:
        client.complete(ASK)
    assert caught.value.kind == "not_found"


def test_our_own_providers_count_and_cost_nothing() -> None:
    call = ModelClient(play("counted", ["one two"]), "evaluator").complete(ASK)
    assert call.usage == Usage(
        prompt=count_messages(ASK), completion=count_text("one two"), cached=0, reasoning=0
    )
    assert (call.cost_usd, call.price_source) == (0.0, "provider")
    assert is_scripted("scripted/store")
    assert not is_scripted("openai/playbook")


@pytest.mark.parametrize(
    ("error", "words", "times"),
    [
        (ZeroDivisionError("of the model"), "ZeroDivisionError: of the model", 1),
        (KeyError("field"), "KeyError: field", 1),
        (ExchangeFailed("overload", "as planned"), "as planned", 3),
    ],
)
def test_what_a_brain_raises_is_told(
    monkeypatch: pytest.MonkeyPatch, error: Exception, words: str, times: int
) -> None:
    asked: list[str] = []

    def bug(model: str, messages: Any, played: Any) -> str:
        asked.append(model)
        raise error

    monkeypatch.setattr(canned, "reply", bug)
    with pytest.raises(ModelFailed, match=words):
        ModelClient("canned/x", "evaluator").complete(ASK)
    assert asked == ["x"] * times


# Schemas.


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("openai/gpt-4o", True),
        ("gpt-4o-mini", True),
        ("scripted/store", False),
        ("canned/x", False),
        ("openai/my-own-model", False),
        ("nowhere/gpt-4o", False),
    ],
)
def test_only_an_id_that_the_map_knows_takes_a_schema(model: str, known: bool) -> None:
    assert supports_schema(model) is known


# Real HTTP.


OFFLINE = """
import socket, os, sys
def refuse(*a, **k):
    raise ConnectionRefusedError("a connection was tried")
socket.socket.connect = socket.socket.connect_ex = refuse
socket.create_connection = socket.getaddrinfo = refuse
for name in ("LITELLM_LOCAL_MODEL_COST_MAP", "TIKTOKEN_CACHE_DIR"):
    os.environ.pop(name, None)
"""
KEYLESS = """
from core.models.model_client import ModelClient
from tests.kit.canned import play
call = ModelClient(play("a", ["fine"]), "worker").complete([{"role": "user", "content": "x"}])
print(call.text, call.usage.completion, [m for m in ("litellm", "openai") if m in sys.modules])
"""
LITELLM = """
from core.models.models_file import Models, ModelsFile
from core.models.model_client import ModelClient, ModelFailed
from core.models.litellm_module import load
assert "litellm" not in sys.modules
load()
os.environ["OPENAI_API_KEY"] = "sk-0123456789abcdef"
try:
    models = Models(ModelsFile.model_validate({"defaults": {"attempts": 1}}))
    ModelClient("openai/x", "worker", models=models).complete([{"role": "user", "content": "x"}])
except ModelFailed as error:
    print(error.kind)
"""


@pytest.mark.parametrize(
    ("program", "said"),
    [(KEYLESS, "fine 1 []\n"), (LITELLM, "network\n")],
    ids=["keyless", "litellm"],
)
def test_nothing_is_fetched_or_printed(program: str, said: str) -> None:
    """Ours work without LiteLLM; LiteLLM is imported late, and asks nobody but the provider."""
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE + program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == said, done.stderr
    assert done.stderr == ""
