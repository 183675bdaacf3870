"""Additions that a coupon may ask for: the simulation finds the cheapest ones."""

from __future__ import annotations

from itertools import product
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from workshop.rule_based.store.baskets import MOST_DOLLARS, additions
from workshop.rule_based.store.facts import Product
from workshop.rule_based.store.programs import code

Items = list[dict[str, Any]]


def simulated(fillers: list[Product], most: int = 200) -> list[dict[str, int]]:
    """Contents that the program lets the shop price, for a basket with one lamp in it."""
    tried: list[Items] = []

    def price(combinations: list[Items], coupons: list[str], every: bool) -> dict[str, Any]:
        tried.extend(combinations)
        return {"results": [], "errors": []}

    parameters = {
        "groups": [{"contents": [[{"sku": "lamp", "quantity": 1}]], "products": []}],
        "coupons": ["CODE"],
        "fillers": [p.sku for p in fillers],
        "additions": additions(fillers),
        "most": most,
        "tried": most,
        "every": False,
    }
    tools = {"Combo_Test_Coupons_For_Product_Combinations": price, "final_answer": lambda _: None}
    exec(compile(code("simulate", parameters), "simulate", "exec"), tools)
    return [{i["sku"]: i["quantity"] for i in items} for items in tried]


def filler(sku: str, price: int, available: int) -> Product:
    return Product(sku=sku, name=sku, price=price, available=available)


def shelf(rows: list[tuple[int, int]]) -> list[Product]:
    return sorted((filler(f"f{i}", p, n) for i, (p, n) in enumerate(rows)), key=lambda f: f.price)


@given(
    st.lists(st.tuples(st.integers(2, 15), st.integers(1, 4)), min_size=1, max_size=4),
    st.integers(1, 20),
)
def test_sums_of_dollars_are_tried_within_the_stock(rows: list[tuple[int, int]], gap: int) -> None:
    fillers = shelf(rows)
    cost = {f.sku: f.price for f in fillers}
    stock = {f.sku: f.available for f in fillers}
    added = [{s: n for s, n in c.items() if s != "lamp"} for c in simulated(fillers)]
    assert all(n <= stock[s] for content in added for s, n in content.items())
    paid = {sum(cost[s] * n for s, n in content.items()) for content in added}
    # Sums of two pieces are always found; of larger sums one way is followed.
    every = product(*(range(min(2, f.available) + 1) for f in fillers))
    counts = (c for c in every if sum(c) <= 2)
    sums = {sum(n * f.price for n, f in zip(c, fillers, strict=True)) for c in counts}
    enough = [s for s in sums if gap <= s <= MOST_DOLLARS]
    assert not enough or min(s for s in paid if s >= gap) <= min(enough)


def test_each_product_is_tried_alone_before_sums_and_mixes() -> None:
    fillers = [filler(f"f{i}", i + 2, 9) for i in range(40)]
    contents = simulated(fillers, most=41)
    assert contents[0] == {"lamp": 1}
    assert [set(c) - {"lamp"} for c in contents[1:]] == [{f.sku} for f in fillers]


def test_without_additions_only_the_basket_is_tried() -> None:
    assert simulated([]) == [{"lamp": 1}]
