"""The door against real HTTP: every status, every broken answer, several backends, one deadline."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

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


@pytest.mark.parametrize("fault", [*faults.READABLE, *faults.UNREADABLE])
def test_every_answer_is_billed_as_the_server_bills_it(
    model_server: Any, configured: Any, fault: str
) -> None:
    server = model_server(answer, faults.always(fault))
    calls: list[ModelCall] = []
    ModelClient("pair", "worker", KeptCalls(calls), models=configured(server)).complete(ASK)
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
