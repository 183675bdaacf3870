"""All baskets with a number of units, against brute force."""

from __future__ import annotations

from itertools import product as cartesian

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.ledger import ToolFault
from store_tools.basket import Product
from store_tools.combinations import TARGET_AT_MOST, mixes_for

offers = st.builds(
    lambda price, available, units: {"price": price, "available": available, "units": units},
    st.integers(0, 30),
    st.integers(0, 5),
    st.integers(1, 6),
)


def named(rows: list[dict[str, int]]) -> list[Product]:
    return [Product(sku=f"s{i}", name="", **row) for i, row in enumerate(rows)]


Basket = tuple[tuple[str, int], ...]


def brute(products: list[Product], target: int) -> dict[Basket, int]:
    """Every basket with exactly the units: items and subtotal."""
    found = {}
    for counts in cartesian(*(range(p.available + 1) for p in products)):
        pairs = list(zip(counts, products, strict=True))
        if sum(n * (p.units or 1) for n, p in pairs) == target:
            key = tuple(sorted((p.sku, n) for n, p in pairs if n))
            found[key] = sum(n * p.price for n, p in pairs)
    return found


def found_by(products: list[Product], target: int, most: int = 120) -> dict[Basket, int]:
    """The same as they are found, in their order."""
    prices = {p.sku: p.price for p in products}
    contents, reason = mixes_for(products, target, most)
    assert bool(reason) == (not contents)
    return {tuple(sorted(c.items())): sum(prices[s] * n for s, n in c.items()) for c in contents}


@settings(max_examples=200, deadline=None)
@given(st.lists(offers, max_size=5), st.integers(1, 20), st.integers(1, 200))
def test_the_baskets_are_all_or_as_many_as_asked_for_with_the_cheapest_first(
    rows: list[dict[str, int]], target: int, most: int
) -> None:
    products = named(rows)
    expected, found = brute(products, target), found_by(products, target, most)
    assert len(found) == min(most, len(expected))
    assert found.items() <= expected.items()
    assert list(found.values()) == sorted(found.values())
    assert min(found.values(), default=0) == min(expected.values(), default=0)


def test_baskets_that_matter_to_a_coupon_survive_the_bound() -> None:
    products = named([{"price": p, "available": 12, "units": 1} for p in (1, 2, 9)])
    kept = found_by(products, 12, 60)
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
    found = found_by(named(rows), target)
    assert len(found) <= 120
    best = min(r["price"] / r["units"] for r in rows)
    if stock >= target:
        assert next(iter(found.values())) == round(best * target)


@pytest.mark.parametrize("target", [0, -3, TARGET_AT_MOST + 1, 10**30])
def test_targets_out_of_range_are_refused(target: int) -> None:
    with pytest.raises(ToolFault, match="must be from 1 to"):
        mixes_for(named([{"price": 1, "available": 1, "units": 1}]), target)
