"""Order lines said in short and read again; what is no order line stays as it is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ledger import shortened
from store_tools.basket import order_lines, read_line

SKUS = st.text(st.characters(exclude_characters="×"), min_size=1).map(str.strip).filter(bool)


@given(SKUS, st.integers(0, 10**6), st.none() | st.integers(0, 10**6))
def test_a_line_is_read_as_it_was_said(sku: str, quantity: int, price: int | None) -> None:
    line: dict[str, Any] = {"sku": sku, "quantity": quantity}
    (text,) = order_lines([line if price is None else line | {"price": price}]) or [""]
    assert read_line(text) == (sku, quantity)


@pytest.mark.parametrize("entries", [[], [{"sku": "a"}], [{"sku": "a", "quantity": 1}, 3], ["a"]])
def test_other_lists_are_none(entries: list[Any]) -> None:
    assert order_lines(entries) is None


def test_the_ledger_says_them_short_at_any_depth() -> None:
    value = {"baskets": [{"items": [{"sku": "tea", "quantity": 2, "price": 15}], "total": 30}]}
    assert shortened(value) == {"baskets": [{"items": ["tea×2 at 15"], "total": 30}]}
    assert shortened([{"sku": "tea", "name": "Tea"}]) == [{"sku": "tea", "name": "Tea"}]
    assert read_line("tea x 2") is None
