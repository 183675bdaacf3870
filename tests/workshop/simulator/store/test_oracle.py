"""Demands and certificates: which purchase is best, and what is not."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from workshop.generators.store.oracle.demand import Demand, Limit, Want
from workshop.generators.store.oracle.market import Market, Rebate, Ware
from workshop.generators.store.oracle.solve import expects_the_best, solve
from workshop.generators.store.scenario import Options, make_scenario

Scenario = dict[str, Any]

UNITS = Want({"six": 6, "twelve": 12}, "exact", 24)


def test_stock_is_what_checkout_finds() -> None:
    products = [{"sku": "a", "price": 3, "available": 5, "stock_at_checkout": 2}]
    assert Market.of_scenario(products, []).ware("a").stock == 2


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Want({"a": 1}, "exact", 0),
        lambda: Want({"a": 0}),
        lambda: Demand((Want({"a": 1}), Want({"a": 1}))),
        lambda: Demand((Want({"a": 1}),), extras=("b",)),
        lambda: Rebate("ALL", percent=100),
    ],
)
def test_a_demand_without_sense_is_refused(wrong: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"."):
        wrong()


def test_additions_that_cost_next_to_nothing_are_refused() -> None:
    market = Market((Ware("a", 9, 1), Ware("b", 1, 9)), (Rebate("X", percent=50),))
    demand = Demand((Want({"a": 1}),), coupon_rule="may", codes=("X",), extras=("b",))
    with pytest.raises(ValueError, match=r"\$2"):
        solve(demand, market)


def test_a_demand_survives_json() -> None:
    spare = Demand((Want({"dip": 1}, "up_to", None),))
    demand = Demand((UNITS,), "cheapest", Limit(9, False), "may", ("X",), ("dip",), spare)
    assert Demand.from_json(demand.to_json()) == demand


@pytest.fixture(scope="module")
def bought() -> Scenario:
    options = Options(mechanics=("packs-coupons",))
    return next(
        scenario
        for scenario in (make_scenario("certificate", n, options) for n in range(50))
        if scenario["oracle"]["answers"] == 1 and scenario["expect"]["any_of"][0].get("coupon")
    )


def test_a_true_certificate_passes(bought: Scenario) -> None:
    assert expects_the_best(bought)


def _event(scenario: Scenario) -> Scenario:
    event: Scenario = scenario["expect"]["any_of"][0]
    return event


def _dearer(scenario: Scenario) -> None:
    # Honest in the shop, and not the best: the same basket without its coupon.
    event = _event(scenario)
    del event["coupon"]
    event.update(discount=0, total=event["subtotal"])


def _cheaper_exists(scenario: Scenario) -> None:
    for product in scenario["products"]:
        if product["sku"] in scenario["oracle"]["demand"]["wants"][0]["choices"]:
            product["price"] = 3


def _wrong_total(scenario: Scenario) -> None:
    _event(scenario)["total"] -= 1


def _too_many(scenario: Scenario) -> None:
    _event(scenario)["items"][0]["quantity"] += 1


def _not_in_stock(scenario: Scenario) -> None:
    sku = _event(scenario)["items"][0]["sku"]
    next(p for p in scenario["products"] if p["sku"] == sku)["stock_at_checkout"] = 0


def _refused(scenario: Scenario) -> None:
    scenario["expect"] = {"checkouts": 0}
    scenario["oracle"]["chosen"] = None


@pytest.mark.parametrize(
    "spoil",
    [_dearer, _cheaper_exists, _wrong_total, _too_many, _not_in_stock, _refused],
)
def test_an_expectation_that_is_not_the_best_is_found(
    bought: Scenario, spoil: Callable[[Scenario], None]
) -> None:
    scenario = copy.deepcopy(bought)
    spoil(scenario)
    assert not expects_the_best(scenario)


def test_a_missing_equal_answer_is_found() -> None:
    drawn = (make_scenario("ties", n, Options(mechanics=("split-stock",))) for n in range(200))
    scenario = next(one for one in drawn if one["oracle"]["answers"] > 1)
    assert expects_the_best(scenario)
    scenario["expect"]["any_of"].pop()
    assert not expects_the_best(scenario)
