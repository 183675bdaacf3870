"""Limits of seconds, tokens and dollars."""

from __future__ import annotations

from typing import Any

import pytest

from coordinator.limits import (
    CAUTIOUS_TOKENS,
    CancelToken,
    Halt,
    LimitReached,
    Limits,
    Meter,
)
from core.models.model_call import ModelCall, Usage
from core.runs.journal import JournalFailed


def call(
    prompt: int | None = 10, completion: int | None = 5, cost: float | None = 0.0
) -> ModelCall:
    usage = Usage(prompt=prompt, completion=completion)
    return ModelCall(role="worker", model="m", usage=usage, cost_usd=cost)


def test_without_limits_nothing_is_reached() -> None:
    meter = Meter(Limits(), "task")
    for _ in range(100):
        meter.add(call(10**9, 10**9, 10.0**9))
    meter.check()


def test_tokens_of_prompt_and_completion_count_together() -> None:
    meter = Meter(Limits(tokens=30), "task")
    meter.add(call())
    meter.check()
    meter.add(call())
    with pytest.raises(LimitReached, match=r"limit reached: 30 tokens for a task .30 used."):
        meter.check()


def test_dollars() -> None:
    meter = Meter(Limits(dollars=0.5), "run")
    meter.add(call(cost=0.3))
    meter.check()
    meter.add(call(cost=0.3))
    with pytest.raises(LimitReached, match=r"0\.5 dollars for a run .0\.6 used."):
        meter.check()


def test_seconds() -> None:
    now = [100.0]
    meter = Meter(Limits(seconds=60), "run", clock=lambda: now[0])
    now[0] = 159.0
    meter.check()
    now[0] = 160.0
    with pytest.raises(LimitReached, match="60 seconds for a run"):
        meter.check()


def test_the_time_of_earlier_parts_counts_and_that_between_them_does_not() -> None:
    now = [100.0]
    meter = Meter(Limits(seconds=60), "run", clock=lambda: now[0])
    meter.lived(45.0)
    meter.lived(-1_000.0)
    now[0] = 114.0
    meter.check()
    now[0] = 115.0
    with pytest.raises(LimitReached, match=r"60 seconds for a run .60 used"):
        meter.check()


@pytest.mark.parametrize("figure", [-1_000_000, float("-inf"), float("nan"), float("inf"), 10**400])
def test_a_figure_that_cannot_be_is_unknown_and_lowers_nothing(figure: float) -> None:
    meter = Meter(Limits(tokens=CAUTIOUS_TOKENS * 2, dollars=1.0), "run")
    odd = Usage.model_validate({"prompt": figure, "completion": 5, "cached": -1})
    assert (odd.prompt, odd.completion, odd.cached) == (None, 5, None)
    odd_call = ModelCall.model_validate(
        {"role": "worker", "model": "m", "usage": odd, "cost_usd": figure}
    )
    assert odd_call.cost_usd is None
    meter.add(call(cost=0.5))
    meter.add(odd_call)
    with pytest.raises(LimitReached, match="1 dollars"):
        meter.check()
    meter.add(odd_call)
    with pytest.raises(LimitReached, match="tokens"):
        meter.check()


def test_a_call_of_unknown_size_counts_as_the_largest_known_one() -> None:
    meter = Meter(Limits(tokens=CAUTIOUS_TOKENS * 2), "task")
    meter.add(call(None, None))
    meter.check()
    meter.add(call(7, None))
    with pytest.raises(LimitReached):
        meter.check()


def test_a_call_of_unknown_price_counts_as_the_dearest_known_one() -> None:
    meter = Meter(Limits(dollars=1.0), "run")
    meter.add(call(cost=0.4))
    meter.add(call(cost=None))
    meter.check()
    meter.add(call(cost=None))
    with pytest.raises(LimitReached):
        meter.check()


def test_a_call_of_unknown_price_counts_also_where_the_price_is_known_only_later() -> None:
    meter = Meter(Limits(dollars=1.0), "run")
    meter.add(call(cost=None).model_copy(update={"error": "no answer within 120.0 s"}))
    meter.check()  # the attempt is repeated
    meter.add(call(cost=0.5))
    with pytest.raises(LimitReached, match="1 dollars"):
        meter.check()


def test_an_answer_without_a_price_ends_what_has_a_limit_of_dollars() -> None:
    without, limited = Meter(Limits(), "run"), Meter(Limits(dollars=1.0), "run")
    for meter in (without, limited):
        meter.add(call(cost=None))
    without.check()
    with pytest.raises(LimitReached, match="1 dollars for a run cannot be enforced"):
        limited.check()


def test_a_call_of_unknown_price_beside_free_ones_is_free() -> None:
    meter = Meter(Limits(dollars=1.0), "run")
    meter.add(call(cost=0.0))
    meter.add(call(cost=None))
    meter.check()


def test_a_zero_limit_is_reached_at_once() -> None:
    with pytest.raises(LimitReached):
        Meter(Limits(tokens=0), "task").check()


def test_stop() -> None:
    stop = CancelToken()
    stop.check()
    stop.request()
    assert stop.requested
    stop.wait(1000)
    with pytest.raises(Halt, match="by the user"):
        stop.check()


@pytest.fixture
def code_user(shop_json: Any) -> dict[str, Any]:
    """A task of several model calls: what its code takes off has to be tried."""
    items = [{"sku": "tea", "quantity": 2}]
    paid = {"items": items, "subtotal": 8, "coupon": "TWO", "discount": 2, "total": 6}
    codes = [{"code": "TWO", "discount": {"amount": 2}}]
    scenario: dict[str, Any] = shop_json(coupons=codes, expect={"checkouts": 1, "any_of": [paid]})
    return scenario


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        ({"task_tokens": 1}, "1 tokens for a task"),
        ({"max_tokens": 1}, "1 tokens for a run"),
        ({"task_seconds": 0}, "0 seconds for a task"),
    ],
)
def test_a_task_at_its_limit_is_closed_and_says_so(
    make_run: Any, code_user: Any, limits: dict[str, Any], text: str
) -> None:
    run = make_run(code_user, **limits)
    task = run.go().tasks[0]
    assert (task.outcome, task.failure, task.score) == ("unfinished", "limit", 0.0)
    assert text in task.error
    assert run.journal()[-2]["failure"] == "limit"
    record = run.simulator.platform.session(run.session.session_id)
    assert [t.status for t in record.tasks] == ["completed"]


def test_behind_a_run_limit_no_task_is_begun(make_run: Any, code_user: Any) -> None:
    shops = [code_user | {"spec_id": f"s{i}"} for i in range(3)]
    run = make_run(*shops, max_tokens=4_000)
    results = run.go()
    assert [t.failure for t in results.tasks] == [None, "limit"]
    assert run.session.unplayed == 1
    assert "tokens for a run" in run.session.limit
    assert results.finished is None
    books = run.simulator.platform.session(run.session.session_id)
    assert [t.status for t in books.tasks] == ["completed", "completed", "new"]


def test_a_failed_journal_leaves_the_other_tasks_open() -> None:
    stop = CancelToken()
    stop.break_off("disk full")
    assert stop.requested
    with pytest.raises(JournalFailed, match="disk full"):
        stop.check()


LOOKS = "<code>\nfinal_answer(Combo_List_All_Products())\n</code>"
BUYS = """<code>
Combo_Set_Basket_For_Items(items=[{"sku": "tea", "quantity": 2}])
print(Req_CheckoutBasket(expected_total=8))
</code>"""


def test_a_limit_that_is_reached_after_the_purchase_takes_nothing_back(
    make_run: Any, tea_buyer: Any
) -> None:
    go = "THOUGHT: buy\nDECISION: PROCEED\nINSTRUCTION: "
    line = "CHECKOUT: items tea×2; no coupon; total at most 8"
    says = [f"{go}List all.", f"{go}Buy two.\n{line}"]
    # Room for the question and the first step; the second step is not asked for.
    run = make_run(tea_buyer, says=says, does=[LOOKS, BUYS, BUYS], task_tokens=2_400)
    task = run.go().tasks[0]
    assert (task.ended, task.failure, task.acts) == ("purchased", None, 1)
    assert task.score == 1.0
    assert "limit reached" in task.error
