"""One call that finds, mixes, prices and sets; it buys nothing."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.ledger import Ledger, ToolFault
from store_tools.environment import StoreEnvironment
from tests.kit.combo import data_of, errors_of
from tests.store_tools.conftest import Direct

NAME = "Combo_Set_Cheapest_Basket_For_Query"
COLA = [
    {"sku": "cola-6pk", "name": "Cola 6-pack", "price": 12, "available": 20},
    {"sku": "cola-12pk", "name": "Cola 12-pack", "price": 20, "available": 20},
]
SIX = [{"code": "SIX", "discount": {"amount": 20}, "requires": {"cola-6pk": 4}}]


def searched(line: Direct, **arguments: Any) -> Any:
    """The result of one call, past HTTP."""
    ledger = Ledger()
    with StoreEnvironment(line).bind(ledger) as tools:
        ledger.offer(tools)
        return ledger.call(NAME, [], arguments)


def run(shop: Any, **arguments: Any) -> dict[str, Any]:
    result: dict[str, Any] = shop.call(NAME, **({"coupons": []} | arguments))
    return result


@pytest.mark.promise("no wrong checkout")
def test_one_call_sets_the_cheapest_mix_and_buys_nothing(open_shop: Any) -> None:
    shop = open_shop(*COLA, coupons=SIX)
    shop.ledger.instruction = "CHECKOUT: items cola-6pk×4; coupon SIX; total at most 28"
    result = run(shop, query="colas", units=24, coupons=["SIX"])
    first, *prices = result["results"]
    assert (first["error"], first["data"]["basket"]["total"]) == (None, 28)
    assert [(r["secondary"], r["data"]["total"]) for r in prices] == [("SIX", 28), ("", 40)]
    assert (shop.held, shop.coupon, shop.bought) == ({"cola-6pk": 4}, "SIX", [])
    assert shop.line.counted["/basket/checkout"] == 0


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"query": "cola", "units": 7}, "no mix of packages of [6, 12] units makes 7"),
        ({"query": "cola", "units": 600}, "their stock is 360 units, fewer than 600"),
        ({"query": ["cola-6pk"], "pieces": 21}, "their stock is 20 units, fewer than 21"),
        ({"query": "zither", "pieces": 1}, "nothing matches"),
    ],
)
def test_where_nothing_can_be_set_it_says_why_and_moves_nothing(
    open_shop: Any, arguments: dict[str, Any], why: str
) -> None:
    shop = open_shop(*COLA)
    result = run(shop, **arguments)
    (row,) = result["results"]
    assert (row["error"], row["data"]["basket"]) == (why, None)
    assert shop.held == {}


@pytest.mark.parametrize("amount", [{}, {"units": 1, "pieces": 1}, {"units": -1}])
def test_units_or_pieces_are_given_and_not_both(open_shop: Any, amount: dict[str, int]) -> None:
    with pytest.raises(ToolFault, match="units or pieces"):
        run(open_shop(*COLA), query="cola", **amount)


@pytest.mark.parametrize(
    ("arguments", "held"),
    [
        ({"query": "cola", "pieces": 1}, {"cola-6pk": 1}),
        ({"query": ["cola-12pk"], "pieces": 3}, {"cola-12pk": 3}),
        ({"query": ["cola 12-PACK"], "pieces": 3}, {"cola-12pk": 3}),
        ({"query": "cola", "units": 12}, {"cola-12pk": 1}),
        ({"query": "cola", "units": 3, "packs": {"cola-6pk": 3, "cola-12pk": 1}}, {"cola-6pk": 1}),
    ],
)
def test_a_piece_is_a_package_and_units_are_what_it_holds(
    open_shop: Any, arguments: dict[str, Any], held: dict[str, int]
) -> None:
    shop = open_shop(*COLA)
    (row,) = run(shop, **arguments)["results"]
    assert (shop.held, row["error"]) == (held, None)
    assert {p["sku"]: p["units"] for p in row["data"]["matches"]}.items() <= {
        "cola-6pk": 6, "cola-12pk": 12,
    }.items()  # fmt: skip


def test_a_shop_that_fails_midway_keeps_the_matches() -> None:
    line = Direct({"products": COLA, "coupons": SIX})
    line.plan = {"/coupon/apply": [404] * 50}
    result = searched(line, query="cola", units=24, coupons=["SIX"])
    assert len(data_of(result)["matches"]) == 2
    assert [row["secondary"] for row in errors_of(result)] == ["SIX"]


@settings(max_examples=40, deadline=None)
@given(
    prices=st.lists(st.integers(1, 30), min_size=1, max_size=3),
    stock=st.lists(st.integers(0, 4), min_size=3, max_size=3),
    units=st.integers(1, 9),
    amount=st.integers(1, 20),
)
def test_what_it_sets_is_the_cheapest_of_all_mixes(
    prices: list[int], stock: list[int], units: int, amount: int
) -> None:
    sizes = (1, 2, 3)
    goods = [
        {"sku": f"tea-{n}pk", "name": f"Tea {n}-pack", "price": price, "available": have}
        for n, price, have in zip(sizes, prices, stock, strict=False)
    ]
    coupon = {"code": "TWO", "discount": {"amount": amount}, "requires": {"tea-1pk": 2}}
    totals = []
    for counts in product(*(range(g["available"] + 1) for g in goods)):  # type: ignore[arg-type]
        if sum(n * size for n, size in zip(counts, sizes, strict=False)) == units:
            plain = sum(n * price for n, price in zip(counts, prices, strict=True))
            totals += [plain, max(0, plain - amount) if counts[0] >= 2 else plain]
    line = Direct({"products": goods, "coupons": [coupon]})
    result = searched(line, query="tea", units=units, coupons=["TWO"])
    basket = data_of(result)["basket"]
    assert bool(basket) == bool(totals), errors_of(result)
    if totals:
        assert basket["total"] == min(totals) == line.task.world.view().total
    assert line.bought == []
