"""Moving a basket from one content to another with the fewest calls, and back again."""

from __future__ import annotations

from collections.abc import Mapping

from core.erc3_client import store
from core.ledger import ToolFault
from core.tools.faults import GivenUp, OutOfReach
from store_tools.basket import Basket, Content
from store_tools.requests import known_dead
from store_tools.store_session import StoreSession

WHOLE_BASKET = "the basket"
"""Stands among the paths that had no usable answer where no single request is to blame."""
ROUNDS = 5
"""So often a basket is moved that the shop then shows otherwise."""


def move(session: StoreSession, start: Mapping[str, int], wanted: Mapping[str, int]) -> None:
    """One call for each product whose quantity differs; removals first, they cannot fail."""
    for sku, have in start.items():
        if have > wanted.get(sku, 0):
            quantity = have - wanted.get(sku, 0)
            session.write(store.Req_RemoveItemFromBasket(sku=sku, quantity=quantity))
    for sku, want in wanted.items():
        if want > start.get(sku, 0):
            quantity = want - start.get(sku, 0)
            session.write(store.Req_AddProductToBasket(sku=sku, quantity=quantity))


def switch_coupon(session: StoreSession, now: str | None, wanted: str) -> None:
    """At most one call: apply the wanted code, or take the present one off."""
    if wanted == now:
        return
    if wanted:
        known_dead(session, wanted)
        session.write(store.Req_ApplyCoupon(coupon=wanted))
    else:
        session.write(store.Req_RemoveCoupon())


def bring_to(session: StoreSession, now: Basket, content: Content, coupon: str) -> Basket:
    """Move the basket from what the shop shows ``now`` until it shows this content and coupon.

    A request may arrive twice or without an answer: what the shop shows then is moved again.

    Raises:
        ToolFault: the shop refused a product, a quantity or the code; the basket is on the way.
        OutOfReach: the shop does not answer, or shows something else all the time.
    """
    for _ in range(ROUNDS):
        if holds(now, content, coupon):
            return now
        try:
            move(session, now.content, content)
            switch_coupon(session, now.coupon, coupon)
        except GivenUp:
            raise
        except OutOfReach:
            pass  # of that write nothing is known; should the shop be gone, the view says so
        now = session.view()
    if holds(now, content, coupon):
        return now
    text = f"the basket was set {ROUNDS} times and still shows something else: view it"
    session.unanswered[WHOLE_BASKET] = text
    raise OutOfReach(text)


def holds(basket: Basket, content: Content, coupon: str) -> bool:
    """Whether a basket that the shop showed has exactly this content and coupon."""
    return basket.content == content and basket.coupon == coupon


def bring_back(session: StoreSession, before: Basket, fault: ToolFault | None = None) -> None:
    """Put the basket back as it was ``before``, from what the shop shows now.

    ``fault`` is what ended the work.

    Raises:
        ToolFault: it cannot be put back; the text tells the first fault too.
    """
    try:
        bring_to(session, session.known(), before.content, before.coupon)
    except ToolFault:
        begin = f"{fault.text}; " if fault else ""
        text = f"{begin}the basket could not be put back as it was, view it"
        raise ToolFault(text, kind="RuntimeError", fatal=True) from None


def distance(a: Content, b: Content) -> int:
    """Calls that it takes to move from one content to another."""
    return len({sku for sku, _ in a.items() ^ b.items()})


def walk_order(start: Content, contents: list[Content]) -> list[int]:
    """An order of baskets in which each is near the one before (nearest neighbour)."""
    left = dict(enumerate(contents))
    order: list[int] = []
    here = start
    while left:
        index = min(left, key=lambda i: (distance(here, left[i]), i))
        here = left.pop(index)
        order.append(index)
    return order
