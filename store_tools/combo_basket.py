"""Combo_* tools that move the basket: to a given content, to nothing, through a coupon search."""

from __future__ import annotations

from typing import Any

from ledger import Tool, ToolFault, tool
from store_tools.combo_coupons import try_coupons
from store_tools.moves import Content, Item, bring_back, content_in, content_of, move, switch_coupon
from store_tools.requests import known_dead
from store_tools.session import Basket, StoreSession


def basket_tools(session: StoreSession) -> list[Tool]:
    """The tools that move the basket of one shop."""

    def Combo_Set_Basket_For_Items(items: list[Item], coupon: str = "") -> dict[str, Any]:
        """Makes the basket hold exactly these [{sku, quantity}] and this coupon, with the fewest
        calls; returns the basket. On an error the basket is as it was before."""
        return set_basket(session, content_of(items), coupon)

    def Combo_Empty_Basket() -> dict[str, Any]:
        """Removes every item and the coupon; returns the basket."""
        return set_basket(session, {}, "")

    def Combo_Test_Coupons_For_Product_Combinations(
        combinations: list[list[Item]], coupons: list[str]
    ) -> dict[str, Any]:
        """Tries every coupon (and none) on every basket, then restores the basket. combinations:
        [[{sku, quantity}]]. {results: [{items, coupon, subtotal, discount, total}] cheapest
        first, errors: [{items or coupon, error}]}. Buys nothing."""
        contents = [content_of(items) for items in combinations]
        return try_coupons(session, contents, coupons)

    return [
        tool("write", Combo_Set_Basket_For_Items),
        tool("write", Combo_Empty_Basket),
        tool("write", Combo_Test_Coupons_For_Product_Combinations),
    ]


def set_basket(session: StoreSession, wanted: Content, coupon: str) -> Basket:
    """Move the basket to a content and coupon; a refusal puts it back as it was.

    Raises:
        ToolFault: the shop refused a product, a quantity or the code.
    """
    before = session.view()
    start = content_in(before)
    if start == wanted and before["coupon"] == coupon:
        return before
    known_dead(session, coupon)
    try:
        move(session, start, wanted)
        switch_coupon(session, before["coupon"], coupon)
        return session.view()
    except ToolFault as fault:
        bring_back(session, start, before["coupon"], fault)
        raise
