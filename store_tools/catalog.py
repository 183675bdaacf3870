"""Reading the whole catalog through pages whose limit the shop tells only in an error."""

from __future__ import annotations

import regex
from erc3_compat import store

from ledger import ToolFault
from store_tools.session import Product, StoreSession

FIRST_LIMIT = 50
PAGE_ERROR = regex.compile(r"page limit exceeded:\s*(-?\d+)\s*>\s*(-?\d+)", regex.IGNORECASE)
MAX_PAGES = 20_000


class ListingForbidden(ToolFault):
    """The shop allows no listing at all (its page limit is -1)."""

    def __init__(self) -> None:
        super().__init__("this shop forbids listing its products", kind="RuntimeError")


def read_page(session: StoreSession, offset: int, limit: int) -> dict[str, object]:
    """One page with the limit that the shop takes, learnt from its error where needed.

    Returns ``{"products": [...], "next_offset": int, "limit": int}``; ``next_offset`` is -1 at
    the end, ``limit`` the one used (0: the shop's own largest page).

    Raises:
        ListingForbidden: the shop's limit is negative.
        ToolFault: any other refusal, in the API's words.
    """
    if session.page_limit is not None and (limit == 0 or limit > session.page_limit):
        limit = session.page_limit
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
        session.page_limit = allowed
        answer = session.send(store.Req_ListProducts(offset=offset, limit=allowed))
        limit = allowed
    session.looked = True
    products = [_filled(p) for p in answer.get("products") or []]
    next_offset = answer.get("next_offset")
    return {
        "products": products,
        "next_offset": -1 if next_offset is None else int(next_offset),
        "limit": limit,
    }


def read_catalog(session: StoreSession, *, refresh: bool = False) -> list[Product]:
    """Every product of the shop, in its order, read once per task unless ``refresh``.

    Raises:
        ListingForbidden: the shop forbids listing.
        ToolFault: the paging does not come to an end.
    """
    if session.catalog is not None and not refresh:
        return session.catalog
    products: list[Product] = []
    offset = 0
    for _ in range(MAX_PAGES):
        page = read_page(session, offset, session.page_limit or FIRST_LIMIT)
        products.extend(page["products"])  # type: ignore[arg-type]
        following = int(page["next_offset"])  # type: ignore[call-overload]
        if following <= offset:
            break
        offset = following
    else:
        raise ToolFault(f"the listing did not end after {MAX_PAGES} pages", kind="RuntimeError")
    session.catalog = list({p["sku"]: p for p in products}.values())
    return session.catalog


def _filled(raw: dict[str, object]) -> Product:
    return {
        "sku": str(raw.get("sku", "")),
        "name": str(raw.get("name") or raw.get("sku", "")),
        "price": raw.get("price", 0),
        "available": raw.get("available", 0),
    }
