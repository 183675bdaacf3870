"""A code that gives nothing by itself: cheap additions that make it work are reported."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kit.combo import errors_of

PRINTER = [{"sku": "printer", "quantity": 1}]
GOODS = [
    {"sku": "printer", "name": "Printer", "price": 200, "available": 5},
    {"sku": "lamp", "name": "Lamp", "price": 30, "available": 5},
    *[{"sku": f"x{n}", "name": f"Thing {n}", "price": 5 + n, "available": 5} for n in range(5)],
    {"sku": "paper", "name": "Paper", "price": 8, "available": 5},
]
PAIR = {"code": "PAIR", "discount": {"amount": 30}, "requires": {"printer": 1, "paper": 1}}
WORKS = {"code": "WORKS", "discount": {"amount": 1}, "requires": {"printer": 1}}


def price(shop: Any, *codes: str) -> dict[str, Any]:
    shop.call("Combo_List_All_Products")
    found: dict[str, Any] = shop.call(
        "Combo_Test_Coupons_For_Product_Combinations", combinations=[PRINTER], coupons=list(codes)
    )
    assert shop.held == {}
    assert shop.coupon == ""
    return found


def test_the_one_product_that_a_code_needs_is_found_among_cheap_ones(open_shop: Any) -> None:
    found = price(open_shop(*GOODS, coupons=[PAIR]), "PAIR")
    priced, useless = found["results"]
    assert (priced["primary"], priced["secondary"], priced["error"]) == (PRINTER, "", None)
    assert useless["secondary"] == "PAIR"
    assert useless["data"] == {"added": "paper", "subtotal": 208, "discount": 30, "total": 178}
    assert "no discount on any basket tried; with one paper more it works" in useless["error"]


@pytest.mark.parametrize(
    ("coupons", "codes"),
    [
        ([], ("GONE",)),
        ([PAIR | {"discount": None}], ("PAIR",)),
        ([PAIR | {"requires": {"printer": 1, "paper": 1, "x4": 1}}], ("PAIR",)),
        ([PAIR | {"requires": {"printer": 2}}], ("PAIR",)),
    ],
    ids=["unknown code", "dead code", "needs two", "needs a second piece"],
)
def test_nothing_is_reported_where_one_addition_does_not_help_or_is_not_needed(
    open_shop: Any, coupons: Any, codes: tuple[str, ...]
) -> None:
    (row,) = errors_of(price(open_shop(*GOODS, coupons=coupons), *codes))
    assert (row["secondary"], row["data"]) == (codes[0], None)


def test_a_code_that_gives_nothing_is_tried_with_additions_though_another_works(
    open_shop: Any,
) -> None:
    cheap = GOODS[-1] | {"price": 4}
    found = price(open_shop(*GOODS[:-1], cheap, coupons=[PAIR, WORKS]), "PAIR", "WORKS")
    assert [row["data"]["added"] for row in errors_of(found)] == ["paper"]
    assert found["results"][0]["secondary"] == "WORKS"


def test_where_every_code_works_no_row_speaks_of_additions(open_shop: Any) -> None:
    assert errors_of(price(open_shop(*GOODS, coupons=[WORKS]), "WORKS")) == []


def test_products_that_cannot_be_put_in_leave_no_error_and_no_trace(open_shop: Any) -> None:
    shop = open_shop(*GOODS, coupons=[PAIR])
    shop.call("Combo_List_All_Products")
    shop.line.plan["/basket/add"] = [None, 400]
    found = shop.call(
        "Combo_Test_Coupons_For_Product_Combinations", combinations=[PRINTER], coupons=["PAIR"]
    )
    assert [(row["secondary"], row["data"]) for row in errors_of(found)] == [("PAIR", None)]
    assert shop.held == {}
