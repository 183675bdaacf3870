"""The fake server itself: what it plays is what it says, and its books are right."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from core.models.reprompt import UNUSABLE
from tests.kit import fake_openai_faults as faults
from tests.kit.fake_openai import Billed

ASK = [{"role": "system", "content": "s" * 600}, {"role": "user", "content": "hello"}]


CLIENT = httpx.Client(verify=False, trust_env=False, timeout=60)
"""One for all: loading certificates would take most of a test."""


def post(
    server: Any, messages: Any = ASK, key: str = "sk-one", seconds: float = 60, **more: Any
) -> httpx.Response:
    headers = {"Authorization": f"Bearer {key}"}
    body = {"model": "fake-large", "messages": messages, **more}
    url = f"{server.base_url}/chat/completions"
    return CLIENT.post(url, json=body, headers=headers, timeout=seconds)


def test_a_clean_answer_is_counted(model_server: Any) -> None:
    server = model_server(lambda model, messages: f"{model}: {messages[-1]['content']}")
    answer = post(server, temperature=0.5).json()
    assert answer["choices"][0]["message"]["content"] == "fake-large: hello"
    assert server.billed == Billed(prompt=159, completion=5, cached=128)
    assert answer["usage"] == server.billed.wire()
    (ask,) = server.seen
    assert (ask.key, ask.model, ask.nth, ask.fault) == ("sk-one", "fake-large", 0, None)
    assert ask.body["temperature"] == 0.5


def test_models_are_listed_for_the_right_key_only(model_server: Any) -> None:
    server = model_server(key="sk-right")
    url = f"{server.base_url}/models"
    good = CLIENT.get(url, headers={"Authorization": "Bearer sk-right"})
    assert good.json()["data"][0]["id"] == "fake-large"
    assert CLIENT.get(url).status_code == 401
    assert post(server, key="sk-wrong").status_code == 401
    assert server.met == {"401": 2}


@pytest.mark.parametrize("fault", faults.STATUS)
def test_statuses(model_server: Any, fault: str) -> None:
    server = model_server(lambda *_: "ok", faults.in_turn(fault))
    refused = post(server)
    assert refused.status_code == int(fault.split("-")[0] if fault[0].isdigit() else 400)
    assert refused.json()["error"]["message"]
    assert ("retry-after" in refused.headers) == (fault == "429-after")
    assert post(server).status_code == 200
    assert [ask.nth for ask in server.seen] == [0, 1]


def test_plans_are_functions_of_seed_prompt_and_ask() -> None:
    asks = [[{"role": "user", "content": str(n)}] for n in range(400)]
    plan, again = (faults.by_seed(7, ["429", "html"], 0.5) for _ in range(2))
    met = [plan(a, 0) for a in asks]
    assert met == [again(a, 0) for a in asks]
    assert met != [faults.by_seed(8, ["429", "html"], 0.5)(a, 0) for a in asks]
    assert {"429", "html", None} == set(met)
    assert 150 < sum(name is not None for name in met) < 250
    assert not any(plan(a, 1) for a in asks)
    assert not any(plan([{"role": "user", "content": f"{UNUSABLE}{n}"}], 0) for n in range(400))


def test_an_unknown_fault_is_an_error() -> None:
    with pytest.raises(ValueError, match="no fault 'nonsense'"):
        faults.always("nonsense")([], 0)
