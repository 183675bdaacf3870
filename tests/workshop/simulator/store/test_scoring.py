"""The evaluator's score and its lines."""

from collections.abc import Callable

import pytest

from workshop.simulator.store.pack import Pack
from workshop.simulator.store.scoring import evaluate
from workshop.simulator.store.shop import Shop
from workshop.simulator.world import NO_STATISTICS

RIGHT = {"cup": 1, "tea-green": 2}
COUNT_MATCHES = "GOOD: Expected number of checkout events matches: 1"


@pytest.fixture
def score(make_pack: Callable[..., Pack]) -> Callable[..., tuple[float, list[str]]]:
    def run(
        *baskets: dict[str, int], coupon: str = "TEATIME", logged: bool = True, **changes: object
    ) -> tuple[float, list[str]]:
        scenario = make_pack().scenarios[0]
        if changes:
            scenario = scenario.model_copy(update=changes)
        shop = Shop(scenario)
        for basket in baskets:
            for sku, quantity in basket.items():
                shop.add(sku, quantity)
            shop.apply_coupon(coupon)
            shop.checkout()
        evaluation = evaluate(scenario, shop.purchases, logged)
        return evaluation.score, evaluation.logs.splitlines()

    return run


Score = Callable[..., tuple[float, list[str]]]


def test_match(score: Score) -> None:
    expected = (1.0, [COUNT_MATCHES, "GOOD: Checkout event matches expectation"])
    assert score(RIGHT) == expected


def test_mismatch_shows_both_events(score: Score) -> None:
    assert score(RIGHT, coupon="") == (
        0.0,
        [
            COUNT_MATCHES,
            "FAIL: Checkout event does not match expectation.",
            "Expected: *Evt_BasketCheckedOut{Items:[{cup 1 7} {tea-green 2 4}], "
            "Subtotal:15, Coupon:TEATIME, Discount:3, Total:12}",
            "Actual:   &{Items:[{SKU:tea-green Quantity:2 Price:4} "
            "{SKU:cup Quantity:1 Price:7}] Subtotal:15 Coupon: Discount:0 Total:15}",
        ],
    )


def test_only_given_fields_are_compared(score: Score, make_pack: Callable[..., Pack]) -> None:
    expect = make_pack().scenarios[0].expect
    bare = expect.any_of[0].model_copy(
        update={"subtotal": None, "coupon": None, "discount": None, "total": None}
    )
    loose = expect.model_copy(update={"any_of": (bare,)})
    assert score(RIGHT, coupon="", expect=loose)[0] == 1.0
    no_coupon = expect.model_copy(update={"any_of": (bare.model_copy(update={"coupon": ""}),)})
    assert score(RIGHT, coupon="", expect=no_coupon)[0] == 1.0
    assert score(RIGHT, expect=no_coupon)[0] == 0.0
    either = expect.model_copy(update={"any_of": (*expect.any_of, *no_coupon.any_of)})
    assert score(RIGHT, coupon="", expect=either)[0] == 1.0
    assert " or *Evt_BasketCheckedOut{" in score({"cup": 1}, expect=either)[1][2]


@pytest.mark.parametrize("baskets", [(), (RIGHT, RIGHT)], ids=["no purchase", "a second purchase"])
def test_wrong_count(score: Score, baskets: tuple[dict[str, int], ...]) -> None:
    line = f"FAIL: Expected number of checkout events: 1, found: {len(baskets)}"
    assert score(*baskets) == (0.0, [line])


def test_declining(score: Score, make_pack: Callable[..., Pack]) -> None:
    decline = make_pack().scenarios[0].expect.model_copy(update={"checkouts": 0, "any_of": ()})
    good = "GOOD: Expected number of checkout events matches: 0"
    assert score(expect=decline) == (1.0, [good])
    assert score(RIGHT, expect=decline)[0] == 0.0


def test_penalty_without_statistics(score: Score) -> None:
    points, lines = score(RIGHT, logged=False)
    assert points == pytest.approx(0.9)
    assert lines[-1] == NO_STATISTICS
    assert score(logged=False)[0] == 0.0
