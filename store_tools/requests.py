"""The Req_* tools: one API call each, with gaps filled in and the dangerous one guarded."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from core.erc3_client import store
from core.ledger import Tool, ToolFault, tool
from core.tools.faults import Inconsistent, failed_request
from core.tools.requests import request_tool
from store_tools.authorised import Order
from store_tools.basket import CHECKOUT, Basket, Content, Item, content_of, flaw_of
from store_tools.store_session import StoreSession, read_page

_TOLD = frozenset({"Req_ViewBasket", "Req_CheckoutBasket"})
"""Of the others prompts do not speak: Combo tools cover them."""
_Move = type[store.Req_AddProductToBasket | store.Req_RemoveItemFromBasket]


def request_tools(session: StoreSession) -> list[Tool]:
    """The seven Req_* tools of one shop."""

    def moved(model: _Move, sku: str, quantity: int) -> object:
        if quantity < 1:
            raise ToolFault(f"quantity must be at least 1, not {quantity}")
        answer: object = session.write(model(sku=sku, quantity=quantity))
        return answer

    def applied(coupon: str) -> Basket:
        apply_coupon(session, coupon)
        return session.view()

    def taken_off() -> Basket:
        session.write(store.Req_RemoveCoupon())
        return session.view()

    page = "One page: {products, next_offset (-1: end), limit}"
    whole = {"offset": 0, "limit": 0}
    basket = "{items: [{sku, quantity, price}], subtotal, coupon, discount, total}"
    replaces = "Replaces the coupon; returns the basket."
    add, remove = store.Req_AddProductToBasket, store.Req_RemoveItemFromBasket
    tools = [
        request_tool(
            "read", store.Req_ListProducts, partial(read_page, session), page, defaults=whole
        ),
        request_tool("read", store.Req_ViewBasket, session.view, basket),
        request_tool("write", add, partial(moved, add)),
        request_tool("write", remove, partial(moved, remove)),
        request_tool("write", store.Req_ApplyCoupon, applied, replaces),
        request_tool("write", store.Req_RemoveCoupon, taken_off),
        _checkout_tool(session),
    ]
    return [replace(one, told=one.name in _TOLD) for one in tools]


def _checkout_tool(session: StoreSession) -> Tool:
    def Req_CheckoutBasket(
        expected_total: int, expected_coupon: str = "", expected_items: list[Item] | None = None
    ) -> Basket:
        """BUYS what the instruction authorises by a total or CHECKOUT line; refused without a call
        if total, coupon, discount or given items differ."""
        items = None if expected_items is None else content_of(expected_items)
        return check_out(session, expected_total, expected_coupon, items)

    return tool("write", Req_CheckoutBasket, final=True, prepared_by="Combo_Set_Basket_For_Items")


def check_out(session: StoreSession, total: int, coupon: str, items: Content | None) -> Basket:
    """Buy what the basket holds, where everything agrees and the instruction authorises it.

    Raises:
        ToolFault: it was not bought, or the shop refused it.
        OutOfReach: whether it was bought cannot be told.
    """
    basket = session.known(within=True)
    if session.facts.receipts:
        raise ToolFault("not checked out: this task's purchase has already been made")
    if session.disbelieved:
        raise Inconsistent(f"not checked out: {session.disbelieved}")
    if flaw := flaw_of(basket):
        text = f"not checked out: the basket does not add up, read twice: {flaw}"
        # To decline now would be a decision on data that nobody can believe.
        session.unanswered[CHECKOUT] = text
        raise Inconsistent(text)
    if flaw := _other_than_listed(session, basket):
        session.catalog = None
        session.unanswered[CHECKOUT] = f"not checked out: {flaw}"
        raise Inconsistent(session.unanswered[CHECKOUT])
    if session.facts.doubt:
        # A total can come out as expected for another content.
        raise ToolFault(f"not checked out: {session.facts.doubt}")
    if session.not_set:
        raise ToolFault(f"not checked out: the basket was not set as asked for: {session.not_set}")
    _agree(basket, total, coupon)
    held = basket.content
    if items is not None and held != items:
        raise ToolFault(f"not checked out: the basket holds {held}, expected {items}")
    if flaw := _unauthorised(session, basket):
        raise ToolFault(f"not checked out: {flaw}")
    try:
        session.write(store.Req_CheckoutBasket(), basket)
        return session.facts.receipts[-1]
    finally:
        session.catalog = None


def _other_than_listed(session: StoreSession, basket: Basket) -> str | None:
    """Why the listing that was chosen from is not that of this shop; None: nothing says so."""
    if session.catalog is None:
        return None
    prices = {p.sku: p.price for p in session.catalog}
    for item in basket.items:
        sku = item.sku
        if sku not in prices:
            return f"{sku!r} is in the basket, and was not in the listing"
        if item.price != prices[sku]:
            return f"{sku!r} costs {item.price} in the basket, and {prices[sku]} in the listing"
    return None


def _unauthorised(session: StoreSession, basket: Basket) -> str | None:
    """Why the instruction does not authorise this basket; where nobody wrote one, all is."""
    if session.instruction is None:
        return None
    catalog = {p.sku: p.name for p in session.catalog or ()}
    return Order(session.instruction, catalog, session.priced).refusal(basket)


def apply_coupon(session: StoreSession, code: str) -> None:
    """Apply a code; one that the shop refused before in this task costs no request.

    Raises:
        ToolFault: the shop does not know the code.
    """
    known_dead(session, code)
    session.write(store.Req_ApplyCoupon(coupon=code))


def known_dead(session: StoreSession, code: str) -> None:
    """Refuse a code that the shop has refused before in this task, without asking it again.

    Raises:
        ToolFault: in the shop's words.
    """
    if code in session.facts.rejected_coupons:
        fault = ToolFault(f"invalid coupon code: {code}")
        fault.request = failed_request(store.Req_ApplyCoupon(coupon=code), fault.text)
        raise fault


def _agree(basket: Basket, total: int, coupon: str) -> None:
    if not basket.items:
        raise ToolFault("not checked out: the basket is empty")
    if basket.total != total:
        raise ToolFault(f"not checked out: the basket's total is {basket.total}, expected {total}")
    if basket.coupon != coupon:
        raise ToolFault(
            f"not checked out: the basket's coupon is {basket.coupon!r}, expected {coupon!r}"
        )
    if coupon and not basket.discount:
        raise ToolFault(f"not checked out: coupon {coupon!r} gives no discount on this basket")
