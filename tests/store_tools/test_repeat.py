"""Recorded requests sent again to a new shop."""

from __future__ import annotations

from typing import Any

import pytest

from ledger import Ledger, ToolFault, WireCall


def wires(shop: Any) -> list[WireCall]:
    return [w for c in shop.ledger.calls for w in c.requests]


def wire(path: str, outcome: str, **body: object) -> WireCall:
    return WireCall.model_validate(
        {"path": path, "body": body, "kind": "write", "outcome": outcome}
    )


def test_a_new_shop_comes_to_stand_where_the_old_one_stood(
    open_shop: Any, make_benchmark: Any
) -> None:
    coupons = [{"code": "TEN", "discount": {"percent": 10}}]
    old, new = open_shop(coupons=coupons), open_shop(coupons=coupons)
    old.call("Req_ListProducts", limit=50)
    old.call("Combo_Set_Basket_For_Items", items=[{"sku": "pot", "quantity": 3}], coupon="TEN")
    old.call("Req_AddProductToBasket", sku="tea", quantity=2)
    for name, arguments in (
        ("Req_CheckoutBasket", {"expected_total": 89, "expected_coupon": "TEN"}),
        ("Req_ApplyCoupon", {"coupon": "NOPE"}),
    ):
        with pytest.raises(ToolFault):
            old.call(name, **arguments)
    old.call("Req_RemoveItemFromBasket", sku="tea", quantity=1)
    benchmark, ledger = make_benchmark(new), Ledger()
    assert benchmark.repeat(wires(old), ledger) == []
    assert (new.held, new.coupon) == (old.held, old.coupon) == ({"pot": 3, "tea": 1}, "TEN")
    assert new.task.shop._stock == old.task.shop._stock
    writes = [w for w in wires(old) if w.kind == "write"]
    assert new.line.sent == [w.path for w in writes]
    assert ledger.requests == len(writes)
    learnt = benchmark._session
    assert (learnt.looked, learnt.page_limit, learnt.rejected_coupons) == (True, 2, {"NOPE"})


def test_a_purchase_that_is_repeated_counts(open_shop: Any, make_benchmark: Any) -> None:
    benchmark = make_benchmark(open_shop())
    add = wire("/basket/add", "done", sku="tea", quantity=2)
    assert benchmark.repeat([add, wire("/basket/checkout", "done")], Ledger()) == []
    assert (benchmark.checkouts, benchmark.finished()) == (1, "checked out")


def test_what_goes_otherwise_is_told(open_shop: Any, make_benchmark: Any) -> None:
    benchmark = make_benchmark(open_shop())
    odd = benchmark.repeat(
        [
            wire("/basket/add", "failed", sku="tea", quantity=2),
            wire("/basket/remove", "done", sku="cup", quantity=1),
            wire("/basket/remove", "unknown", sku="cup", quantity=1),
            wire("/coupon/remove", "done"),
            wire("/basket/paint", "done"),
        ],
        Ledger(),
    )
    assert [text.split(" {")[0] for text in odd] == [
        "/basket/add", "/basket/remove", "/basket/paint",
    ]  # fmt: skip
    assert "recorded failed, now done" in odd[0]
    assert "recorded done, now failed (product cup is not in the basket)" in odd[1]


def test_a_dead_shop_ends_the_repetition(open_shop: Any, make_benchmark: Any) -> None:
    shop = open_shop()
    benchmark = make_benchmark(shop)
    shop.line.plan["/basket/add"] = ["before"]
    with pytest.raises(ToolFault):
        benchmark.repeat([wire("/basket/add", "done", sku="tea", quantity=1)], Ledger())
