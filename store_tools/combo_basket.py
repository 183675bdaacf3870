"""Combo_* tools that move the basket: to a given content, to nothing, through coupon trials."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from erc3_compat import store
from pydantic import BaseModel, ConfigDict, Field

from ledger import Tool, ToolFault, tool
from store_tools.requests import apply_coupon
from store_tools.session import Basket, OutOfReach, StoreSession, filled_basket

Content = dict[str, int]


class Item(BaseModel):
    """One line of a wanted basket."""

    model_config = ConfigDict(extra="ignore")

    sku: str
    quantity: int = Field(ge=1)


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
        return test_coupons(session, contents, coupons)

    return [
        tool("write", Combo_Set_Basket_For_Items),
        tool("write", Combo_Empty_Basket),
        tool("write", Combo_Test_Coupons_For_Product_Combinations),
    ]


def content_of(items: list[Item]) -> Content:
    """Quantities by SKU; repeated lines add up."""
    content: Content = {}
    for item in items:
        content[item.sku] = content.get(item.sku, 0) + item.quantity
    return content


def content_in(basket: Basket) -> Content:
    """Quantities by SKU of a basket that the shop showed."""
    return {i["sku"]: i["quantity"] for i in basket["items"]}


def set_basket(session: StoreSession, wanted: Content, coupon: str) -> Basket:
    """Move the basket to a content and coupon; a refusal puts it back as it was.

    Raises:
        ToolFault: the shop refused a product, a quantity or the code.
    """
    before = session.view()
    start = content_in(before)
    try:
        _move(session, start, wanted)
        _switch_coupon(session, before["coupon"], coupon)
    except OutOfReach:
        raise
    except ToolFault:
        now = session.view()
        _move(session, content_in(now), start)
        _switch_coupon(session, now["coupon"], before["coupon"])
        raise
    return session.view()


def _move(session: StoreSession, start: Mapping[str, int], wanted: Mapping[str, int]) -> None:
    """One call for each product whose quantity differs; removals first, they cannot fail."""
    for sku, have in start.items():
        if have > wanted.get(sku, 0):
            quantity = have - wanted.get(sku, 0)
            session.send(store.Req_RemoveItemFromBasket(sku=sku, quantity=quantity))
    for sku, want in wanted.items():
        if want > start.get(sku, 0):
            quantity = want - start.get(sku, 0)
            session.send(store.Req_AddProductToBasket(sku=sku, quantity=quantity))


def _switch_coupon(session: StoreSession, now: str, wanted: str) -> None:
    if wanted == now:
        return
    if wanted:
        apply_coupon(session, wanted)
    else:
        session.send(store.Req_RemoveCoupon())


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


def test_coupons(
    session: StoreSession, contents: list[Content], coupons: list[str]
) -> dict[str, Any]:
    """Try coupons on baskets: moves outside, coupons inside, the basket restored at the end.

    A code that stays applied over a move is tried first on the next basket, so a basket costs at
    most its move and two calls for each coupon. Refusals are recorded with what was refused; an
    unreachable store ends the search.
    """
    before = session.view()
    trial = _Trial(session, before)
    codes = list(dict.fromkeys(c for c in coupons if c))
    try:
        for index in walk_order(trial.content, contents):
            trial.visit(contents[index], codes)
    finally:
        trial.go_home()
    trial.results.sort(key=lambda r: (r["total"], r["coupon"] != "", len(r["items"])))
    return {"results": trial.results, "errors": trial.errors}


class _Trial:
    """One coupon search: where the basket stands and what was found."""

    def __init__(self, session: StoreSession, before: Basket) -> None:
        self.session = session
        self.home = content_in(before), before["coupon"]
        self.content: Content = dict(self.home[0])
        self.coupon: str = before["coupon"]
        self.lost = False
        self.results: list[dict[str, Any]] = []
        self.errors: list[dict[str, Any]] = []

    def visit(self, content: Content, codes: list[str]) -> None:
        """Move to a basket and try every code there."""
        if not content:
            return
        try:
            _move(self.session, self.content, content)
        except OutOfReach:
            self.lost = True
            raise
        except ToolFault as fault:
            self.errors.append({"items": _rows(content), "error": fault.text})
            self.content = content_in(self.session.view())
            return
        self.content = dict(content)
        subtotal: int | None = None
        for code in sorted(codes, key=lambda c: c != self.coupon):
            basket = self._apply(code)
            if basket:
                subtotal = basket["subtotal"]
                self._keep(content, basket)
        if subtotal is None:
            basket = self.session.view()
            subtotal = basket["subtotal"]
        self._keep(content, {"subtotal": subtotal, "coupon": "", "discount": 0, "total": subtotal})

    def _apply(self, code: str) -> Basket | None:
        if code != self.coupon:
            if code in self.session.rejected_coupons:
                self._note(code, f"invalid coupon code: {code}")
                return None
            try:
                apply_coupon(self.session, code)
            except OutOfReach:
                self.lost = True
                raise
            except ToolFault as fault:
                # Whether an earlier coupon survives a refusal is unknown: ask again later.
                self.coupon = "\0unknown"
                self._note(code, fault.text)
                return None
            self.coupon = code
        return filled_basket(self.session.view())

    def _note(self, code: str, error: str) -> None:
        if all(e.get("coupon") != code for e in self.errors):
            self.errors.append({"coupon": code, "error": error})

    def _keep(self, content: Content, basket: Basket) -> None:
        if basket["coupon"] and not basket["discount"]:
            self._note_dead(basket["coupon"])
        row = {k: basket[k] for k in ("coupon", "subtotal", "discount", "total")}
        if not basket["coupon"] or basket["discount"]:
            self.results.append({"items": _rows(content), **row})

    def _note_dead(self, code: str) -> None:
        self._note(code, f"{code}: accepted, but no discount on at least one basket")

    def go_home(self) -> None:
        """Put the basket back as it was before the search."""
        if self.lost:
            return
        _move(self.session, self.content, self.home[0])
        coupon = self.session.view()["coupon"] if self.coupon.startswith("\0") else self.coupon
        _switch_coupon(self.session, coupon, self.home[1])


def _rows(content: Content) -> list[dict[str, Any]]:
    return [{"sku": sku, "quantity": quantity} for sku, quantity in content.items()]
