"""The patient platform over real HTTP: faults of the pack on the paths of a task."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import pytest

from core.erc3_client import ERC3, ApiError, ApiException, transport_errors
from core.erc3_client.retrying_platform import RetryingPlatform
from workshop.simulator.server import serve
from workshop.simulator.worlds import read_pack

SCENARIO: dict[str, Any] = {
    "spec_id": "pen",
    "task_text": "Buy nothing",
    "page_limit": 2,
    "products": [{"sku": "pen", "name": "Pen", "price": 3, "available": 4}],
    "coupons": [],
    "expect": {"checkouts": 0},
}
STATUS = {"kind": "status", "status": 503}
BEFORE, AFTER = {"kind": "drop"}, {"kind": "drop", "after": True}
GARBAGE, TWICE = {"kind": "garbage"}, {"kind": "twice"}
EVERY = [STATUS, BEFORE, AFTER, GARBAGE, TWICE]


class Place:
    """A platform with faults, and the patient client of one session on it."""

    def __init__(self, simulator: Any) -> None:
        self.platform = simulator.platform
        self.client = RetryingPlatform(ERC3(key="key-test", base_url=simulator.base_url))
        self.session_id = self.client.start_session("store", "here").session_id
        (self.task,) = self.client.session_status(self.session_id).tasks

    @property
    def truth(self) -> Any:
        return self.platform.task(self.task.task_id)


@pytest.fixture
def place() -> Iterator[Any]:
    with ExitStack() as stack:

        def start(*faults: dict[str, Any]) -> Place:
            pack = {"format": "store-pack/1", "name": "p", "scenarios": [SCENARIO]}
            pack["scenarios"] = [SCENARIO | {"faults": list(faults)}]
            return Place(stack.enter_context(serve(read_pack(json.dumps(pack)))))

        yield start


def fault(path: str, kind: dict[str, Any], nth: int = 1, times: int = 1) -> dict[str, Any]:
    return {"on": path, "nth": nth, "times": times, **kind}


@pytest.mark.parametrize("kind", EVERY, ids=str)
def test_the_way_of_a_task_is_gone_whatever_fails_on_it(place: Any, kind: dict[str, Any]) -> None:
    paths = ("/tasks/start", "/tasks/log", "/tasks/view", "/tasks/complete")
    here = place(*(fault(path, kind) for path in paths))
    assert here.client.start_task(here.task).status == "in_progress"
    here.client.log_llm(
        task_id=here.task.task_id,
        model="m",
        duration_sec=0.1,
        completion="hello",
        prompt_tokens=1,
        completion_tokens=1,
    )
    assert here.client.task_detail(here.task.task_id).text == "Buy nothing"
    done = here.client.complete_task(here.task)
    assert done.eval is not None
    assert (done.eval.score, here.truth.status) == (1.0, "completed")
    assert len(here.truth.reports) >= 1
    assert here.client.submit_session(here.session_id).status == "submitted"


def test_a_task_that_is_gone_for_long_is_given_up(place: Any) -> None:
    here = place(fault("/tasks/start", BEFORE, times=5))
    with pytest.raises(transport_errors()):
        here.client.start_task(here.task)
    assert here.truth.status == "new"
    assert here.client.start_task(here.task).status == "in_progress"


def test_a_report_is_made_twice_at_most(place: Any) -> None:
    here = place(fault("/tasks/log", STATUS, times=2))
    here.client.start_task(here.task)
    with pytest.raises(ApiException):
        here.client.log_llm(
            task_id=here.task.task_id,
            model="m",
            duration_sec=0.1,
            completion="hello",
            prompt_tokens=1,
            completion_tokens=1,
        )
    assert len(here.truth.reports) == 0


@pytest.mark.parametrize("kind", [BEFORE, AFTER, GARBAGE, STATUS], ids=str)
def test_a_new_task_is_started_once_where_no_answer_came(place: Any, kind: dict[str, Any]) -> None:
    here = place(fault("/tasks/start", kind))
    with pytest.raises((ApiException, *transport_errors())):
        here.client.start_new_task("store", "pen")
    started = len(here.platform._tasks) - 1
    assert started == (1 if kind in (AFTER, GARBAGE) else 0)


def test_a_new_task_that_was_turned_away_is_started_again(place: Any) -> None:
    here = place(fault("/tasks/start", {"kind": "status", "status": 429}, times=2))
    assert here.client.start_new_task("store", "pen").status == "in_progress"
    assert len(here.platform._tasks) == 2


class Stern:
    """A platform that refuses what it has done already, and loses its first answer."""

    def __init__(self, status: str) -> None:
        self.status = status
        self.asked: list[str] = []

    def refuse(self, name: str) -> Any:
        self.asked.append(name)
        if len(self.asked) == 1:
            raise transport_errors()[0]("connection lost")
        raise ApiException(ApiError(status=400, error="not again", code=""), None)

    def start_task(self, task: Any) -> Any:
        return self.refuse("start")

    def complete_task(self, task: Any) -> Any:
        return self.refuse("complete")

    def submit_session(self, session_id: str, force: bool = False) -> Any:
        return self.refuse("submit")

    def start_session(self, *args: Any, **kwargs: Any) -> Any:
        return self.refuse("session")

    def task_detail(self, task_id: str) -> Any:
        return SimpleNamespace(status=self.status, session_id="ssn-1", score=0.5)

    def session_status(self, session_id: str) -> Any:
        return SimpleNamespace(status=self.status)


TASK = SimpleNamespace(task_id="tsk-1")


def stern(status: str) -> tuple[Any, RetryingPlatform]:
    platform: Any = Stern(status)
    return platform, RetryingPlatform(platform)


def test_a_refused_repetition_is_looked_up() -> None:
    platform, client = stern("in_progress")
    started = client.start_task(TASK)
    assert (started.task_id, started.status) == ("tsk-1", "in_progress")
    assert platform.asked == ["start", "start"]
    done = stern("completed")[1].complete_task(TASK)
    assert done.eval is not None
    assert (done.status, done.eval.score) == ("already_completed", 0.5)
    assert stern("evaluated")[1].submit_session("ssn-1").status == "evaluated"


def test_a_refusal_stands_where_the_state_does_not_explain_it() -> None:
    for platform, client, call in (
        (*stern("new"), "start_task"),
        (*stern("in_progress"), "complete_task"),
    ):
        with pytest.raises(ApiException, match="not again"):
            getattr(client, call)(TASK)
        assert len(platform.asked) == 2
    with pytest.raises(ApiException, match="not again"):
        stern("open")[1].submit_session("ssn-1")


def test_a_session_is_never_opened_twice() -> None:
    platform, client = stern("open")
    with pytest.raises(transport_errors()):
        client.start_session("store", "here")
    assert platform.asked == ["session"]


def test_the_rest_is_the_clients_own() -> None:
    client = ERC3(key="key-test", base_url="http://127.0.0.1:9")
    patient = RetryingPlatform(client)
    assert patient.base_url == client.base_url
    assert type(patient.get_store_client(TASK)) is type(client.get_store_client(TASK))
    with pytest.raises(AttributeError):
        _ = patient.nothing
