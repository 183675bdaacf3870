"""What the words of an instruction authorise, and above all what they do not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store_tools.authorised import (
    Authority,
    Order,
    Priced,
    forbids,
    line_of,
    names,
    ordered,
    quantities,
)
from store_tools.basket import Basket, Content, PricedLine


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("CHECKOUT: items tea×2, cup×1; no coupon",
         Authority(items={"tea": 2, "cup": 1}, coupon="")),
        ("CHECKOUT: items 2 x tea; coupon TWO; total at most 50",
         Authority(items={"tea": 2}, coupon="TWO", at_most=50)),
        ("- **CHECKOUT:** exact items tea x3.", Authority(items={"tea": 3})),
        ("CHECKOUT: tea×2, total 1,144", Authority(items={"tea": 2}, total=1144)),
        ("CHECKOUT: total $39.00", Authority(total=39)),
        ("CHECKOUT: for no more than $50", Authority(at_most=50)),
        ("CHECKOUT: under 50 dollars", Authority(at_most=49)),
        ("Checkout: the cheapest that the search found", Authority(cheapest=True)),
        ("CHECKOUT: cheapest found, at most 9, no coupon",
         Authority(cheapest=True, at_most=9, coupon="")),
    ],
)  # fmt: skip
def test_a_checkout_line_is_read(line: str, told: Authority) -> None:
    assert line_of(f"Set the basket to 7 x pot for 99.\n{line}\nReport it.") == told
    assert told.says


@pytest.mark.promise("no wrong checkout")
@pytest.mark.parametrize(
    "line",
    [
        "CHECKOUT: whatever is in the basket",
        "CHECKOUT: yes",
        "CHECKOUT:",
        "CHECKOUT: items tea",
        "CHECKOUT: items tea×0",
        "CHECKOUT: items tea×2, tea×3",
        "CHECKOUT: total 39 or 40",
        "CHECKOUT: total 39, total 40",
        "CHECKOUT: at most 50, at most 60",
        "CHECKOUT: at most 50 or so",
        "CHECKOUT: at most 49.99",
        "CHECKOUT: at most fifty",
        "CHECKOUT: coupon TWO",
        "CHECKOUT: no coupon, coupon TWO",
        "CHECKOUT: cheapest found unless it is over 50",
        "CHECKOUT: total 8\nCHECKOUT: total 9",
    ],
)
def test_a_checkout_line_that_is_not_certain_authorises_nothing(line: str) -> None:
    told = line_of(f"Buy for 8.\n{line}")
    assert told is not None
    assert not told.says


@pytest.mark.promise("no wrong checkout")
@pytest.mark.parametrize(
    ("said", "no"),
    [
        ("Total 8. Do not check out.", True),
        ("Price it; never buy. Expected total 8.", True),
        ("Report the total of 8 and buy nothing.", True),
        ("Set tea×2 (8 dollars) without checking out.", True),
        ("Check out once with total 8; otherwise do not check out and report.", False),
        ("Do not check out unless the total is 8.", False),
        ("Set tea×2 without coupon, then check out with total 8.", False),
        ("expected total 8", False),
    ],
)
def test_an_instruction_that_only_says_not_to_buy_is_no_order(said: str, no: bool) -> None:
    assert forbids(said) is no


@pytest.mark.promise("no wrong checkout")
@pytest.mark.parametrize(
    ("said", "total", "is_named"),
    [
        ("Buy 24 x tea with the expected total 39.", 24, False),
        ("Buy 24 x tea with the expected total 39.", 39, True),
        ("Buy tea for less than 50.", 50, False),
        ("Buy tea under $50.", 50, False),
        ("Put in 2 x tea and check out for no more than $50.", 50, False),
        ("Buy tea with the total at most 50.", 50, False),
        ("The subtotal is 44, total after discount 30.", 30, True),
        ("The subtotal is 44, total after discount 30.", 44, False),
        ("Buy for 8.", 8, True),
        ("Buy at most 8 of tea.", 8, False),
        ("Set 8 x tea and 8 units of pen.", 8, False),
    ],
)
def test_a_number_that_is_no_total_names_none(said: str, total: int, is_named: bool) -> None:
    assert ordered(said, total) is is_named


def test_a_sku_is_named_as_a_word_and_its_numbers_are_read() -> None:
    said = "Remove 2 of tea-1 and set pen×3, 4 x cup (not cups, not my-cup)."
    assert [names(said, w) for w in ("tea-1", "tea", "pen", "cup", "my")] == [
        True, False, True, True, False,
    ]  # fmt: skip
    assert quantities(said, "tea-1") == {2}
    assert quantities(said, "pen") == {3}
    assert quantities(said, "cup") == {4}


@given(st.text(max_size=400), st.integers(0, 99))
def test_whatever_is_written_is_read_without_an_error(text: str, total: int) -> None:
    for said in (text, f"CHECKOUT: {text}", f"Buy {text} for at most {total}"):
        line_of(said)
        forbids(said)
        ordered(said, total)
        names(said, text)
        quantities(said, text[:20])


@pytest.mark.promise("what comes from outside is bounded")
@pytest.mark.parametrize(
    "piece", ["buy ", "CHECKOUT: ", "at most 1", "1,000,", "not ", "x 1 ", "tea×"]
)
def test_a_very_long_instruction_takes_no_time(piece: str) -> None:
    said = piece * (200_000 // len(piece))
    line_of(f"CHECKOUT: {said}")
    for read in (line_of, forbids):
        read(said)
    ordered(said, 1)
    quantities(said, "tea")


TEA, PEN = {"tea": 2}, {"pen": 2}
BUY = "Buy 2 units of tea or pen."
LINE = "CHECKOUT: cheapest found"


def basket_of(content: Content, total: int, coupon: str = "") -> Basket:
    items = tuple(PricedLine(sku=sku, quantity=n, price=1) for sku, n in content.items())
    return Basket(items=items, coupon=coupon, subtotal=total, total=total)


def search_of(*rows: tuple[Content, str, int], **more: Any) -> Priced:
    return Priced(rows, **{"target": 2, "codes": 0, "by_shop": False} | more)


@pytest.mark.promise("no wrong checkout")
@pytest.mark.parametrize(
    ("said", "searches", "basket", "refusal"),
    [
        (BUY, [search_of((TEA, "", 8), (PEN, "", 9))], basket_of(TEA, 8), None),
        (BUY, [search_of((TEA, "", 8), (PEN, "", 9))], basket_of(PEN, 9), "a basket for 8"),
        (BUY, [search_of((TEA, "", 8))], basket_of(TEA, 7), "not priced this basket"),
        (BUY, [], basket_of(TEA, 8), "no search has priced any"),
        (BUY, [search_of()], basket_of(TEA, 8), "no search has priced such"),
        (BUY, [search_of((TEA, "", 8), target=None)], basket_of(TEA, 8), "not those generated"),
        (BUY, [search_of((TEA, "", 8), target=3)], basket_of(TEA, 8), "does not ask for 3 units"),
        # What the listing says does not count beside what the shop has priced.
        (
            BUY,
            [search_of((TEA, "", 8)), search_of((PEN, "", 7), by_shop=True)],
            basket_of(TEA, 8),
            "not priced this basket",
        ),
        (f"{BUY} Try coupons.", [search_of((TEA, "", 8))], basket_of(TEA, 8), "none was tried"),
        (f"{BUY} Try coupons.", [search_of((TEA, "", 8), codes=1)], basket_of(TEA, 8), None),
        ("Buy 2 units.", [search_of((TEA, "", 8))], basket_of(TEA, 8), "name the SKUs"),
        ("Buy 2 drinks.", [search_of((TEA, "", 8), query="drinks")], basket_of(TEA, 8), None),
    ],
)
def test_only_the_cheapest_of_what_was_searched_is_authorised(
    said: str, searches: list[Priced], basket: Basket, refusal: str | None
) -> None:
    refused = Order(f"{said}\n{LINE}", {}, searches).refuses(basket)
    assert (refused is None) is (refusal is None), refused
    assert refusal is None or refusal in str(refused)


def test_a_line_without_a_coupon_needs_none_that_was_tried() -> None:
    order = Order(f"{BUY} Try coupons.\n{LINE}, no coupon", {}, [search_of((TEA, "", 8))])
    assert order.refuses(basket_of(TEA, 8)) is None
