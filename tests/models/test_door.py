"""The door to models: usage, cost, attempts, errors, our own providers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from models import door as door_module
from models.door import ATTEMPTS, Door, ModelFailed, clean_text
from models.litellm_module import is_keyless
from models.records import ModelCall, Usage, total_cost, total_usage
from models.scripted import left, play
from models.tokens import count_messages, count_text

ROOT = Path(door_module.__file__).parents[1]
ASK = [{"role": "user", "content": "hello there"}]
KEY = "sk-very-secret"


class Refusal(Exception):
    """An error as LiteLLM raises it."""

    def __init__(self, status: int | None) -> None:
        super().__init__(f"refused, request had Authorization: Bearer {KEY}")
        if status is not None:
            self.status_code = status


def answer(text: str | None = "hi", **fields: Any) -> SimpleNamespace:
    usage = SimpleNamespace(prompt_tokens=7, completion_tokens=2, prompt_tokens_details=None)
    choice = SimpleNamespace(message=SimpleNamespace(content=text), finish_reason="stop")
    made = {"choices": [choice], "usage": usage, "_hidden_params": {"response_cost": 0.25}}
    return SimpleNamespace(**(made | fields))


class Fake:
    """LiteLLM with canned outcomes."""

    def __init__(self, *outcomes: Any) -> None:
        self.outcomes = list(outcomes)
        self.asked: list[dict[str, Any]] = []

    def completion(self, **request: Any) -> Any:
        self.asked.append(request)
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


@pytest.fixture
def through(monkeypatch: pytest.MonkeyPatch) -> Any:
    def make(*outcomes: Any) -> tuple[Door, Fake, list[ModelCall]]:
        fake = Fake(*outcomes)
        monkeypatch.setattr(door_module, "load", lambda: fake)
        calls: list[ModelCall] = []
        return Door("openai/some-model", "worker", calls.append, base_url="http://x"), fake, calls

    return make


def test_an_answer_has_text_usage_and_cost(through: Any) -> None:
    door, fake, calls = through(answer())
    call = door.complete(ASK)
    assert (call.text, call.usage.prompt, call.usage.completion) == ("hi", 7, 2)
    assert (call.cost_usd, call.finish_reason, call.error) == (0.25, "stop", None)
    assert calls == [call]
    (asked,) = fake.asked
    assert (asked["max_retries"], asked["api_base"]) == (0, "http://x")
    assert "stop" not in asked


def test_cached_tokens_are_known_only_where_they_are_told(through: Any) -> None:
    told = SimpleNamespace(
        prompt_tokens=7,
        completion_tokens=2,
        prompt_tokens_details=SimpleNamespace(cached_tokens=5),
    )
    door, _, _ = through(answer(), answer(usage=told))
    assert door.complete(ASK).usage.cached is None
    assert door.complete(ASK).usage.cached == 5


@pytest.mark.parametrize("usage", [None, SimpleNamespace(prompt_tokens=0, completion_tokens=0)])
def test_unknown_usage_and_cost_stay_unknown(through: Any, usage: Any) -> None:
    door, _, _ = through(answer(usage=usage))
    call = door.complete(ASK)
    assert call.usage == Usage()
    assert call.cost_usd is None


def test_an_unknown_price_is_no_price(through: Any) -> None:
    door, _, _ = through(answer(_hidden_params={}))
    assert door.complete(ASK).cost_usd is None


@pytest.mark.parametrize("empty", [answer(None), answer(""), answer(choices=[])])
def test_an_empty_answer_is_an_answer(through: Any, empty: Any) -> None:
    door, _, calls = through(empty)
    assert door.complete(ASK).text == ""
    assert calls[0].error == "empty answer"


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 422])
def test_refusals_are_not_tried_again(through: Any, status: int) -> None:
    door, fake, calls = through(Refusal(status))
    with pytest.raises(ModelFailed, match=f"Refusal .status {status}."):
        door.complete(ASK)
    assert len(fake.asked) == len(calls) == 1
    assert calls[0].usage == Usage(prompt=0, completion=0, cached=0)


@pytest.mark.parametrize("status", [408, 429, 500, 503, None])
def test_passing_faults_are_tried_again(through: Any, status: int | None) -> None:
    door, fake, calls = through(Refusal(status), Refusal(status), answer())
    assert door.complete(ASK).text == "hi"
    assert len(fake.asked) == len(calls) == 3


def test_attempts_come_to_an_end(through: Any) -> None:
    door, fake, _ = through(*[Refusal(503)] * 9)
    with pytest.raises(ModelFailed):
        door.complete(ASK)
    assert len(fake.asked) == ATTEMPTS


@pytest.mark.parametrize("status", [401, 408, 503, None])
def test_no_error_text_holds_a_key(through: Any, status: int | None) -> None:
    door, _, calls = through(*[Refusal(status)] * 3)
    with pytest.raises(ModelFailed) as caught:
        door.complete(ASK)
    assert KEY not in str(caught.value)
    assert KEY not in "".join(c.model_dump_json() for c in calls)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("status", [408, None])
def test_what_a_lost_answer_cost_is_unknown(through: Any, status: int | None) -> None:
    door, _, calls = through(Refusal(status), answer())
    door.complete(ASK)
    assert calls[0].usage == Usage()
    assert total_usage(calls) == Usage()
    assert total_cost(calls) is None


def test_sums() -> None:
    def call(prompt: int | None, cost: float | None) -> ModelCall:
        usage = Usage(prompt=prompt, completion=1, cached=0)
        return ModelCall(role="worker", model="m", usage=usage, cost_usd=cost)

    assert total_usage([]) == Usage(prompt=0, completion=0, cached=0)
    assert total_cost([]) == 0
    calls = [call(1, 0.1), call(2, 0.2)]
    assert total_usage(calls) == Usage(prompt=3, completion=2, cached=0)
    assert total_cost(calls) == 0.3
    calls.append(call(None, None))
    assert total_usage(calls) == Usage(prompt=None, completion=3, cached=0)
    assert total_cost(calls) is None


def test_texts_are_bounded_and_can_be_written() -> None:
    assert len(clean_text("x" * 100_000)) == 50_000
    assert clean_text("a\ud800b") == "a?b"


def test_a_script_is_played_in_order_and_ends() -> None:
    door = Door(play("in-order", ["one", "two"]), "evaluator")
    assert [door.complete(ASK).text, door.complete(ASK).text] == ["one", "two"]
    assert left("in-order") == 0
    with pytest.raises(ModelFailed, match="no reply left"):
        door.complete(ASK)


def test_our_own_providers_count_and_cost_nothing() -> None:
    call = Door(play("counted", ["one two"]), "evaluator").complete(ASK)
    assert call.usage == Usage(
        prompt=count_messages(ASK), completion=count_text("one two"), cached=0
    )
    assert call.cost_usd == 0.0
    assert is_keyless("playbook/store")
    assert not is_keyless("openai/playbook")


def test_the_playbook_brain_works_through_litellm() -> None:
    task = {"role": "user", "content": "<task>\nBuy 2x Tea\n</task>\n<state>\n{}\n</state>"}
    call = Door("playbook/store", "evaluator").complete([task])
    assert "DECISION: PROCEED" in call.text
    with pytest.raises(ModelFailed, match="no brain playbook/other"):
        Door("playbook/other", "evaluator").complete([task])


def test_a_bug_in_a_brain_is_told_and_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    from models import litellm_module

    handlers = litellm_module.load().custom_provider_map
    handler = next(h for h in handlers if h["provider"] == "scripted")["custom_handler"]
    asked: list[str] = []

    def bug(model: str, messages: Any) -> str:
        asked.append(model)
        raise ZeroDivisionError("of the brain")

    monkeypatch.setattr(handler, "_reply", bug)
    with pytest.raises(ModelFailed, match="ZeroDivisionError: of the brain"):
        Door("scripted/x", "evaluator").complete(ASK)
    assert len(asked) == 1


OFFLINE = """
import socket, os
def refuse(*a, **k):
    raise SystemExit("a connection was tried")
socket.socket.connect = socket.socket.connect_ex = refuse
socket.create_connection = socket.getaddrinfo = refuse
os.environ.pop("LITELLM_LOCAL_MODEL_COST_MAP", None)
from models.door import Door
from models.scripted import play
print(Door(play("a", ["fine"]), "worker").complete([{"role": "user", "content": "x"}]).text)
"""


def test_litellm_is_imported_and_used_without_a_connection() -> None:
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout == "fine\n", done.stderr
    assert done.stderr == ""
