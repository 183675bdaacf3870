"""Combo_* tools that move the basket: to a given content, to nothing, through a coupon search."""

from __future__ import annotations

from typing import Literal

from core.ledger import Tool, ToolFault, tool
from core.tools.collector import keeping
from store_tools.authorised import Priced
from store_tools.basket import Basket, Content, Item, Line, content_of
from store_tools.basket_moves import WHOLE_BASKET, bring_back, bring_to, holds
from store_tools.combo_coupons import Search, try_coupons
from store_tools.requests import known_dead
from store_tools.store_session import StoreSession

Baskets = list[list[Item]] | Literal["last"]
"""Baskets to price: told, or all that the generator made last."""


def basket_tools(session: StoreSession) -> list[Tool]:
    """The tools that move the basket of one shop."""

    def Combo_Set_Basket_For_Items(items: list[Item], coupon: str = "") -> Basket:
        """Makes the basket exactly this ([{sku, quantity}]): {items: [{sku, quantity, price}],
        subtotal, coupon, discount, total}. With an error it stays as before."""
        return set_basket(session, content_of(items), coupon)

    def Combo_Empty_Basket() -> Basket:
        """Takes the coupon off too; result as above."""
        return set_basket(session, {}, "")

    def Combo_Test_Coupons_For_Product_Combinations(
        combinations: Baskets, coupons: list[str], every: bool = False
    ) -> Search:
        """Prices baskets ([[{sku, quantity}]]) with each coupon and none, restores the basket:
        {results: [{items, coupon, subtotal, discount, total}] cheapest first, errors: [{items or
        coupon, error}] (also of a code without discount), untried: baskets skipped as none can be
        cheapest (0 with every), with_addition: [{added: sku, coupon, total}]: one product more
        that makes a code work}"""
        return price_baskets(session, combinations, coupons, every=every)

    # Of a basket that nobody could look at nothing is claimed, not that it is empty.
    unseen = dict.fromkeys(("items", "subtotal", "coupon", "discount", "total"))
    tried: dict[str, object] = {"results": [], "errors": [], "untried": 0, "with_addition": None}
    return [
        tool("write", Combo_Set_Basket_For_Items, fields=unseen),
        tool("write", Combo_Empty_Basket, fields=unseen),
        tool("read", Combo_Test_Coupons_For_Product_Combinations, fields=tried),
    ]


def price_baskets(
    session: StoreSession, combinations: Baskets, coupons: list[str], *, every: bool = False
) -> Search:
    """Price baskets with each coupon and none, and note for a purchase what was priced.

    Raises:
        ToolFault: nothing was generated, there are too many baskets, or the shop is lost.
    """
    contents = [content_of(items) for items in _chosen(session, combinations)]
    search = try_coupons(session, contents, coupons, every=every)
    rows = [(_content(r["items"]), r["coupon"], r["total"]) for r in search["results"]]
    last = isinstance(combinations, str)
    target, query = (session.target, session.query) if last else (None, None)
    tested = len([c for c in coupons if c])
    session.note_priced(Priced(rows, target, tested, by_shop=True, query=query))
    return search


def _content(lines: list[Line]) -> Content:
    return {line["sku"]: line["quantity"] for line in lines}


def _chosen(session: StoreSession, baskets: Baskets) -> list[list[Item]]:
    """The baskets that are meant. Raises ToolFault where none were generated."""
    if not isinstance(baskets, str):
        return baskets
    if not session.generated:
        raise ToolFault('combinations="last" means none: no basket was generated or possible')
    return [[Item.model_validate(line) for line in items] for items in session.generated]


def set_basket(session: StoreSession, wanted: Content, coupon: str) -> Basket:
    """Move the basket to a content and coupon; a refusal puts it back as it was.

    The basket that comes back is the shop's own, seen after the last move.

    Raises:
        ToolFault: the shop refused a product, a quantity or the code.
        OutOfReach: the shop does not answer, or does not come to show what was asked for.
    """
    session.note_set("the basket could not be looked at")
    before, doubt, owed = session.known(), session.basket_doubt, set(session.unanswered)
    if not holds(before, wanted, coupon):
        with keeping(**before):
            session.note_set("its coupon was refused before")
            known_dead(session, coupon)
    try:
        basket = bring_to(session, before, wanted, coupon)
    except ToolFault as fault:
        session.note_set(fault.text)
        bring_back(session, before, doubt, fault)
        fault.with_found(dict(before))
        raise
    session.note_set("")
    session.basket_doubt = None
    # What was lost on the way was made good on the way, and so was a basket that never came.
    for path in session.unanswered.keys() - (owed - {WHOLE_BASKET} if wanted else owed):
        del session.unanswered[path]
    return basket
