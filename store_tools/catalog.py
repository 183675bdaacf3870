"""Reading the whole catalog through pages whose limit the shop tells only in an error."""

from __future__ import annotations

from typing import Any, TypedDict

import regex

from erc3_compat import store
from ledger import ToolFault
from store_tools.faults import Inconsistent
from store_tools.mirror import LARGEST
from store_tools.session import LIST, Product, StoreSession

FIRST_LIMIT = 50
PAGE_ERROR = regex.compile(r"page limit exceeded:\s*(-?\d+)\s*>\s*(-?\d+)", regex.IGNORECASE)
END = -1
"""The one offset that ends a listing without further ado."""
BARREN_AT_MOST = 3
"""Pages in a row without a new product, after which a listing is given up."""
PRODUCTS_AT_MOST = 50_000
CHARS_AT_MOST = 16_000_000
"""Of all SKUs and names."""


class Page(TypedDict):
    """A stretch of the catalog."""

    products: list[Product]
    next_offset: int
    """-1 at the end."""
    limit: int
    """The one used; 0 is the shop's own largest page."""


class ListingForbidden(ToolFault):
    """The shop allows no listing at all (its page limit is -1)."""

    def __init__(self) -> None:
        super().__init__("this shop forbids listing its products", kind="RuntimeError")


def read_page(session: StoreSession, offset: int, limit: int) -> Page:
    """One page with the limit that the shop takes, learnt from its error where needed.

    An end that is told otherwise than by -1 (0, or no offset at all) is one where a request behind
    the last product confirms that nothing follows.

    Raises:
        ListingForbidden: the shop's limit is negative.
        Inconsistent: the page cannot be believed.
        ToolFault: any other refusal, in the API's words.
    """
    products, following, limit = _page(session, offset, limit)
    if following in (0, None):
        behind = offset + len(products)
        more, _, limit = _page(session, behind, limit)
        following = behind if more else END
    elif following != END and following <= offset:
        raise Inconsistent(f"the listing goes from {offset} to {following}")
    return {"products": products, "next_offset": following, "limit": limit}


def _page(session: StoreSession, offset: int, limit: int) -> tuple[list[Product], int | None, int]:
    """Products, the offset that follows as the shop tells it, and the limit used."""
    known = session.page_limit
    if known is not None and (limit == 0 or limit > known):
        limit = known
    try:
        answer = session.send(store.Req_ListProducts(offset=offset, limit=limit))
    except ToolFault as fault:
        found = PAGE_ERROR.search(fault.text)
        if found is None:
            raise
        allowed = int(found[2])
        if allowed < 0:
            raise ListingForbidden() from None
        if allowed == limit:
            raise
        session.page_limit = limit = allowed
        answer = session.send(store.Req_ListProducts(offset=offset, limit=limit))
    session.looked = True
    products = [_filled(p) for p in answer.get("products") or []]
    return products, answer.get("next_offset"), limit


def read_catalog(session: StoreSession, *, refresh: bool = False) -> list[Product]:
    """Every product of the shop, in its order, read once per task unless ``refresh``.

    A listing that does not hold together is read once more; then it is not believed, and nothing
    can be bought in this task until one is that does.

    Raises:
        ListingForbidden: the shop forbids listing.
        Inconsistent: the listing does not hold together, or does not come to an end.
    """
    if session.catalog is not None and not refresh:
        return session.catalog
    try:
        try:
            catalog = _whole(session)
        except Inconsistent:
            catalog = _whole(session)
    except Inconsistent as flaw:
        text = f"the shop's listing cannot be believed, read twice: {flaw.text}"
        session.disbelieved = session.unanswered[LIST] = text
        raise Inconsistent(text) from None
    session.disbelieved = None
    session.catalog = catalog
    return catalog


def _whole(session: StoreSession) -> list[Product]:
    """All pages. Raises Inconsistent: a part of the catalog would pass for the whole."""
    products: dict[str, Product] = {}
    offset = barren = chars = 0
    while offset != END:
        page = read_page(session, offset, session.page_limit or FIRST_LIMIT)
        fresh = _fresh(products, page["products"])
        if page["products"] and not fresh:
            raise Inconsistent(f"the page at {offset} repeats what was listed before")
        barren = 0 if fresh else barren + 1
        if barren > BARREN_AT_MOST:
            raise Inconsistent(f"{barren} pages in a row bring nothing new")
        products.update(fresh)
        chars += sum(len(p["sku"]) + len(p["name"]) for p in fresh.values())
        if len(products) > PRODUCTS_AT_MOST or chars > CHARS_AT_MOST:
            raise Inconsistent(f"the listing does not end after {len(products)} products")
        following = page["next_offset"]
        # By what has been received: an offset that leaves products out is not followed.
        received = offset + len(page["products"])
        offset = following if following == END or received == offset else received
    return list(products.values())


def _fresh(known: dict[str, Product], page: list[Product]) -> dict[str, Product]:
    """The products of a page that are new. Raises Inconsistent: one is there with other data."""
    fresh: dict[str, Product] = {}
    for product in page:
        before = known.get(product["sku"]) or fresh.setdefault(product["sku"], product)
        if before != product:
            raise Inconsistent(f"{product['sku'][:80]!r} is listed with two different sets of data")
    return fresh


def _filled(raw: dict[str, Any]) -> Product:
    sku, price, available = raw.get("sku", ""), raw.get("price", 0), raw.get("available", 0)
    sane = isinstance(price, int) and isinstance(available, int)
    if not (sane and 0 <= price <= LARGEST and abs(available) <= LARGEST):
        raise Inconsistent(f"{str(sku)[:80]!r} has a price or stock out of all bounds")
    return {
        "sku": str(sku),
        "name": str(raw.get("name") or sku),
        "price": price,
        "available": available,
    }
