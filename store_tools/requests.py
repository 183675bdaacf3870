"""The Req_* tools: one API call each, with gaps filled in and the dangerous one guarded."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from core.erc3_client import store
from core.ledger import Tool, ToolFault, tool
from core.tools.faults import Inconsistent, Refused, failed_request
from core.tools.requests import request_tool
from store_tools.basket import CHECKOUT, Basket, Content, Item, content_of, flaw_of
from store_tools.order import CheckoutOrder, lone_order, misnamed, order_given, order_in, order_of
from store_tools.store_session import StoreSession, read_catalog, read_page

_TOLD = frozenset({"Req_ViewBasket", "Req_CheckoutBasket"})
"""Of the others prompts do not speak: Combo tools cover them."""
SHORT = "insufficient inventory"
"""How the platform's refusals of a quantity begin."""
_Move = type[store.Req_AddProductToBasket | store.Req_RemoveItemFromBasket]


def request_tools(session: StoreSession) -> list[Tool]:
    """The seven Req_* tools of one shop."""

    def moved(model: _Move, sku: str, quantity: int) -> object:
        if quantity < 1:
            raise ToolFault(f"quantity must be at least 1, not {quantity}")
        answer: object = session.write(model(sku=sku, quantity=quantity))
        return answer

    def applied(coupon: str) -> Basket:
        known_dead(session, coupon)
        session.write(store.Req_ApplyCoupon(coupon=coupon))
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
        expected_total: int | None = None,
        expected_coupon: str | None = None,
        expected_items: list[Item] | None = None,
    ) -> Basket:
        """BUYS the basket if it is what was ordered, and what is expected of it where that is given
        (coupon "": none); else it is refused without a call."""
        items = None if expected_items is None else content_of(expected_items)
        return check_out(session, Expected(expected_total, expected_coupon, items))

    return tool("write", Req_CheckoutBasket, final=True, prepared_by="Combo_Set_Basket_For_Items")


class Expected(NamedTuple):
    """What the caller of a checkout expects of the basket; None: nothing is said of it."""

    total: int | None = None
    coupon: str | None = None
    items: Content | None = None

    def difference(self, basket: Basket, limit: int | None) -> str | None:
        """What a basket has otherwise; None: nothing. The ``limit`` passes for its total."""
        held = basket.content
        if self.total not in (None, basket.total, limit):
            return f"the basket's total is {basket.total}, expected {self.total}"
        if self.coupon not in (None, basket.coupon):
            return f"the basket's coupon is {basket.coupon!r}, expected {self.coupon!r}"
        return None if self.items in (None, held) else f"it holds {held}, expected {self.items}"


def check_out(session: StoreSession, expected: Expected) -> Basket:
    """Buy what the basket holds, where that is the order and all else agrees.

    The order stands in the instruction. Of who calls the tools without an instruction it is what
    they expect, all of it.

    Raises:
        ToolFault: it was not bought, or the shop refused it.
        OutOfReach: whether it was bought cannot be told.
    """
    basket = session.certain()
    if session.facts.receipts:
        raise ToolFault("not checked out: this task's purchase has already been made")
    _believe(session, basket)
    order = _order_for(session, basket, expected)
    session.catalog = None  # a checkout moves the stock, also one that is refused
    try:
        session.write(store.Req_CheckoutBasket(), basket.model_dump())
    except Refused as fault:
        if short := _shortage(session, order, fault.text):
            raise Refused(f"{fault.text}; {short}").after(fault) from None
        raise
    return session.facts.receipts[-1]


def _believe(session: StoreSession, basket: Basket) -> None:
    """Raise Inconsistent where the basket or the listing that was chosen from cannot be true.

    To decline then would be a decision on data that nobody can believe: the task stays open.
    """
    if session.disbelieved:
        raise Inconsistent(f"not checked out: {session.disbelieved}")
    if flaw := flaw_of(basket):
        text = f"not checked out: the basket does not add up, read twice: {flaw}"
    elif flaw := _other_than_listed(session, basket):
        with suppress(ToolFault):  # what has changed may be bought by a later order
            read_catalog(session, refresh=True)
        text = f"not checked out: {flaw}"
    else:
        return
    session.unanswered[CHECKOUT] = text
    raise Inconsistent(text)


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


def _order_for(session: StoreSession, basket: Basket, expected: Expected) -> CheckoutOrder:
    """The order that the basket fulfils, which is what the caller expects, too.

    Raises:
        ToolFault: there is none. The text quotes the line that would be it, but of a basket that
            lacks the ordered coupon: then no line would make it what was wanted.
    """
    text, order = session.instruction, None
    try:
        order = order_given(*expected) if text is None else order_in(text)
        flaw = order.difference(basket)
    except ToolFault as fault:
        flaw = fault.text
    # Whose code passes the limit of the instruction's order for the total means that order. Without
    # an instruction the total is a check on the items.
    limit = order.limit if order and text is not None else None
    if flaw is None and (other := expected.difference(basket, limit)):
        raise ToolFault(f"not checked out: {other}")
    if order is not None and flaw is None:
        listed = {product.sku for product in session.catalog or ()}
        if (meant := misnamed(order, session.shown | listed)) is not None:
            raise ToolFault(
                f"not checked out: {meant[:80]!r} may be meant, which no order can name"
            )
        flaw = _unfounded(session, order)
    if order is not None and flaw is None:
        return order
    lacks_coupon = order is not None and order.coupon not in ("", basket.coupon)
    if text is not None and basket.items and not lacks_coupon:
        flaw = f"{flaw}. To buy this basket the next instruction is: {order_of(basket).line}"
    raise ToolFault(f"not checked out: {flaw}")


def _unfounded(session: StoreSession, order: CheckoutOrder) -> str | None:
    """What nobody can know who gives this order now; None: it rests on what the shop has shown.

    A reply may hold a look, an invented report and an order. As long as nothing was reported, an
    order is therefore alone in its instruction, and has no coupon, whose effect no listing tells.
    """
    for sku in order.items:
        if not session.was_shown(sku):
            return f"{sku!r} was not shown before this instruction"
    if session.reported:
        return None
    text = session.instruction
    if order.coupon or (text is not None and lone_order(text) is None):
        return (
            "nothing was reported before this instruction: then it is its CHECKOUT line alone, "
            "without a coupon"
        )
    return None


def _shortage(session: StoreSession, order: CheckoutOrder, refusal: str) -> str:
    """What the shop lists too little of after a refused checkout; "" where the refusal tells it.

    The listing shows it even where the words of a refusal were lost on the way.
    """
    if SHORT in refusal.casefold():
        return ""
    try:
        stock = {p.sku: p.available for p in read_catalog(session)}
    except ToolFault:
        return ""
    short = [
        f"{stock.get(sku, 0)} of {sku}, {wanted} are ordered"
        for sku, wanted in order.items.items()
        if stock.get(sku, 0) < wanted
    ]
    return f"{SHORT}: the shop lists now {'; '.join(short)}" if short else ""


def known_dead(session: StoreSession, code: str) -> None:
    """Refuse a code that the shop has refused before in this task, without asking it again.

    Raises:
        ToolFault: in the shop's words.
    """
    if code in session.facts.rejected_coupons:
        fault = ToolFault(f"invalid coupon code: {code}")
        fault.request = failed_request(store.Req_ApplyCoupon(coupon=code), fault.text)
        raise fault
