"""The door to models: attempts, backends, deadline, usage, cost, records, our own providers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
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
    response_format,
    supports_schema,
)
from core.models.models_file import Models, ModelsFile, Params, load_models
from core.models.providers import is_scripted
from core.models.tokens import count_messages, count_text
from tests.kit import canned
from tests.kit.canned import left, play
from tests.kit.fake_openai import FakeOpenAI
from tests.kit.fake_openai_faults import always, in_turn

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


def test_equal_messages_have_equal_hashes() -> None:
    house = House(a=REPLY)
    first = house.client().complete([{"role": "system", "content": "same"}, *ASK])
    second = house.client().complete(
        [{"role": "system", "content": "same"}, {"role": "user", "content": "lone \ud800"}]
    )
    assert first.prompt[0] == second.prompt[0]
    assert first.prompt[1] != second.prompt[1]


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


@pytest.mark.parametrize("kind", sorted(errors.AGAIN))
def test_passing_faults_are_tried_again(kind: Any) -> None:
    house = House(a=[failed(kind), failed(kind), REPLY])
    call = house.client().complete(ASK)
    assert (call.attempt, call.text) == (3, "hi")
    assert [(n, k) for n, _, k, _ in house.attempts] == [(1, kind), (2, kind), (3, None)]
    assert [c.next for c in house.calls] == ["again in 0.0 s", "again in 0.0 s", None]


def test_attempts_come_to_an_end() -> None:
    house = House(a=failed("overload", "busy"))
    with pytest.raises(ModelFailed, match="openai/a: busy") as caught:
        house.client().complete(ASK)
    assert caught.value.kind == "overload"
    assert caught.value.__cause__ is None
    assert len(house.calls) == 3
    assert house.calls[-1].next is None


@pytest.mark.parametrize("kind", ["bad_request", "context_window", "max_tokens", "content_filter"])
def test_what_one_backend_refuses_the_next_one_is_asked(kind: Any) -> None:
    house = House(a=failed(kind), b=REPLY)
    assert house.client("two").complete(ASK).backend == "b"
    assert house.attempts[0] == (1, "a", kind, "next backend: b")
    assert house.calls[0].usage == Usage.nothing()
    assert house.time.slept == []
    assert house.models.backends("two").choose() == "a", "the backend is as well as before"


def test_what_every_backend_refuses_ends_the_call_with_what_each_said() -> None:
    house = House(a=failed("max_tokens", "too large"), b=failed("context_window", "too long"))
    with pytest.raises(ModelFailed, match="a: too large; b: too long") as caught:
        house.client("two").complete(ASK)
    assert "lower max_tokens" in str(caught.value)
    assert "larger context window" in str(caught.value)
    assert house.transport.asked == ["a", "b"]


def test_what_a_cassette_lacks_no_other_backend_has() -> None:
    house = House(a=failed("missing"), b=REPLY)
    with pytest.raises(ModelFailed, match=r"two: a: no$"):
        house.client("two").complete(ASK)
    assert house.attempts == [(1, "a", "missing", None)]


def test_a_rate_limit_without_a_stated_wait_is_outlasted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "WAIT", GROWING)
    house = House(a=[*[failed("rate_limit")] * 7, REPLY])
    assert house.client().complete(ASK).attempt == 8
    assert sum(house.time.slept) >= 60, "limits are counted by the minute"


def test_a_stated_wait_that_did_not_suffice_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "WAIT", GROWING)
    house = House(a=failed("rate_limit", retry_after=0.0))
    with pytest.raises(ModelFailed):
        house.client().complete(ASK)
    assert house.time.slept[0] == 0.0
    assert sum(house.time.slept[1:]) >= 60
    assert len(house.calls) == 8


def test_a_rate_limit_is_not_outlasted_while_another_backend_is_well() -> None:
    house = House(a=failed("rate_limit"), b=REPLY)
    assert house.client("two").complete(ASK).backend == "b"
    assert house.transport.asked == ["a", "a", "a", "b"]


def test_a_single_attempt_stays_one() -> None:
    house = House(a=failed("rate_limit"))
    with pytest.raises(ModelFailed):
        house.client(models=with_defaults(house, attempts=1)).complete(ASK)
    assert len(house.calls) == 1


@pytest.mark.parametrize("kind", ["quota", "authentication", "forbidden"])
def test_a_lost_backend_is_left_at_once_and_for_the_run(kind: Any) -> None:
    house = House(a=failed(kind), b=REPLY)
    assert house.client("two").complete(ASK).backend == "b"
    assert house.calls[0].next == "a is disabled for the rest of this run; next backend: b"
    house.time.now += 1e6
    house.client("two").complete(ASK)
    assert house.transport.asked == ["a", "b", "b"]
    assert house.time.slept == []


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


def test_an_unknown_model_is_asked_at_the_next_backend() -> None:
    house = House(a=failed("not_found"), b=REPLY)
    assert house.client("two").complete(ASK).attempt == 2
    assert house.attempts[0] == (1, "a", "not_found", "next backend: b")


def test_the_next_backend_follows_the_attempts_and_stays_preferred() -> None:
    house = House(a=failed("overload"), b=REPLY)
    house.client("two").complete(ASK)
    house.client("two").complete(ASK)
    assert house.transport.asked == ["a", "a", "a", "b", "b"]
    assert house.calls[2].next == "next backend: b"


def test_both_roles_share_what_is_known_of_the_backends() -> None:
    house = House(a=failed("overload"), b=REPLY)
    house.client("two").complete(ASK)
    other = ModelClient(
        "two", "evaluator", models=house.models, transport_factory=lambda _: house.transport
    )
    assert other.complete(ASK).backend == "b"
    assert house.transport.asked[-2:] == ["b", "b"]


def test_a_pause_that_is_asked_for_is_kept() -> None:
    house = House(a=[failed("rate_limit", retry_after=30.0), REPLY])
    house.client().complete(ASK)
    (slept,) = house.time.slept
    assert 30 <= slept <= 33
    assert (house.calls[0].next or "").startswith("again in 3")


def test_a_long_pause_is_not_waited_for_where_another_backend_is_well() -> None:
    house = House(a=failed("rate_limit", retry_after=30.0), b=REPLY)
    house.client("two").complete(ASK)
    assert house.transport.asked == ["a", "b"]
    assert house.time.slept == []


def test_a_short_pause_is() -> None:
    house = House(a=[failed("rate_limit", retry_after=2.0), REPLY], b=REPLY)
    assert house.client("two").complete(ASK).backend == "a"


def test_no_pause_passes_the_deadline() -> None:
    house = House(a=failed("rate_limit", "slow down", retry_after=400.0))
    with pytest.raises(ModelFailed, match="slow down") as caught:
        house.client().complete(ASK)
    assert caught.value.kind == "rate_limit"
    assert house.time.slept == []


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


def test_a_door_opens_each_backend_once_and_late() -> None:
    house = House(a=failed("quota"), b=REPLY)
    opened: list[str] = []

    def transport_factory(backend: Any) -> Canned:
        opened.append(backend.name)
        return house.transport

    client = ModelClient("two", "worker", models=house.models, transport_factory=transport_factory)
    assert opened == []
    client.complete(ASK)
    client.complete(ASK)
    assert opened == ["a", "b"]


@pytest.mark.parametrize("kind", ["rate_limit", "overload", "not_found"])
def test_a_refusal_costs_nothing(kind: Any) -> None:
    house = House(a=[failed(kind), REPLY])
    if kind == "not_found":
        with pytest.raises(ModelFailed):
            house.client().complete(ASK)
    else:
        house.client().complete(ASK)
    assert (house.calls[0].usage, house.calls[0].cost_usd) == (Usage.nothing(), 0.0)


@pytest.mark.parametrize("kind", ["network", "timeout", "bad_answer"])
def test_what_a_lost_answer_cost_is_unknown(kind: Any) -> None:
    house = House(a=[failed(kind), REPLY])
    house.client().complete(ASK)
    assert total_usage(house.calls) == Usage()
    assert total_cost(house.calls) is None


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


def test_dollars_of_a_likeness_are_shown_as_such() -> None:
    house = House(a=REPLY)
    house.transport.outcomes["nscale/openai/gpt-oss-120b"] = [REPLY]
    call = house.client("nscale/openai/gpt-oss-120b").complete(ASK)
    assert (call.price_source or "").startswith("like ")
    assert call.cost_usd is not None


def test_without_tokens_there_are_no_dollars() -> None:
    models = Models(ModelsFile.model_validate(
        {"models": {"openai/a": {"prices": {"input": 1, "output": 1}}}}
    ))  # fmt: skip
    call = House(a=Reply(text="x")).client(models=models).complete(ASK)
    assert (call.usage, call.cost_usd, call.price_source) == (Usage(), None, None)


def test_an_empty_answer_is_an_answer() -> None:
    call = House(a=Reply(finish_reason="length", usage=USAGE)).client().complete(ASK)
    assert (call.text, call.error, call.finish_reason) == ("", "empty answer", "length")


def test_sums() -> None:
    def call(prompt: int | None, cost: float | None) -> ModelCall:
        usage = Usage(prompt=prompt, completion=1, cached=0, reasoning=0)
        return ModelCall(role="worker", model="m", usage=usage, cost_usd=cost)

    assert total_usage([]) == Usage.nothing()
    assert total_cost([]) == 0
    calls = [call(1, 0.1), call(2, 0.2)]
    assert total_usage(calls) == Usage(prompt=3, completion=2, cached=0, reasoning=0)
    assert total_cost(calls) == 0.3
    calls.append(call(None, None))
    assert total_usage(calls) == Usage(prompt=None, completion=3, cached=0, reasoning=0)
    assert total_cost(calls) is None


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


def test_a_scripted_model_answers_its_own_prompts_alone() -> None:
    work = {"role": "user", "content": "<instruction>\nDance.\n</instruction>"}
    assert "<code>" in ModelClient("scripted/store", "worker").complete([work]).text
    with pytest.raises(ModelFailed, match="no role that a scripted model plays"):
        ModelClient("scripted/store", "evaluator").complete(ASK)
    with pytest.raises(ModelFailed, match="there is no scripted/other"):
        ModelClient("scripted/other", "evaluator").complete([work])


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


def test_a_brain_may_give_a_whole_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    reply = Reply(text="cut", reasoning="hm hm", finish_reason="length")
    monkeypatch.setattr(canned, "reply", lambda *_: reply)
    call = ModelClient("canned/x", "evaluator").complete(ASK)
    assert (call.text, call.finish_reason, call.reasoning) == ("cut", "length", "hm hm")
    assert call.usage.reasoning == count_text("hm hm")
    assert call.usage.completion == count_text("cut") + count_text("hm hm")


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


def test_asking_imports_no_litellm() -> None:
    code = "import sys; from core.models.model_client import supports_schema as s; s('gpt-4o'); "
    code += "print('litellm' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_parameter_is_the_one_that_providers_take() -> None:
    form = response_format("Step", {"type": "object"})
    assert form["type"] == "json_schema"
    assert form["json_schema"] == {
        "name": "Step",
        "schema": {"type": "object"},
        "strict": False,
    }


# Real HTTP.


def echo(model: str, messages: list[dict[str, str]]) -> str:
    return f"{model} got {messages[-1]['content']}"


@pytest.fixture
def served(model_server: Callable[..., FakeOpenAI], tmp_path: Path) -> Any:
    """Models of a file whose backends are servers on loopback, each with its plan."""

    def make(**plans: Any) -> tuple[Models, dict[str, FakeOpenAI]]:
        servers = {name: model_server(echo, plan) for name, plan in plans.items()}
        rows = ",\n".join(
            f'{{ name = "{name}", model = "openai/fake-large", base_url = "{server.base_url}" }}'
            for name, server in servers.items()
        )
        path = tmp_path / "models.toml"
        path.write_text(f"[models.served]\nbackends = [\n{rows}\n]\n", encoding="utf-8")
        return load_models(path), servers

    return make


def test_a_call_moves_on_over_http(served: Any) -> None:
    models, servers = served(first=always("429-quota"), second=in_turn("503", "html"))
    calls: list[ModelCall] = []
    call = ModelClient("served", "worker", KeptCalls(calls), models=models).complete(ASK)
    assert call.text == "fake-large got hello there"
    assert [(c.backend, c.error_kind) for c in calls] == [
        ("first", "quota"), ("second", "overload"), ("second", "bad_answer"), ("second", None),
    ]  # fmt: skip
    assert calls[0].next == "first is disabled for the rest of this run; next backend: second"
    assert len(servers["first"].seen) == 1
    assert call.usage.prompt == servers["second"].billed.prompt


def test_two_roles_and_eight_jobs_at_two_servers(served: Any) -> None:
    models, servers = served(first=always("503"), second=None)

    def ask(number: int) -> ModelCall:
        role: Any = "worker" if number % 2 else "evaluator"
        message = [{"role": "user", "content": f"task {number}"}]
        return ModelClient("served", role, models=models).complete(message)

    with ThreadPoolExecutor(8) as pool:
        calls = list(pool.map(ask, range(40)))
    assert [c.text for c in calls] == [f"fake-large got task {n}" for n in range(40)]
    assert {c.backend for c in calls} == {"second"}
    # The eight that were under way together may meet the first; nobody does afterwards.
    assert len(servers["first"].seen) <= 8 * 3
    assert sum(c.usage.completion or 0 for c in calls) == servers["second"].billed.completion


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
