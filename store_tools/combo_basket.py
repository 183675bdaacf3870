"""Combo_* tools that move the basket: to a given content, to nothing, through a coupon search."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from core.ledger import Tool, ToolFault, tool
from core.tools.collector import keeping
from store_tools.authorised import Priced, line_of
from store_tools.basket import AddedRow, Basket, Content, Item, Product, Row, content_of
from store_tools.basket_moves import WHOLE_BASKET, bring_back, bring_to, holds
from store_tools.combo_products import (
    FoundProducts,
    find_products,
    generate_baskets,
    named_products,
)
from store_tools.coupon_search import try_coupons
from store_tools.coupon_trial import Refusal, Search
from store_tools.requests import check_out, known_dead
from store_tools.store_session import StoreSession, read_catalog

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
        {results: [{items, coupon, subtotal, discount, total}] cheapest first, only codes that take
        something off, errors: [{items or coupon, error}] (also of a useless code), untried:
        baskets skipped as none can be cheapest (0 with every), with_addition: [{added: sku, coupon,
        total}]: one product more that makes a code work}"""
        return price_baskets(session, combinations, coupons, every=every)

    # Of a basket that nobody could look at nothing is claimed, not that it is empty.
    unseen = dict.fromkeys(("items", "subtotal", "coupon", "discount", "total"))
    return [
        tool("write", Combo_Set_Basket_For_Items, fields=unseen),
        tool("write", Combo_Empty_Basket, fields=unseen),
        tool("read", Combo_Test_Coupons_For_Product_Combinations, fields=vars(Search())),
    ]


def price_baskets(
    session: StoreSession, combinations: Baskets, coupons: list[str], *, every: bool = False
) -> Search:
    """Price baskets with each coupon and none, and note for a purchase what was priced.

    Raises:
        ToolFault: nothing was generated, there are too many baskets, or the shop is lost.
    """
    target, query = None, None
    if isinstance(combinations, str):
        contents, target, query = session.generated, session.target, session.query
        if not contents:
            raise ToolFault('combinations="last" means none: no basket was generated or possible')
    else:
        contents = [content_of(items) for items in combinations]
    search = try_coupons(session, contents, coupons, every=every)
    rows = [(row.content, row.coupon, row.total) for row in search.results]
    tested = len([c for c in coupons if c])
    session.note_priced(Priced(rows, target, tested, by_shop=True, query=query))
    return search


def set_basket(session: StoreSession, wanted: Content, coupon: str) -> Basket:
    """Move the basket to a content and coupon; a refusal puts it back as it was.

    The basket that comes back is the shop's own, seen after the last move.

    Raises:
        ToolFault: the shop refused a product, a quantity or the code.
        OutOfReach: the shop does not answer, or does not come to show what was asked for.
    """
    session.note_set("the basket could not be looked at")
    before, doubt, owed = session.known(), session.facts.doubt, set(session.unanswered)
    if not holds(before, wanted, coupon):
        with keeping(**dict(before)):
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
    session.facts.note_shown()
    # What was lost on the way was made good on the way, and so was a basket that never came.
    for path in session.unanswered.keys() - (owed - {WHOLE_BASKET} if wanted else owed):
        del session.unanswered[path]
    return basket


@dataclass
class Cheapest(FoundProducts):
    """What became of finding, pricing, setting and buying."""

    prices: list[Row] = field(default_factory=list)
    errors: list[Refusal] = field(default_factory=list)
    with_addition: list[AddedRow] | None = None
    basket: Basket | None = None
    bought: bool = False
    reason: str = ""


def cheapest_tool(session: StoreSession) -> Tool:
    """The tool that sets the cheapest basket of one shop."""

    def Combo_Set_Cheapest_Basket_For_Query(
        query: str | list[str],
        coupons: list[str],
        units: int = 0,
        pieces: int = 0,
        checkout: bool = False,
    ) -> Cheapest:
        """Finds products (or takes SKUs), makes all mixes of exactly units (or pieces of the one
        product that matches), prices each with each coupon and none, sets the cheapest;
        checkout=True: buys it, if the instruction's CHECKOUT line allows it (its coupon and limit
        are checked here). {fields of the search, prices (with coupons): cheapest row of each,
        errors, with_addition, basket, bought, reason: why not set or bought}"""
        if (units > 0) == (pieces > 0):
            raise ToolFault("give units or pieces, at least 1, and not both")
        result = Cheapest()
        try:
            _set_cheapest(session, result, query, coupons, units, pieces)
            if checkout and result.basket is not None:
                _buy(session, result, result.basket)
        except ToolFault as fault:
            fault.with_found(vars(result))
            raise
        return result

    return tool("write", Combo_Set_Cheapest_Basket_For_Query, fields=vars(Cheapest()))


def _set_cheapest(
    session: StoreSession,
    result: Cheapest,
    query: str | list[str],
    coupons: list[str],
    units: int,
    pieces: int,
) -> None:
    """Fill in the result, and set the basket unless there is a reason not to."""
    if isinstance(query, str):
        vars(result).update(vars(find_products(session, query)))
        products = result.matches
        if not products:
            result.reason = "nothing matches"
        elif session.sure.get(frozenset(product.sku for product in products)) != query:
            result.reason = "not all matches are sure: name the SKUs that are meant"
    else:
        products = result.matches = named_products(session, query)
        result.sure, result.catalog_size = len(products), len(read_catalog(session))
    if result.reason:
        return
    if pieces:
        result.reason = _take_pieces(session, products, pieces)
    else:
        result.reason = generate_baskets(session, products, units).reason
    if result.reason:
        return
    if any(coupons):
        priced = price_baskets(session, "last", coupons)
        result.errors, result.with_addition = priced.errors, priced.with_addition
        rows = priced.results
        if not rows:
            result.reason = "the shop let no basket be filled"
            return
        cheapest = {row.coupon: row for row in reversed(rows)}
        result.prices = [row for row in rows if row is cheapest[row.coupon]]
        wanted, coupon = rows[0].content, rows[0].coupon
    else:
        wanted, coupon = session.generated[0], ""
    result.basket = set_basket(session, wanted, coupon)


def _take_pieces(session: StoreSession, products: list[Product], pieces: int) -> str:
    """Make so many pieces of the one product the last that was generated; why not, else ""."""
    if len(products) != 1:
        return f"{len(products)} products match, not one"
    product = products[0]
    if product.available < pieces:
        return f"its stock is {max(product.available, 0)}, fewer than {pieces}"
    content = {product.sku: pieces}
    session.generated = [content]
    session.target = pieces * (product.units or 1)
    session.query = session.sure.get(frozenset(content))
    row = (content, "", pieces * product.price)
    session.note_priced(Priced([row], session.target, 0, by_shop=False, query=session.query))
    return ""


def _buy(session: StoreSession, result: Cheapest, basket: Basket) -> None:
    """Check out what was set; a refusal is the reason. Raises ToolFault where the shop is lost."""
    if session.instruction is None or line_of(session.instruction) is None:
        result.reason = "not checked out: only an instruction with a CHECKOUT line authorises it"
        return
    try:
        result.basket = check_out(session, basket.total, basket.coupon, basket.content)
        result.bought = True
    except ToolFault as fault:
        if fault.fatal:
            raise
        result.reason = fault.text
