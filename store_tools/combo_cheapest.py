"""The Combo tool that finds, mixes, prices, sets and, where the instruction authorises it, buys."""

from __future__ import annotations

from typing import cast

from core.ledger import Tool, ToolFault, tool
from store_tools.authorised import Priced
from store_tools.authority import line_of
from store_tools.basket import AddedRow, Basket, Row, content_in
from store_tools.combo_basket import price_baskets, set_basket
from store_tools.combo_coupons import Refusal
from store_tools.combo_products import (
    FoundProducts,
    find_products,
    generate_baskets,
    named_products,
)
from store_tools.requests import check_out
from store_tools.store_session import Product, StoreSession

NO_LINE = "not checked out: only an instruction with a CHECKOUT line authorises it"


class Cheapest(FoundProducts):
    """What became of finding, pricing, setting and buying."""

    prices: list[Row]
    errors: list[Refusal]
    with_addition: list[AddedRow] | None
    basket: Basket | None
    bought: bool
    reason: str


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
        are checked here). {fields of the search,
        prices: cheapest row of each coupon, errors, with_addition, basket, bought, reason: why not
        set or bought}"""
        if (units > 0) == (pieces > 0):
            raise ToolFault("give units or pieces, at least 1, and not both")
        result = cast(Cheapest, dict(nothing))
        try:
            _set_cheapest(session, result, query, coupons, units, pieces)
            if checkout and result["basket"] is not None:
                _buy(session, result)
        except ToolFault as fault:
            fault.with_found(dict(result))
            raise
        return result

    nothing: dict[str, object] = {
        "matches": [], "sure": 0, "near": [], "doubtful": 0, "catalog_size": 0, "prices": [],
        "errors": [], "with_addition": None, "basket": None, "bought": False, "reason": "",
    }  # fmt: skip
    return tool("write", Combo_Set_Cheapest_Basket_For_Query, fields=nothing)


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
        result.update(cast(Cheapest, find_products(session, query)))
        products = result["matches"]
        if not products:
            result["reason"] = "nothing matches"
        elif result["sure"] < len(products) or result["doubtful"]:
            result["reason"] = "not all matches are sure: name the SKUs that are meant"
    else:
        products = result["matches"] = named_products(session, query)
        result["sure"] = len(products)
    if result["reason"]:
        return
    if pieces:
        result["reason"] = _take_pieces(session, products, pieces)
    else:
        result["reason"] = generate_baskets(session, products, units)["reason"]
    if result["reason"]:
        return
    if any(coupons):
        priced = price_baskets(session, "last", coupons)
        result["errors"], result["with_addition"] = priced["errors"], priced["with_addition"]
        rows = priced["results"]
        result["prices"] = [r for i, r in enumerate(rows) if _is_first(rows, i)]
        if not rows:
            result["reason"] = "the shop let no basket be filled"
            return
        items, coupon = rows[0]["items"], rows[0]["coupon"]
    else:
        items, coupon = session.generated[0], ""
    wanted = {line["sku"]: line["quantity"] for line in items}
    result["basket"] = set_basket(session, wanted, coupon)


def _is_first(rows: list[Row], index: int) -> bool:
    """Whether no row before this one has its coupon."""
    return all(row["coupon"] != rows[index]["coupon"] for row in rows[:index])


def _take_pieces(session: StoreSession, products: list[Product], pieces: int) -> str:
    """Make so many pieces of the one product the last that was generated; why not, else ""."""
    if len(products) != 1:
        return f"{len(products)} products match, not one"
    product = products[0]
    if product["available"] < pieces:
        return f"its stock is {max(product['available'], 0)}, fewer than {pieces}"
    content = {product["sku"]: pieces}
    session.generated = [[{"sku": product["sku"], "quantity": pieces}]]
    session.target = pieces * product["units"]
    session.query = session.sure.get(frozenset(content))
    row = (content, "", pieces * product["price"])
    session.note_priced(Priced([row], session.target, 0, by_shop=False, query=session.query))
    return ""


def _buy(session: StoreSession, result: Cheapest) -> None:
    """Check out what was set; a refusal is the reason. Raises ToolFault where the shop is lost."""
    basket = result["basket"]
    assert basket is not None, "it was set"
    if session.instruction is None or line_of(session.instruction) is None:
        result["reason"] = NO_LINE
        return
    try:
        result["basket"] = check_out(session, basket["total"], basket["coupon"], content_in(basket))
        result["bought"] = True
    except ToolFault as fault:
        if fault.fatal:
            raise
        result["reason"] = fault.text
