"""The Req_* tools: one API call each, with gaps filled in and the dangerous one guarded."""

from __future__ import annotations

from typing import Any

from erc3_compat import store
from ledger import Tool, ToolFault, tool
from store_tools.catalog import read_page
from store_tools.mirror import CHECKOUT, Content, Item, content_in, content_of, flaw_of
from store_tools.session import LIST, Inconsistent, StoreSession


def request_tools(session: StoreSession) -> list[Tool]:
    """The seven Req_* tools of one shop."""
    return [*_reading_tools(session), *_basket_tools(session), *_final_tools(session)]


def _reading_tools(session: StoreSession) -> list[Tool]:
    def Req_ListProducts(offset: int = 0, limit: int = 0) -> dict[str, Any]:
        """One page: {products: [{sku, name, price, available}], next_offset (-1: end), limit}.
        A limit that is too large is lowered to what the shop takes."""
        try:
            return {**read_page(session, offset, limit)}
        except Inconsistent as flaw:
            session.unanswered[LIST] = flaw.text
            raise

    def Req_ViewBasket() -> dict[str, Any]:
        """{items: [{sku, quantity, price}], subtotal, coupon, discount, total}"""
        return session.view()

    return [tool("read", Req_ListProducts), tool("read", Req_ViewBasket)]


def _basket_tools(session: StoreSession) -> list[Tool]:
    def Req_AddProductToBasket(sku: str, quantity: int) -> dict[str, Any]:
        """Adds to what is there: {line_count, item_count}"""
        _positive(quantity)
        return session.send(store.Req_AddProductToBasket(sku=sku, quantity=quantity))

    def Req_RemoveItemFromBasket(sku: str, quantity: int) -> dict[str, Any]:
        """Takes that many away: {line_count, item_count}"""
        _positive(quantity)
        return session.send(store.Req_RemoveItemFromBasket(sku=sku, quantity=quantity))

    def Req_ApplyCoupon(coupon: str) -> dict[str, Any]:
        """Replaces the coupon and returns the basket. Accepted is not enough: look at discount."""
        apply_coupon(session, coupon)
        return session.view()

    def Req_RemoveCoupon() -> dict[str, Any]:
        """Removes the coupon and returns the basket."""
        session.send(store.Req_RemoveCoupon())
        return session.view()

    return [
        tool("write", Req_AddProductToBasket),
        tool("write", Req_RemoveItemFromBasket),
        tool("write", Req_ApplyCoupon),
        tool("write", Req_RemoveCoupon),
    ]


def _final_tools(session: StoreSession) -> list[Tool]:
    def Req_CheckoutBasket(
        expected_total: int, expected_coupon: str = "", expected_items: list[Item] | None = None
    ) -> dict[str, Any]:
        """BUYS the basket; cannot be undone. Refused without a call when the basket's total,
        coupon, discount or (where given) items [{sku, quantity}] are not as expected.
        "insufficient inventory" tells the real stock."""
        items = None if expected_items is None else content_of(expected_items)
        return _check_out(session, expected_total, expected_coupon, items)

    return [tool("write", Req_CheckoutBasket, final=True)]


def _check_out(
    session: StoreSession, total: int, coupon: str, items: Content | None
) -> dict[str, Any]:
    basket = session.view()
    if session.checkouts:
        raise ToolFault("not checked out: this task's purchase has already been made")
    if session.disbelieved:
        raise Inconsistent(f"not checked out: {session.disbelieved}")
    if flaw := flaw_of(basket):
        text = f"not checked out: the basket does not add up, read twice: {flaw}"
        # To decline now would be a decision on data that nobody can believe.
        session.unanswered[CHECKOUT] = text
        raise Inconsistent(text)
    if session.odd:
        # A total can come out as expected for another content.
        raise ToolFault(f"not checked out: {session.odd}")
    _agree(basket, total, coupon)
    if items is not None and content_in(basket) != items:
        raise ToolFault(f"not checked out: the basket holds {content_in(basket)}, expected {items}")
    try:
        return session.send(store.Req_CheckoutBasket(), final=True, about=basket)
    finally:
        session.forget_stock()


def apply_coupon(session: StoreSession, code: str) -> None:
    """Apply a code; one that the shop refused before in this task costs no request.

    Raises:
        ToolFault: the shop does not know the code.
    """
    known_dead(session, code)
    try:
        session.send(store.Req_ApplyCoupon(coupon=code))
    except ToolFault as fault:
        if known_invalid(fault.text):
            session.rejected_coupons.add(code)
        raise


def known_invalid(error: str | None) -> bool:
    """Whether an error text of the shop says that it does not know a code."""
    return "invalid coupon" in (error or "").casefold()


def known_dead(session: StoreSession, code: str) -> None:
    """Refuse a code that the shop has refused before in this task, without asking it again.

    Raises:
        ToolFault: in the shop's words.
    """
    if code in session.rejected_coupons:
        raise ToolFault(f"invalid coupon code: {code}")


def _positive(quantity: int) -> None:
    if quantity < 1:
        raise ToolFault(f"quantity must be at least 1, not {quantity}")


def _agree(basket: dict[str, Any], total: int, coupon: str) -> None:
    if not basket["items"]:
        raise ToolFault("not checked out: the basket is empty")
    if basket["total"] != total:
        raise ToolFault(
            f"not checked out: the basket's total is {basket['total']}, expected {total}"
        )
    if basket["coupon"] != coupon:
        raise ToolFault(
            f"not checked out: the basket's coupon is {basket['coupon']!r}, expected {coupon!r}"
        )
    if coupon and not basket["discount"]:
        raise ToolFault(f"not checked out: coupon {coupon!r} gives no discount on this basket")
