"""A basket in a few words."""

from __future__ import annotations

from typing import Any

import pytest

from store_tools.basket import basket_line


def test_a_real_state_is_told_in_a_few_words(open_shop: Any, make_benchmark: Any) -> None:
    shop = open_shop()
    benchmark = make_benchmark(shop)
    assert basket_line(benchmark.state(shop.ledger)) == "0 items, $0"
    shop.next_instruction()
    shop.call("Req_AddProductToBasket", sku="tea", quantity=3)
    shop.call("Req_AddProductToBasket", sku="pot", quantity=1)
    assert basket_line(benchmark.state(shop.ledger)) == "4 items, $42"


@pytest.mark.parametrize(
    "text", ["", "tea", "[]", "{}", '{"basket": 3}', '{"basket": {"items": [{}], "total": 1}}']
)
def test_any_other_text_says_nothing(text: str) -> None:
    assert basket_line(text) == ""


def test_a_purchase_is_told() -> None:
    state = '{"basket": {"items": [], "total": 0}, "checked_out": [{"total": 9}]}'
    assert basket_line(state) == "0 items, $0, bought"
