"""Purchases in one instruction: what the words authorise goes through, everything else does not."""

from __future__ import annotations

from typing import Any

import pytest

from core.ledger import ToolFault
from tests.campaigns.checkout_authority import measure

TEA2, TEA3 = [{"sku": "tea", "quantity": 2}], [{"sku": "tea", "quantity": 3}]
CODES = [{"code": "TWO", "discount": {"amount": 2}, "requires": {"tea": 2}}]
PACKS = [
    {"sku": "cola-6pk", "name": "Cola 6-pack", "price": 12, "available": 20},
    {"sku": "cola-12pk", "name": "Cola 12-pack", "price": 20, "available": 20},
]


def buys(shop: Any, said: str, items: Any = None, coupon: str = "", **args: Any) -> dict[str, Any]:
    """Set the basket and check out what it shows, in one instruction."""
    shop.ledger.instruction = said
    if items is not None:
        shop.call("Combo_Set_Basket_For_Items", items=items, coupon=coupon)
    basket = shop.call("Req_ViewBasket")
    given = {"expected_total": basket["total"], "expected_coupon": basket["coupon"]}
    receipt: dict[str, Any] = shop.call("Req_CheckoutBasket", **(given | args))
    return receipt


@pytest.mark.parametrize(
    ("said", "coupon"),
    [
        ("Set tea×2.\nCHECKOUT: items tea×2; no coupon", ""),
        ("Set tea×2 with coupon TWO.\nCHECKOUT: items tea×2; coupon TWO; total at most 50", "TWO"),
        ("Put 2 of tea into the basket.\nCHECKOUT: for no more than $8", ""),
    ],
)
def test_what_is_authorised_is_bought_in_one_instruction(
    open_shop: Any, said: str, coupon: str
) -> None:
    shop = open_shop(coupons=CODES)
    assert buys(shop, said, TEA2, coupon)["items"][0]["quantity"] == 2
    assert shop.bought == [{"tea": 2}]


@pytest.mark.promise("no wrong checkout")
def test_a_basket_without_the_coupon_that_was_ordered_is_told_alone(open_shop: Any) -> None:
    shop = open_shop(coupons=CODES)
    with pytest.raises(
        ToolFault, match="says 'TWO'; report it, and do not buy without it"
    ) as caught:
        buys(shop, "CHECKOUT: items tea×2; coupon TWO", TEA2, "")
    assert "CHECKOUT:" not in caught.value.text
    assert shop.line.counted["/basket/checkout"] == 0


@pytest.mark.promise("no wrong checkout")
@pytest.mark.parametrize(
    ("said", "items", "coupon", "why"),
    [
        ("CHECKOUT: items tea×2; no coupon", TEA3, "", "holds {'tea': 3}"),
        ("CHECKOUT: items tea×2", TEA2, "TWO", "does not say that coupon 'TWO'"),
        ("CHECKOUT: items tea×2; no coupon", TEA2, "TWO", "says ''"),
        ("CHECKOUT: items tea×2; total at most 7", TEA2, "", "8 is more than 7"),
        ("CHECKOUT: items tea×2; under 8", TEA2, "", "8 is more than 7"),
        ("CHECKOUT: about 8", TEA2, "", "cannot be read"),
        ("CHECKOUT: cheapest found", TEA2, "", "no search has priced"),
        ("Put 2 of tea in.\nCHECKOUT: at most $50", TEA3, "", r"holds 3 of tea, not \[2\]"),
        ("Put the tea in.\nCHECKOUT: at most $50",
         [*TEA2, {"sku": "cup", "quantity": 1}], "", "does not name cup"),
        ("Put 2 of tea in with coupon TWO.\nCHECKOUT: at most $50", TEA2, "", "speaks of coupons"),
        ("Put 2 of tea in and check out for at most $50.", TEA2, "", "names no total of 8"),
        ("Put 2 of tea in and report the total of 8. Do not check out.", TEA2, "", "not to buy"),
    ],
)  # fmt: skip
def test_everything_else_is_refused_and_says_what_would_authorise(
    open_shop: Any, said: str, items: Any, coupon: str, why: str
) -> None:
    shop = open_shop(coupons=CODES)
    with pytest.raises(ToolFault, match=why) as caught:
        buys(shop, said, items, coupon)
    assert "`CHECKOUT: items SKU×N" in caught.value.text
    assert caught.value.text.count(". ") == 1, "what is refused, and what would authorise it"
    assert shop.line.counted["/basket/checkout"] == 0


def searched(shop: Any, said: str, row: int = 0, units: int = 24, products: Any = None) -> Any:
    """Generate, price with the code, and buy a row of what was found."""
    shop.ledger.instruction = said
    shop.call("Combo_Find_Products_For_Query", query="cola")
    shop.call(
        "Combo_Generate_Product_Combinations_For_Target_Units",
        products=products or ["cola-6pk", "cola-12pk"],
        target_units=units,
    )
    found = shop.call(
        "Combo_Test_Coupons_For_Product_Combinations", combinations="last", coupons=["SIX"]
    )["results"][row]
    return buys(shop, said, found["items"], found["coupon"])


SIX = [{"code": "SIX", "discount": {"amount": 20}, "requires": {"cola-6pk": 4}}]
LINE = "Generate all mixes of 24 cola, price them with coupon SIX.\nCHECKOUT: cheapest found"


def test_the_cheapest_that_the_search_found_is_bought_in_one_instruction(
    open_shop: Any,
) -> None:
    shop = open_shop(*PACKS, coupons=SIX)
    assert searched(shop, LINE)["total"] == 28
    assert shop.bought == [{"cola-6pk": 4}]


@pytest.mark.promise("no wrong checkout")
@pytest.mark.parametrize(
    ("departure", "why"),
    [
        ({"row": 1}, "found a basket for 28"),
        ({"units": 12}, "does not ask for 12 units"),
        ({"products": [PACKS[0] | {"units": 24}]}, "not those generated"),
        ({"products": [PACKS[0] | {"price": 1, "units": 6}, "cola-12pk"]}, "not those generated"),
    ],
)
def test_a_basket_that_the_search_did_not_find_cheapest_is_refused(
    open_shop: Any, departure: dict[str, Any], why: str
) -> None:
    shop = open_shop(*PACKS, coupons=SIX)
    with pytest.raises(ToolFault, match=why):
        searched(shop, LINE, **departure)
    assert shop.bought == []


@pytest.mark.promise("no wrong checkout")
def test_of_exact_items_the_search_may_choose_the_coupon(open_shop: Any) -> None:
    shop = open_shop(coupons=[*CODES, CODES[0] | {"code": "ONE", "discount": {"amount": 1}}])
    said = "Price tea×2 with coupons ONE and TWO.\nCHECKOUT: items tea×2; cheapest found"
    shop.ledger.instruction = said
    codes = {"combinations": [TEA2, TEA3], "coupons": ["ONE", "TWO"]}
    shop.call("Combo_Test_Coupons_For_Product_Combinations", **codes)
    with pytest.raises(ToolFault, match="found a basket for 6"):
        buys(shop, said, TEA2, "ONE")
    assert buys(shop, said, TEA2, "TWO")["total"] == 6


@pytest.mark.promise("no wrong checkout")
def test_a_basket_that_somebody_else_has_changed_is_not_bought(open_shop: Any) -> None:
    shop = open_shop()
    shop.ledger.instruction = "Put in tea×2.\nCHECKOUT: items tea×2, cup×1; no coupon"
    shop.call("Combo_Set_Basket_For_Items", items=TEA2)
    shop.task.world.add("cup", 1)
    shop.call("Req_ViewBasket")
    with pytest.raises(ToolFault, match="was seen with"):
        shop.call("Req_CheckoutBasket", expected_total=15)
    assert shop.bought == []


@pytest.mark.promise("no wrong checkout")
def test_over_generated_shops_nothing_is_bought_that_the_words_do_not_mean() -> None:
    tries, bought, wrong = measure(12, seed="sample")
    assert wrong == []
    for form in ("line: items", "total", "line: cheapest"):
        assert bought[f"{form} / kept"] == tries[f"{form} / kept"] > 0


@pytest.mark.promise("no wrong checkout")
@pytest.mark.parametrize(
    ("query", "said", "bought"),
    [
        ("cola", "Find cola, buy 1 unit under $50.", True),
        ("red cola", "Find cola, buy 1 unit under $50.", False),
        ("fizz", "Find fizz, buy 1 unit under $50.", False),
    ],
    ids=["all matches are sure", "a search that was not worded", "a match that is not sure"],
)
def test_turn_one_may_search_and_buy_where_every_match_of_its_search_is_sure(
    open_shop: Any, query: str, said: str, bought: bool
) -> None:
    goods = [
        {"sku": "p-1", "name": "Red Cola", "price": 9, "available": 3},
        {"sku": "fizz-bag", "name": "Cooler", "price": 4, "available": 3},
    ]
    shop = open_shop(*goods)
    shop.ledger.instruction = f"{said}\nCHECKOUT: cheapest found; total at most 49"
    matches = shop.call("Combo_Find_Products_For_Query", query=query)["matches"]
    shop.call(
        "Combo_Generate_Product_Combinations_For_Target_Units", products=matches, target_units=1
    )
    found = shop.call(
        "Combo_Test_Coupons_For_Product_Combinations", combinations="last", coupons=[]
    )["results"]
    if bought:
        assert buys(shop, shop.ledger.instruction, found[0]["items"], "")["total"] == 9
    else:
        with pytest.raises(ToolFault, match="is sure: name the SKUs"):
            buys(shop, shop.ledger.instruction, found[0]["items"], "")
    assert len(shop.bought) == bought
