"""The door against real HTTP: every status, every broken answer, several backends, one deadline."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from core.models import retries
from core.models.model_call import KeptCalls, ModelCall, total_usage
from core.models.model_client import ModelClient, ModelFailed
from core.models.models_file import Models, load_models
from tests.kit import fake_openai_faults as faults
from tests.kit.fake_openai import FakeOpenAI

ASK = [{"role": "system", "content": "s" * 400}, {"role": "user", "content": "hello"}]
SAID = "THOUGHT: look\nDECISION: PROCEED\nINSTRUCTION: List."
KEYS = {"KEY_0": "sk-first-8c1f77aa90", "KEY_1": "sk-second-5b2e66dd31"}


def answer(*_: object) -> str:
    return SAID


Doors = Callable[..., tuple[ModelClient, list[ModelCall]]]


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Models]:
    """Settings with one model ``pair`` at the given servers, in order."""
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)

    def make(*servers: FakeOpenAI, **params: object) -> Models:
        backends = ",\n".join(
            f'{{ name = "b{n}", model = "openai/fake-large", base_url = "{s.base_url}", '
            f'key_variable = "KEY_{n}" }}'
            for n, s in enumerate(servers)
        )
        lines = "\n".join(f"{name} = {value}" for name, value in params.items())
        path = tmp_path / "models.toml"
        path.write_text(f"[models.pair]\n{lines}\nbackends = [\n{backends}\n]\n")
        return load_models(path)

    return make


@pytest.fixture
def door_to(configured: Callable[..., Models]) -> Doors:
    """A door to servers, and the records of its attempts; nobody sleeps between them."""

    def make(*servers: FakeOpenAI, **params: object) -> tuple[ModelClient, list[ModelCall]]:
        calls: list[ModelCall] = []
        models = configured(*servers, **params)
        client = ModelClient(
            "pair", "worker", KeptCalls(calls), models=models, sleep=lambda seconds: None
        )
        return client, calls

    return make


PASSING = ["429", "429-after", "500", "502", "503", "529", *faults.BROKEN, "no-choices", "drop"]


@pytest.mark.parametrize("fault", PASSING)
def test_a_passing_fault_is_met_with_another_attempt(
    model_server: Any, door_to: Doors, fault: str
) -> None:
    server = model_server(answer, faults.in_turn(fault))
    client, calls = door_to(server)
    assert client.complete(ASK).text == SAID
    assert [ask.fault for ask in server.seen] == [fault, None]
    first, second = calls
    assert first.error
    assert (first.next or "").startswith("again in ")
    assert (second.error, second.attempt, second.backend) == (None, 2, "b0")
    assert second.usage.completion == server.billed.completion


def test_a_bill_without_an_answer_is_counted(model_server: Any, door_to: Doors) -> None:
    server = model_server(answer, faults.in_turn("no-choices-billed"))
    client, calls = door_to(server)
    client.complete(ASK)
    assert len(calls) == 2
    assert total_usage(calls).prompt == server.billed.prompt


UNTOLD = [name for name in faults.BROKEN if name != "error-200"]
"""An error in the body is a refusal and costs nothing; of the others nobody knows."""


@pytest.mark.parametrize("fault", [*UNTOLD, "no-choices", "no-usage", "drop"])
def test_what_nobody_told_stays_unknown(model_server: Any, door_to: Doors, fault: str) -> None:
    server = model_server(answer, faults.in_turn(fault))
    client, calls = door_to(server)
    client.complete(ASK)
    assert total_usage(calls).prompt is None


@pytest.mark.parametrize("fault", [*faults.READABLE, *faults.UNREADABLE])
def test_every_answer_is_billed_as_the_server_bills_it(
    model_server: Any, door_to: Doors, fault: str
) -> None:
    server = model_server(answer, faults.always(fault))
    client, calls = door_to(server)
    client.complete(ASK)
    assert total_usage(calls).model_dump() == vars(server.billed)
    assert len(calls) == len(server.seen) == 1


@pytest.mark.promise("what comes from outside is bounded")
def test_the_deadline_holds_over_attempts_and_backends(model_server: Any, configured: Any) -> None:
    servers = [model_server(answer, faults.always("slow")) for _ in range(2)]
    calls: list[ModelCall] = []
    models = configured(*servers, deadline_seconds=0.6, timeout_seconds=0.25)
    client = ModelClient("pair", "worker", KeptCalls(calls), models=models)
    began = time.perf_counter()
    with pytest.raises(ModelFailed) as failed:
        client.complete(ASK)
    assert time.perf_counter() - began < 25  # a slow answer takes 30
    assert failed.value.kind == "timeout"
    assert {c.error_kind for c in calls} == {"timeout"}
    assert total_usage(calls).prompt is None


def test_a_backend_that_is_well_again_is_preferred_again(
    model_server: Any, door_to: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retries, "COOL_DOWN_SECONDS", 0.05)
    first, second = model_server(answer, faults.always("503")), model_server(answer)
    client, _ = door_to(first, second)
    assert client.complete(ASK).backend == "b1"
    first.plan = lambda messages, nth: None
    limit = time.monotonic() + 100
    while client.complete(ASK).backend != "b0":
        assert time.monotonic() < limit
    assert client.complete(ASK).backend == "b0"


def test_a_missing_key_is_said_and_the_next_backend_asked(
    model_server: Any, door_to: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = model_server(answer), model_server(answer)
    monkeypatch.delenv("KEY_0")
    client, calls = door_to(first, second)
    assert client.complete(ASK).backend == "b1"
    assert first.seen == []
    assert "KEY_0 is not set" in (calls[0].error or "")


def test_many_threads_learn_from_one_another(model_server: Any, configured: Any) -> None:
    """Eight tasks with doors of their own find out once that a backend is ill."""
    ill, well = model_server(answer, faults.always("401")), model_server(answer)
    models = configured(ill, well)
    calls: list[ModelCall] = []

    def task(number: int) -> str:
        client = ModelClient(
            "pair", "worker", KeptCalls(calls), models=models, sleep=lambda seconds: None
        )
        asks = [[*ASK, {"role": "user", "content": f"{number} {n}"}] for n in range(5)]
        return "".join(client.complete(ask).backend for ask in asks)

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(task, range(8))) == {"b1" * 5}
    assert len(ill.seen) <= 8
    assert len(well.seen) == 40
    assert len(calls) == len(ill.seen) + 40
    assert total_usage(calls).model_dump() == vars(well.billed)
