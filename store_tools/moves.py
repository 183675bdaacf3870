"""Moving a basket from one content to another with the fewest calls, and back again."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

from erc3_compat import store
from ledger import ToolFault
from store_tools.requests import apply_coupon
from store_tools.session import Basket, StoreSession

Content = dict[str, int]
"""Quantities by SKU."""


class Item(BaseModel):
    """One line of a wanted basket."""

    model_config = ConfigDict(extra="ignore")

    sku: str
    quantity: int = Field(ge=1)


def content_of(items: list[Item]) -> Content:
    """Quantities by SKU; repeated lines add up."""
    content: Content = {}
    for item in items:
        content[item.sku] = content.get(item.sku, 0) + item.quantity
    return content


def content_in(basket: Basket) -> Content:
    """Quantities by SKU of a basket that the shop showed."""
    return {i["sku"]: i["quantity"] for i in basket["items"]}


def move(session: StoreSession, start: Mapping[str, int], wanted: Mapping[str, int]) -> None:
    """One call for each product whose quantity differs; removals first, they cannot fail."""
    for sku, have in start.items():
        if have > wanted.get(sku, 0):
            quantity = have - wanted.get(sku, 0)
            session.send(store.Req_RemoveItemFromBasket(sku=sku, quantity=quantity))
    for sku, want in wanted.items():
        if want > start.get(sku, 0):
            quantity = want - start.get(sku, 0)
            session.send(store.Req_AddProductToBasket(sku=sku, quantity=quantity))


def switch_coupon(session: StoreSession, now: str, wanted: str) -> None:
    """At most one call: apply the wanted code, or take the present one off."""
    if wanted == now:
        return
    if wanted:
        apply_coupon(session, wanted)
    else:
        session.send(store.Req_RemoveCoupon())


def bring_back(session: StoreSession, content: Content, coupon: str, fault: ToolFault) -> None:
    """Put the basket back after a fault, from what the shop shows now.

    Raises:
        ToolFault: it cannot be put back; the text tells the first fault too.
    """
    try:
        now = session.view()
        move(session, content_in(now), content)
        switch_coupon(session, now["coupon"], coupon)
    except ToolFault:
        text = f"{fault.text}; the basket could not be put back as it was, view it"
        raise ToolFault(text, kind="RuntimeError", fatal=True) from None


def distance(a: Content, b: Content) -> int:
    """Calls that it takes to move from one content to another."""
    return sum(1 for sku in a.keys() | b.keys() if a.get(sku, 0) != b.get(sku, 0))


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
