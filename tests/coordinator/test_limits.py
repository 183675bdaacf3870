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


@pytest.mark.parametrize(
    ("limits", "calls", "reached"),
    [
        ({}, [(10**9, 10**9, 1e9)] * 9, None),
        ({"tokens": 30}, [(10, 5, 0.0)], None),
        ({"tokens": 30}, [(10, 5, 0.0)] * 2, "30 tokens for a run (30 used)"),
        ({"tokens": 0}, [], "0 tokens"),
        ({"dollars": 0.5}, [(1, 1, 0.3)], None),
        ({"dollars": 0.5}, [(1, 1, 0.3)] * 2, "0.5 dollars for a run (0.6 used)"),
        # of unknown size: as the largest known call
        ({"tokens": CAUTIOUS_TOKENS * 2}, [(None, None, 0.0)], None),
        ({"tokens": CAUTIOUS_TOKENS * 2}, [(None, None, 0.0), (7, None, 0.0)], "tokens"),
        # of unknown price: as the dearest known call, free beside free ones, else the end
        ({"dollars": 1.0}, [(1, 1, 0.4), (1, 1, None)], None),
        ({"dollars": 1.0}, [(1, 1, 0.4), (1, 1, None), (1, 1, None)], "1 dollars"),
        ({"dollars": 1.0}, [(1, 1, 0.0), (1, 1, None)], None),
        ({"dollars": 1.0}, [(1, 1, None)], "1 dollars for a run cannot be enforced"),
    ],
)
def test_what_was_spent_is_held_against_the_limits(
    limits: dict[str, Any], calls: list[tuple[Any, Any, Any]], reached: str | None
) -> None:
    meter = Meter(Limits(**limits), "run")
    for one in calls:
        meter.add(call(*one))
    if reached is None:
        meter.check()
        return
    with pytest.raises(LimitReached) as limit:
        meter.check()
    assert reached in str(limit.value)


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


def test_a_call_of_unknown_price_counts_also_where_the_price_is_known_only_later() -> None:
    meter = Meter(Limits(dollars=1.0), "run")
    meter.add(call(cost=None).model_copy(update={"error": "no answer within 120.0 s"}))
    meter.check()  # the attempt is repeated
    meter.add(call(cost=0.5))
    with pytest.raises(LimitReached, match="1 dollars"):
        meter.check()


def test_stop() -> None:
    stop = CancelToken()
    stop.check()
    stop.request()
    assert stop.requested
    stop.wait(1000)
    with pytest.raises(Halt, match="by the user"):
        stop.check()
    stop.break_off("disk full")
    with pytest.raises(JournalFailed, match="disk full"):
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
