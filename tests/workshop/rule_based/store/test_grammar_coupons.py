"""Coupons that are forbidden, and orders that stand or fall with a discount."""

from __future__ import annotations

import pytest

from workshop.rule_based.store.grammar.read import read_order


@pytest.mark.parametrize(
    "text",
    [
        "Buy 3 forks. Do not use coupon FORK10 or any other one.",
        "Buy 3 forks, but please don't use coupon FORK10.",
        "Buy 3 forks without coupon FORK10.",
        "Buy 3 forks. Ignore the code FORK10.",
        "Buy 3 forks. Coupon FORK10 must not be used.",
        "Buy 3 forks. Use no coupon at all, not even FORK10.",
        "Buy 3 forks. Never apply any voucher, nor FORK10.",
        "Buy 3 forks. Leave coupon FORK10 and everything of that kind aside.",
        "We should buy 3 forks. Do not use code FORK10.",
    ],
)
def test_a_forbidden_code_is_no_offer_and_no_part_of_the_goods(text: str) -> None:
    order = read_order(text)
    assert (order.codes.codes, order.codes.mode) == ([], "none")
    assert order.codes.forbidden == ["FORK10"]
    assert [(line.phrase, line.quantity) for line in order.lines] == [("forks", 3)]
    assert not order.unclear


@pytest.mark.parametrize("text", ["Buy 3 forks, no coupons.", "Buy 3 forks without any vouchers."])
def test_a_ban_of_all_coupons_needs_no_code(text: str) -> None:
    order = read_order(text)
    assert [(line.phrase, line.quantity) for line in order.lines] == [("forks", 3)]
    assert (order.codes.codes, order.unclear) == ([], [])


def test_one_code_may_be_forbidden_where_others_are_offered() -> None:
    codes = read_order("Buy a fork. Coupons: FORK10, TINE5. Do not use TINE5.").codes
    assert (codes.codes, codes.mode, codes.forbidden) == (["FORK10"], "try", ["TINE5"])


def test_no_other_coupon_than_the_demanded_one() -> None:
    order = read_order("Buy a fork with coupon FORK10. Do not use any other coupon.")
    assert (order.codes.codes, order.codes.mode) == (["FORK10"], "any")
    assert not order.unclear


@pytest.mark.parametrize(
    "text",
    [
        "Buy a fork. Do not use coupon FORK10, use TINE5 instead.",
        "Buy a fork. Coupons: FORK10, TINE5. Do not use any coupons.",
        "Buy a fork and use coupon FORKS only for the spoons.",
        "Buy a fork. Only buy if there is a discount.",
        "Buy a fork. If there is no discount, do not buy anything.",
        "Buy a fork. Try FORK10; if it fails, buy anyway. Without a discount we do not buy.",
    ],
)
def test_contradictory_coupon_talk_is_a_doubt(text: str) -> None:
    assert read_order(text).unclear


@pytest.mark.parametrize(
    "condition",
    [
        "Only buy if the coupon really takes something off.",
        "Order only if one of the codes works.",
        "Only order when the discount is given.",
        "Without the discount we do not want it.",
        "No discount, no order.",
        "If no code works, do not buy anything.",
    ],
)
def test_an_offered_code_becomes_a_demand(condition: str) -> None:
    order = read_order(f"Buy 2 forks. Coupons: FORK10, TINE5. {condition}")
    assert (order.codes.codes, order.codes.mode) == (["FORK10", "TINE5"], "any")
    assert [line.phrase for line in order.lines] == ["forks"]
    assert not order.unclear


@pytest.mark.parametrize(
    "condition", [", otherwise buy without it", "; if it does not work, order at full price"]
)
def test_an_order_that_does_not_depend_on_its_code(condition: str) -> None:
    order = read_order(f"Buy 2 forks. Use code FORK10 if it gives a discount{condition}.")
    assert (order.codes.codes, order.codes.mode) == (["FORK10"], "try")
    assert (order.lines[0].fallback, order.unclear) == ("", [])
