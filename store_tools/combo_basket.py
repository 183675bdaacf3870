"""Combo_* tools that move the basket: to a given content, to nothing, through a coupon search."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.ledger import Tool, ToolFault, tool
from core.tools.collector import keeping
from store_tools.basket import AddedRow, Basket, Content, Item, Row, content_of
from store_tools.basket_moves import WHOLE_BASKET, bring_back, bring_to, holds
from store_tools.combo_products import (
    FoundProducts,
    find_products,
    generate_baskets,
    named_products,
)
from store_tools.coupon_search import try_coupons
from store_tools.coupon_trial import Refusal, Search
from store_tools.requests import known_dead
from store_tools.store_session import StoreSession, read_catalog


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
        combinations: list[list[Item]], coupons: list[str], every: bool = False
    ) -> Search:
        """Prices baskets ([[{sku, quantity}]]) with each coupon and none, restores the basket:
        {results: [{items, coupon, subtotal, discount, total}] cheapest first, only codes that take
        something off, errors: [{items or coupon, error}] (also of a useless code), untried:
        baskets skipped as none can be cheapest (0 with every), with_addition: [{added: sku, coupon,
        total}]: one product more that makes a code work}"""
        contents = [content_of(items) for items in combinations]
        return try_coupons(session, contents, coupons, every=every)

    # Of a basket that nobody could look at nothing is claimed, not that it is empty.
    unseen = dict.fromkeys(("items", "subtotal", "coupon", "discount", "total"))
    return [
        tool("write", Combo_Set_Basket_For_Items, fields=unseen),
        tool("write", Combo_Empty_Basket, fields=unseen),
        tool("read", Combo_Test_Coupons_For_Product_Combinations, fields=vars(Search())),
    ]


def set_basket(session: StoreSession, wanted: Content, coupon: str) -> Basket:
    """Move the basket to a content and coupon; a refusal puts it back as it was.

    The basket that comes back is the shop's own, seen after the last move.

    Raises:
        ToolFault: the shop refused a product, a quantity or the code.
        OutOfReach: the shop does not answer, or does not come to show what was asked for.
    """
    before, owed = session.known(), set(session.unanswered)
    if not holds(before, wanted, coupon):
        with keeping(**dict(before)):
            known_dead(session, coupon)
    try:
        basket = bring_to(session, before, wanted, coupon)
    except ToolFault as fault:
        bring_back(session, before, fault)
        fault.with_found(dict(before))
        raise
    # What was lost on the way was made good on the way, and so was a basket that never came.
    for path in session.unanswered.keys() - (owed - {WHOLE_BASKET} if wanted else owed):
        del session.unanswered[path]
    return basket


@dataclass
class Cheapest(FoundProducts):
    """What became of finding, pricing and setting."""

    prices: list[Row] = field(default_factory=list)
    errors: list[Refusal] = field(default_factory=list)
    with_addition: list[AddedRow] | None = None
    basket: Basket | None = None
    reason: str = ""


def cheapest_tool(session: StoreSession) -> Tool:
    """The tool that sets the cheapest basket of one shop."""

    def Combo_Set_Cheapest_Basket_For_Query(
        query: str | list[str],
        coupons: list[str],
        units: int = 0,
        pieces: int = 0,
        packs: dict[str, int] | None = None,
    ) -> Cheapest:
        """Finds products (or takes SKUs), makes all mixes of exactly units (packs: {sku: what it
        holds} where no mark tells) or pieces (packages), prices each with each coupon and none,
        sets the cheapest. {fields of the search, prices: cheapest row of each coupon, errors,
        with_addition, basket, reason: why nothing was set}"""
        if (units > 0) == (pieces > 0):
            raise ToolFault("give units or pieces, at least 1, and not both")
        result = Cheapest()
        try:
            _take_products(session, result, query)
            held = {p.sku: 1 if pieces else p.units or 1 for p in result.matches}
            contents = _contents(session, result, held | (packs or {}), units or pieces)
            if contents:
                _set_cheapest(session, result, contents, coupons)
        except ToolFault as fault:
            fault.with_found(vars(result))
            raise
        return result

    return tool("write", Combo_Set_Cheapest_Basket_For_Query, fields=vars(Cheapest()))


def _take_products(session: StoreSession, result: Cheapest, query: str | list[str]) -> None:
    if isinstance(query, str):
        vars(result).update(vars(find_products(session, query)))
    else:
        result.matches = named_products(session, query)
        result.catalog_size = len(read_catalog(session))


def _contents(
    session: StoreSession, result: Cheapest, held: dict[str, int], units: int
) -> list[Content]:
    """All mixes of the matches, where a package has what it ``held``; notes why there is none."""
    if not result.matches:
        result.reason = "nothing matches"
        return []
    rows = [product.model_copy(update={"units": held[product.sku]}) for product in result.matches]
    generated = generate_baskets(session, rows, units)
    result.reason = generated.reason
    return [one.content for one in generated.combinations]


def _set_cheapest(
    session: StoreSession, result: Cheapest, contents: list[Content], coupons: list[str]
) -> None:
    """Price baskets and set the cheapest; notes why none was set."""
    wanted, coupon = contents[0], ""
    if any(coupons):
        priced = try_coupons(session, contents, coupons, every=False)
        result.errors, result.with_addition = priced.errors, priced.with_addition
        rows = priced.results
        if not rows:
            result.reason = "the shop let no basket be filled"
            return
        cheapest = {row.coupon: row for row in reversed(rows)}
        result.prices = [row for row in rows if row is cheapest[row.coupon]]
        wanted, coupon = rows[0].content, rows[0].coupon
    result.basket = set_basket(session, wanted, coupon)
