"""Reading the whole catalog through pages whose limit the shop tells only in an error."""

from __future__ import annotations

from typing import TypedDict

import regex

from erc3_compat import store
from ledger import ToolFault
from store_tools.session import Product, StoreSession

FIRST_LIMIT = 50
PAGE_ERROR = regex.compile(r"page limit exceeded:\s*(-?\d+)\s*>\s*(-?\d+)", regex.IGNORECASE)
MAX_PAGES = 20_000


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

    Raises:
        ListingForbidden: the shop's limit is negative.
        ToolFault: any other refusal, in the API's words.
    """
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
    following = answer.get("next_offset")
    return {
        "products": [_filled(p) for p in answer.get("products") or []],
        "next_offset": -1 if following is None else int(following),
        "limit": limit,
    }


def read_catalog(session: StoreSession, *, refresh: bool = False) -> list[Product]:
    """Every product of the shop, in its order, read once per task unless ``refresh``.

    Raises:
        ListingForbidden: the shop forbids listing.
        ToolFault: the paging turns in a circle or does not come to an end.
    """
    if session.catalog is not None and not refresh:
        return session.catalog
    products: dict[str, Product] = {}
    offset = 0
    for _ in range(MAX_PAGES):
        page = read_page(session, offset, session.page_limit or FIRST_LIMIT)
        products.update((p["sku"], p) for p in page["products"])
        following = page["next_offset"]
        if following <= 0:
            session.catalog = list(products.values())
            return session.catalog
        if following <= offset:
            # A part of the catalog would pass for the whole: "not sold" must not follow from it.
            raise ToolFault(f"the listing goes back from {offset} to {following}")
        offset = following
    raise ToolFault(f"the listing did not end after {MAX_PAGES} pages", kind="RuntimeError")


def _filled(raw: dict[str, object]) -> Product:
    return {
        "sku": str(raw.get("sku", "")),
        "name": str(raw.get("name") or raw.get("sku", "")),
        "price": raw.get("price", 0),
        "available": raw.get("available", 0),
    }
