"""Recorded requests sent again to a new shop."""

from __future__ import annotations

from typing import Any

import pytest

from core.ledger import Intent, Ledger, Resolved, ToolFault, WireCall
from store_tools.basket import CHECKOUT, Basket
from tests.kit.wires import wire


def wires(shop: Any) -> list[WireCall]:
    return [w for c in shop.ledger.calls for w in c.requests]


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
    assert new.task.world._stock == old.task.world._stock
    writes = [w.path for w in wires(old) if w.kind == "write"]
    sent = [path for path in new.line.sent if path != "/basket/view"]
    assert sent == [*["/products/list"] * 2, *writes], "the catalog is read before it moves"
    assert ledger.requests == len(new.line.sent)
    learnt = benchmark._session.facts
    assert (learnt.taken_over, learnt.listing.limit, learnt.rejected_coupons) == (True, 2, {"NOPE"})


@pytest.mark.promise("no second checkout")
def test_a_purchase_that_is_repeated_counts(open_shop: Any, make_benchmark: Any) -> None:
    benchmark = make_benchmark(open_shop())
    add = wire("/basket/add", "done", sku="tea", quantity=2)
    assert benchmark.repeat([add, wire("/basket/checkout", "done")], Ledger()) == []
    assert (benchmark.progress.side_effects, benchmark.progress.finished) == (1, "checked out")


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
    shop.line.plan["/basket/view"] = ["before"] * 5
    with pytest.raises(ToolFault):
        benchmark.repeat([wire("/basket/add", "done", sku="tea", quantity=1)], Ledger())


def test_a_request_that_had_no_effect_is_not_repeated(open_shop: Any, make_benchmark: Any) -> None:
    old, new = open_shop(), open_shop()
    old.line.plan["/basket/add"] = ["before", None, "after", 429]
    for sku in ("tea", "cup", "tea"):
        old.call("Combo_Set_Basket_For_Items", items=[{"sku": sku, "quantity": 1}])
    assert "lost" in {w.outcome for w in wires(old)}
    assert make_benchmark(new).repeat(wires(old), Ledger()) == []
    assert new.held == old.held == {"tea": 1}


BASKET = {
    "items": [{"sku": "tea", "quantity": 2, "price": 4}],
    "subtotal": 8,
    "coupon": "",
    "discount": 0,
    "total": 8,
}
INTENT = Intent(path="/basket/checkout", body={}, about=BASKET)
OTHER = Resolved(path="/basket/add", took_effect=True)


def resolved(took_effect: bool) -> Resolved:
    return Resolved(path="/basket/checkout", took_effect=took_effect)


@pytest.mark.promise("no second checkout")
@pytest.mark.parametrize(
    ("entries", "bought", "open_"),
    [
        ([], 0, False),
        ([INTENT], 0, True),
        ([INTENT, OTHER], 0, True),
        ([INTENT, wire("/basket/checkout", "unknown")], 0, True),
        ([INTENT, wire("/basket/checkout", "lost")], 0, False),
        ([INTENT, wire("/basket/checkout", "failed")], 0, True),
        ([INTENT, wire("/basket/checkout", "failed"), resolved(False)], 0, False),
        ([INTENT, wire("/basket/checkout", "failed"), resolved(True)], 1, False),
        ([INTENT, wire("/basket/checkout", "done")], 1, False),
        ([INTENT, wire("/basket/checkout", "unknown"), resolved(True)], 1, False),
        ([INTENT, wire("/basket/checkout", "unknown"), resolved(False)], 0, False),
        ([INTENT, wire("/basket/checkout", "unknown"), resolved(False), INTENT], 0, True),
        ([INTENT, resolved(False), INTENT, wire("/basket/checkout", "done")], 1, False),
    ],
)
def test_what_was_recorded_of_checkouts_is_recalled(
    open_shop: Any, make_benchmark: Any, entries: list[Any], bought: int, open_: bool
) -> None:
    shop = open_shop()
    benchmark = make_benchmark(shop)
    benchmark.restore(entries)
    assert benchmark.progress.side_effects == bought
    assert (shop.session.facts.open_at(CHECKOUT) is not None) == open_
    assert shop.session.facts.receipts == [Basket.model_validate(BASKET)] * bought
    assert not shop.line.sent


@pytest.mark.promise("no second checkout")
@pytest.mark.parametrize(("held", "bought"), [(0, 1), (2, 0)])
def test_an_intent_without_an_outcome_is_settled_by_the_first_look(
    open_shop: Any, make_benchmark: Any, held: int, bought: int
) -> None:
    shop = open_shop()
    if held:
        shop.call("Req_AddProductToBasket", sku="tea", quantity=held)
    benchmark, told = make_benchmark(shop), []
    benchmark.restore([INTENT])
    benchmark.state(Ledger(on_entry=told.append))
    assert benchmark.progress.side_effects == bought
    assert told == [resolved(bool(bought))]
