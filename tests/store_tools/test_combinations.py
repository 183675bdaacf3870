"""All baskets with a number of units, against brute force."""

from __future__ import annotations

from itertools import product as cartesian
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.ledger import ToolFault
from store_tools.combinations import KEPT_AT_MOST, TARGET_AT_MOST, Generated, combinations_for
from tests.kit.combo import data_of

offers = st.builds(
    lambda price, available, units: {"price": price, "available": available, "units": units},
    st.integers(0, 30),
    st.integers(0, 5),
    st.integers(1, 6),
)


def named(rows: list[dict[str, int]]) -> list[dict[str, Any]]:
    return [{"sku": f"s{i}", **row} for i, row in enumerate(rows)]


def brute(products: list[dict[str, Any]], target: int) -> dict[tuple[Any, ...], int]:
    """Every basket with exactly the units: items and subtotal."""
    found = {}
    for counts in cartesian(*(range(p["available"] + 1) for p in products)):
        pairs = list(zip(counts, products, strict=True))
        if sum(n * p["units"] for n, p in pairs) == target:
            key = tuple(sorted((p["sku"], n) for n, p in pairs if n))
            found[key] = sum(n * p["price"] for n, p in pairs)
    return found


def as_found(answer: Generated) -> dict[tuple[Any, ...], int]:
    return {tuple(sorted(one.content.items())): one.subtotal for one in answer.combinations}


@settings(max_examples=200, deadline=None)
@given(st.lists(offers, max_size=5), st.integers(1, 20))
def test_all_baskets_are_found_cheapest_first(rows: list[dict[str, int]], target: int) -> None:
    products = named(rows)
    expected = brute(products, target)
    answer = combinations_for(products, target, KEPT_AT_MOST)
    if len(expected) <= KEPT_AT_MOST:
        assert as_found(answer) == expected
        assert not answer.cut
    assert answer.total_found == len(expected)
    costs = [one.subtotal for one in answer.combinations]
    assert costs == sorted(costs)
    assert all(one.units == target for one in answer.combinations)


@settings(max_examples=100, deadline=None)
@given(st.lists(offers, min_size=2, max_size=5), st.integers(2, 15), st.integers(1, 6))
def test_a_bound_is_kept_says_so_and_never_loses_the_cheapest(
    rows: list[dict[str, int]], target: int, bound: int
) -> None:
    products = named(rows)
    expected = brute(products, target)
    answer = combinations_for(products, target, bound)
    assert len(answer.combinations) == min(bound, len(expected))
    assert answer.cut == (len(expected) > bound)
    if expected:
        assert answer.combinations[0].subtotal == min(expected.values())


def test_baskets_that_matter_to_a_coupon_survive_the_bound() -> None:
    products = named([{"price": p, "available": 12, "units": 1} for p in (1, 2, 9)])
    kept = as_found(combinations_for(products, 12, 60))
    for pieces in range(1, 13):
        assert any(dict(items).get("s2", 0) >= pieces for items in kept)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "target", "stock"),
    [(30, 10_000, 10**9), (300, 500, 10**6), (12, 48, 48), (2000, 24, 5)],
)
def test_huge_shops_are_cut_and_the_cheapest_is_still_first(
    count: int, target: int, stock: int
) -> None:
    rows = [{"price": 3 + i % 7, "available": stock, "units": 1 + i % 2} for i in range(count)]
    answer = combinations_for(named(rows), target)
    assert answer.cut
    assert len(answer.combinations) <= 120
    best = min(r["price"] / r["units"] for r in rows)
    if stock >= target:
        assert answer.combinations[0].subtotal == round(best * target)


@pytest.mark.parametrize("target", [0, -3, TARGET_AT_MOST + 1, 10**30])
def test_targets_out_of_range_are_refused(target: int) -> None:
    with pytest.raises(ToolFault, match="target_units"):
        combinations_for(named([{"price": 1, "available": 1, "units": 1}]), target)


@pytest.mark.parametrize("row", [{}, {"sku": "a"}, {"sku": "a", "price": "x", "available": 1}])
def test_products_without_their_fields_are_refused(row: dict[str, Any]) -> None:
    with pytest.raises(ToolFault, match="needs sku, price, available"):
        combinations_for([row], 1)


def test_no_request_is_sent(open_shop: Any) -> None:
    shop = open_shop()
    answer = shop.call(
        "Combo_Generate_Product_Combinations_For_Target_Units",
        products=[{"sku": "a", "price": 2, "available": 3, "units": 2, "name": "extra"}],
        target_units=4,
    )
    assert data_of(answer)["combinations"] == [
        {"items": [{"sku": "a", "quantity": 2}], "units": 4, "subtotal": 4}
    ]
    assert not shop.line.sent
