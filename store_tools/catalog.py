"""Reading the whole catalog through the shop's pages."""

from __future__ import annotations

from core.erc3_client import store
from core.tools.faults import Inconsistent, failed_request
from core.tools.paging import OWN_LARGEST, Ask
from store_tools.basket import LARGEST, Wire
from store_tools.store_session import LIST, Product, StoreSession


def read_page(session: StoreSession, offset: int, limit: int) -> dict[str, object]:
    """``products``, ``next_offset`` (-1: end) and the ``limit`` used. Raises as Listing.page."""
    try:
        products, following, limit = session.listing.page(_asking(session), offset, limit)
    except Inconsistent as flaw:
        session.unanswered[LIST] = flaw.text
        raise
    return {"products": products, "next_offset": following, "limit": limit}


def read_catalog(session: StoreSession, *, refresh: bool = False) -> list[Product]:
    """Every product of the shop, in its order, read once per task unless ``refresh``.

    One that does not hold together, read twice, is not believed, and nothing can be bought in this
    task until one is that does.

    Raises:
        ListingForbidden: the shop forbids listing.
        Inconsistent: the listing does not hold together, or does not come to an end.
    """
    if session.catalog is not None and not refresh:
        return session.catalog
    try:
        catalog = session.listing.whole(_asking(session))
    except Inconsistent as flaw:
        text = f"the shop's listing cannot be believed, read twice: {flaw.text}"
        session.disbelieved = session.unanswered[LIST] = text
        fault = Inconsistent(text).after(flaw)
        limit = session.listing.limit or OWN_LARGEST
        request = store.Req_ListProducts(offset=0, limit=limit)
        fault.request = failed_request(request, text, status=200)
        raise fault from None
    session.disbelieved = None
    session.catalog = catalog
    return catalog


def _asking(session: StoreSession) -> Ask:
    def ask(offset: int, limit: int) -> tuple[list[Product], int | None]:
        answer = session.send(store.Req_ListProducts(offset=offset, limit=limit))
        session.looked = True
        return [_filled(p) for p in answer.get("products") or []], answer.get("next_offset")

    return ask


def _filled(raw: Wire) -> Product:
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
