"""Combo_* tools that move the basket: to a given content, to nothing, through a coupon search."""

from __future__ import annotations

from dataclasses import dataclass

from core.ledger import ComboRow, Rows, Tool, ToolFault, combo_tool
from store_tools.basket import Basket, Content, Item, Product, content_of
from store_tools.basket_moves import WHOLE_BASKET, bring_back, bring_to, holds
from store_tools.combinations import mixes_for
from store_tools.combo_products import FoundProducts, find_products
from store_tools.coupon_search import try_coupons
from store_tools.coupon_trial import Trial
from store_tools.requests import known_dead
from store_tools.store_session import StoreSession


def basket_tools(session: StoreSession) -> list[Tool]:
    """The tools that move the basket of one shop."""

    def Combo_Set_Basket_For_Items(items: list[Item], coupon: str = "") -> Rows:
        """Makes the basket exactly this ([{sku, quantity}]): [{data: {items: [{sku, quantity,
        price}], subtotal, coupon, discount, total}}]; coupon "": none. With an error it stays as
        before."""
        row = ComboRow(primary=items, secondary=coupon)
        yield row
        row.data = session.known()
        row.data = set_basket(session, content_of(items), coupon)

    def Combo_Empty_Basket() -> Rows:
        """Takes the coupon off too; results as above."""
        row = ComboRow(primary=[], secondary="")
        yield row
        row.data = session.known()
        row.data = set_basket(session, {}, "")

    def Combo_Test_Coupons_For_Product_Combinations(
        combinations: list[list[Item]], coupons: list[str], every: bool = False
    ) -> Rows:
        """Prices baskets ([[{sku, quantity}]]) with each coupon and none, restores the basket:
        [{primary: [{sku, quantity}], secondary: coupon, data: {subtotal, discount, total}}, ...]
        cheapest first, only codes that take something off. Then rows with an error: a refused
        basket, a useless code (data: {added: sku, ...} if one product more makes it work), baskets
        skipped as none can be cheapest (not with every)"""
        trial = Trial(session, [content_of(items) for items in combinations], coupons)
        try:
            try_coupons(trial, every=every)
        except ToolFault:
            yield from (*trial.priced(), *trial.failed())
            raise
        yield from (*trial.priced(), *trial.failed())

    return [
        combo_tool("write", Combo_Set_Basket_For_Items),
        combo_tool("write", Combo_Empty_Basket),
        combo_tool("read", Combo_Test_Coupons_For_Product_Combinations),
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
        known_dead(session, coupon)
    try:
        basket = bring_to(session, before, wanted, coupon)
    except ToolFault as fault:
        bring_back(session, before, fault)
        raise
    # What was lost on the way was made good on the way, and so was a basket that never came.
    for path in session.unanswered.keys() - (owed - {WHOLE_BASKET} if wanted else owed):
        del session.unanswered[path]
    return basket


@dataclass
class Cheapest(FoundProducts):
    """What was found and set."""

    basket: Basket | None = None


def cheapest_tool(session: StoreSession) -> Tool:
    """The tool that sets the cheapest basket of one shop."""

    def Combo_Set_Cheapest_Basket_For_Query(
        query: str | list[str],
        coupons: list[str],
        units: int = 0,
        pieces: int = 0,
        packs: dict[str, int] | None = None,
    ) -> Rows:
        """Finds products of one kind by words (or takes SKUs or names), makes all mixes of exactly
        units (packs: {sku: what it holds} where no mark tells) or pieces (packages), prices each
        with each coupon ([]: none) and without, sets the cheapest: [{data:
        {fields of the search, basket}, error: why nothing was set}, then rows of prices as below,
        one a coupon]"""
        if (units > 0) == (pieces > 0):
            raise ToolFault("give units or pieces, at least 1, and not both")
        row = ComboRow(primary=query)
        yield row
        found = find_products(session, row)
        row.data = result = Cheapest(**vars(found))
        contents, row.error = _mixes(found.matches, units, pieces, packs or {})
        if row.error is None:
            trial = Trial(session, contents, coupons)
            result.basket, row.error = _set_cheapest(session, trial)
            cheapest: dict[str, ComboRow] = {}
            for priced in trial.priced():
                cheapest.setdefault(priced.secondary, priced)
            yield from (*cheapest.values(), *trial.failed())

    return combo_tool("write", Combo_Set_Cheapest_Basket_For_Query)


def _mixes(
    found: list[Product], units: int, pieces: int, packs: dict[str, int]
) -> tuple[list[Content], str | None]:
    """All mixes of what was found, and why there is none."""
    if not found:
        return [], "nothing matches"
    held = {p.sku: 1 if pieces else p.units or 1 for p in found} | packs
    rows = [product.model_copy(update={"units": held[product.sku]}) for product in found]
    contents, reason = mixes_for(rows, units or pieces)
    return contents, reason or None


def _set_cheapest(session: StoreSession, trial: Trial) -> tuple[Basket | None, str | None]:
    """Price the baskets of a trial where there is a code, and set the cheapest; or why not."""
    if not trial.codes:
        trial.spared = 0
        return set_basket(session, trial.contents[0], ""), None
    try_coupons(trial, every=False)
    best = next(trial.priced(), None)
    if best is None:
        return None, "the shop let no basket be filled"
    content = {line.sku: line.quantity for line in best.primary}
    return set_basket(session, content, best.secondary), None
