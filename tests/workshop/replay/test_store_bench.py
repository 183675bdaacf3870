"""Recorded calls turned into a scenario that the platform can serve."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from core.ledger import ToolFault
from workshop.replay.store_bench import scenario_of, state_at
from workshop.simulator.store.pack import Scenario
from workshop.simulator.worlds import read_pack

Goods = Callable[..., dict[str, Any]]


def saved(shop: Any, result: dict[str, Any] | None = None) -> Scenario:
    pack = scenario_of("spec", "Buy it", shop.ledger.calls, result)
    return read_pack(json.dumps(pack)).scenarios[0]


def test_coupons_are_as_they_were_seen(open_shop: Callable[..., Any], goods: Goods) -> None:
    coupons = [
        {"code": "FIVE", "discount": {"amount": 5}},
        {"code": "TENTH", "discount": {"percent": 10}},
        {"code": "IDLE", "discount": None},
    ]
    shop = open_shop(goods("a", "A", 40), goods("b", "B", 70), coupons=coupons)
    shop.call("Combo_List_All_Products")
    shop.call(
        "Combo_Test_Coupons_For_Product_Combinations",
        combinations=[[{"sku": "a", "quantity": 1}], [{"sku": "b", "quantity": 2}]],
        coupons=["FIVE", "TENTH", "IDLE", "NONE"],
    )
    found = {c.code: c for c in saved(shop).coupons}
    assert found.keys() == {"FIVE", "TENTH", "IDLE"}
    assert found["FIVE"].discount
    assert found["FIVE"].discount.amount == 5
    assert found["TENTH"].discount
    assert found["TENTH"].discount.percent == 10
    assert (found["TENTH"].requires, found["TENTH"].min_subtotal) == ({}, 40)
    assert found["IDLE"].discount is None


def test_ghost_stock_is_kept(open_shop: Callable[..., Any]) -> None:
    shop = open_shop()
    shop.call("Combo_List_All_Products")
    shop.call("Req_AddProductToBasket", sku="pot", quantity=3)
    with pytest.raises(ToolFault, match="insufficient"):
        shop.call("Req_CheckoutBasket", expected_total=90)
    scenario = saved(shop)
    pot = next(p for p in scenario.products if p.sku == "pot")
    assert (pot.available, pot.stock_at_checkout) == (5, 1)
    assert (scenario.page_limit, scenario.expect.checkouts) == (2, 0)


def test_a_purchase_that_scored_is_what_is_expected(open_shop: Callable[..., Any]) -> None:
    shop = open_shop()
    shop.call("Req_AddProductToBasket", sku="tea", quantity=2)
    shop.call("Req_CheckoutBasket", expected_total=8)
    (event,) = saved(shop, {"score": 1.0, "group": "buy"}).expect.any_of
    assert [(i.sku, i.quantity) for i in event.items] == [("tea", 2)]
    assert (event.total, event.coupon, event.discount) == (8, "", 0)
    assert saved(shop, {"score": 0.0, "group": "buy"}).expect.checkouts == 0
    assert saved(shop, {"score": 0.0, "group": "refuse"}).expect.checkouts == 0


def test_the_state_is_worked_out_from_the_writes(open_shop: Callable[..., Any]) -> None:
    shop = open_shop(coupons=[{"code": "FIVE", "discount": {"amount": 5}}])
    start = json.dumps({"basket": shop.call("Req_ViewBasket")})
    shop.call("Req_AddProductToBasket", sku="tea", quantity=3)
    shop.call("Req_RemoveItemFromBasket", sku="tea", quantity=1)
    shop.call("Req_ApplyCoupon", coupon="FIVE")
    text = state_at(start, shop.ledger.calls)
    assert 'after 3 recorded writes: {"items": {"tea": 2}, "coupon": "FIVE"}' in text
    assert "last seen in an answer (call 4, Req_ApplyCoupon)" in text
    shop.call("Req_RemoveCoupon")
    shop.call("Req_CheckoutBasket", expected_total=8)
    assert '{"items": {}, "coupon": ""}' in state_at(start, shop.ledger.calls)
