"""Requests that the platform saw become a result: nothing is added, unknown stays unknown."""

from __future__ import annotations

from typing import Any

import pytest

from cli.lab import LAB
from core.models.model_call import Usage
from tests.conftest import pack_of, scenario
from workshop.agent_adapter.outcome import (
    Cause,
    cost_of,
    played,
    requests_of,
    tasks_of,
    tokens_of,
)
from workshop.simulator.platform import Platform, Session, Task
from workshop.simulator.telemetry import ModelReport

store = LAB["store"]

KEY = "key-x"
LEFT = Cause("agent", "left")


@pytest.fixture
def platform() -> Platform:
    buy = {"items": [{"sku": "tea", "quantity": 2}]}
    shops = (
        scenario(spec_id="a", expect={"checkouts": 1, "any_of": [buy]}),
        scenario(spec_id="b", expect={"checkouts": 0}),
    )
    return Platform(pack_of(*shops))


def open_session(platform: Platform) -> Session:
    body = {"account_key": KEY, "benchmark": "store", "workspace": "w"}
    return platform.sessions[platform.call_core("/sessions/start", body)["session_id"]]


def outcome(platform: Platform, task: Task, cause: Cause | None = None) -> Any:
    return played(platform, task, cause)


def test_a_task_that_was_completed_has_all_that_was_seen(platform: Platform) -> None:
    task = open_session(platform).tasks[0]
    platform.call_core("/tasks/start", {"task_id": task.task_id})
    platform.call(task.task_id, "/basket/add", {"tool": "/basket/add", "sku": "tea", "quantity": 2})
    report = {"model": "openai/gpt-4o-mini", "duration_sec": 1.5, "completion": ""}
    tokens = {"prompt_tokens": 100, "completion_tokens": 10, "cached_prompt_tokens": 0}
    platform.call_core("/tasks/log", {"task_id": task.task_id, **report, **tokens})
    platform.call(task.task_id, "/basket/checkout", {})
    task.note("info", "fault: drop for /basket/checkout")
    platform.call_core("/tasks/complete", {"task_id": task.task_id})
    played_task = outcome(platform, task)
    result = played_task.result
    assert (result.score, result.outcome, result.verdict) == (1.0, "finished", "purchased")
    assert (result.acts, result.harm, result.requests, result.turns) == (1, False, 2, 1)
    assert (result.lost, result.doubled, result.unauthorised) == (0, 0, 0)
    assert result.tokens == Usage(prompt=100, completion=10, cached=0)
    assert result.cost_usd == pytest.approx(100 * 1.5e-7 + 10 * 6e-7)
    assert result.seconds == round((task.ended or 0) - task.log[0].moment, 3)
    assert [one.path for one in played_task.observed] == [
        "/basket/add",
        "/tasks/log",
        "/basket/checkout",
    ]
    assert played_task.observed[0].body == '{"sku":"tea","quantity":2}'
    assert played_task.observed[0].answer == '{"line_count":1,"item_count":2}'
    assert "fault: drop for /basket/checkout" in played_task.remarks
    assert len(played_task.events) == 1
    assert played_task.result.paid == 8


def test_a_request_without_a_recorded_answer_and_a_long_one_are_told(platform: Platform) -> None:
    task = open_session(platform).tasks[0]
    platform.call_core("/tasks/start", {"task_id": task.task_id})
    task.note("request", "store.Req_ViewBasket", {})
    task.note("request", "store.Req_ListProducts", {"offset": 0, "limit": 9})
    task.note("error", "Status: 400, Error: no, Code: ")
    task.note("request", "store.Req_ListProducts", {})
    task.note("response", "store.Resp_ProductListPage", {"products": [{"name": "x" * 9000}]})
    lost, refused, long = requests_of(platform, task)
    assert (lost.path, lost.answer, lost.error) == ("/basket/view", None, None)
    assert (refused.answer, refused.error) == (None, "Status: 400, Error: no, Code: ")
    assert len(long.answer or "") <= 4_000


def test_a_completed_task_of_a_submitted_session_beats_every_other(platform: Platform) -> None:
    """Some agents prepare themselves with a single start of every task."""
    abandoned = platform.start_new_task("store", "a")
    practised = platform.start_new_task("store", "b")
    platform.call_core("/tasks/complete", {"task_id": practised.task_id})
    session = open_session(platform)
    for task in session.tasks:
        platform.call_core("/tasks/start", {"task_id": task.task_id})
    assert tasks_of(platform)["a"][0] is abandoned
    assert tasks_of(platform)["b"][0] is practised
    for task in session.tasks:
        platform.call_core("/tasks/complete", {"task_id": task.task_id})
    assert tasks_of(platform)["a"][0] is session.tasks[0], "completed beats abandoned"
    platform.call_core("/sessions/submit", {"session_id": session.session_id})
    assert [tasks_of(platform)[spec][0] for spec in "ab"] == list(session.tasks)


def test_a_task_that_was_left_is_unknown_and_one_that_was_handed_in_is_not(
    platform: Platform,
) -> None:
    session = open_session(platform)
    begun, never = session.tasks
    platform.call_core("/tasks/start", {"task_id": begun.task_id})
    left = outcome(platform, begun, LEFT).result
    assert (left.score, left.failure, left.error, left.verdict) == (None, "agent", "left", None)
    assert (left.tokens, left.cost_usd) == (Usage(), None)
    assert outcome(platform, never, LEFT).result.error == "left"
    platform.call_core("/sessions/submit", {"session_id": session.session_id, "force": True})
    for task in session.tasks:
        result = outcome(platform, task, LEFT).result
        assert (result.score, result.failure) == (0.0, "agent")
        assert "submitted its session" in (result.error or "")


@pytest.mark.parametrize("model", ["", "nobody/knows-this-9", "openai/gpt-4o-mini"])
def test_a_price_or_tokens_that_nobody_knows_make_the_sum_unknown(model: str) -> None:
    known = ModelReport("openai/gpt-4o-mini", 1.0, 1000, 0)
    other = ModelReport(model, 1.0, None if model == known.model else 5, 5)
    assert cost_of([known]) == pytest.approx(1000 * 1.5e-7)
    assert (cost_of([known, other]), cost_of([])) == (None, None)
    assert tokens_of([known, known]) == Usage(prompt=2000, completion=0)
    assert tokens_of([known, other]).prompt == (None if other.prompt is None else 1005)
    assert tokens_of([]) == Usage()
