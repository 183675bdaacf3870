"""One task's shop as the tools see it: requests through the ledger, errors in stable words.

What a request without an answer has done is told from the basket: it is read and compared with
what it held before, which the session knows from its last view and the writes that were answered
since. A write is sent again only when it is known that it had no effect.

A checkout may be sent again once the basket is seen unchanged, because a purchase empties the
basket: had the first request arrived before the look, the basket would be empty, and should it
arrive later, then one of the two finds an empty basket and buys nothing. Whoever then gets the
refusal looks at the basket before believing it. No other write is sent before that is settled.

CONTRIBUTING.md lists where a checkout is kept from happening twice.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypeAlias, TypedDict, cast

import regex
from pydantic import BaseModel

from core.erc3_client import store
from core.erc3_client.retry_policy import RetryPolicy
from core.ledger import Ledger
from core.tools.api_session import ApiClient, ApiSession, body_of
from core.tools.faults import Inconsistent, Missed, OutOfReach, Refused, failed_request
from core.tools.paging import OWN_LARGEST, Listing
from store_tools.authorised import Priced
from store_tools.basket import (
    ADD,
    CHECKOUT,
    LARGEST,
    REMOVE,
    VIEW,
    Basket,
    Content,
    Mirror,
    Wire,
    filled_basket,
    flaw_of,
)


class Product(TypedDict):
    """A product as the shop lists it; tools add its `units`."""

    sku: str
    name: str
    price: int
    available: int
    units: NotRequired[int]


Answer: TypeAlias = dict[str, Any]
"""An answer of the shop as plain data."""


LIST = "/products/list"
READS = frozenset({LIST, VIEW})
FORBIDDEN = "this shop forbids listing its products"
SET_AGAIN = "set the basket again with Combo_Set_Basket_For_Items before you check out"
_EMPTY = regex.compile(
    r"^Invalid response payload: 1 validation error.*\n(?:items|products)\n"
    r"\s*Input should be a valid list.*?input_value=None",
)
"""How the official SDK reports an empty basket or page: the wire sends null for the list."""


class StoreSession(ApiSession):
    """The shop of one task: sends requests, keeps the catalog, counts finished checkouts.

    The catalog is read once and kept until a checkout fails, because only then does listed
    stock move (facts of the platform, "stock that moves").
    """

    def __init__(self, client: ApiClient, retry_policy: RetryPolicy | None = None) -> None:
        super().__init__(client, READS, retry_policy)
        self._mirror: Mirror | None = None
        """The basket by all that is known; None: a view tells."""
        self._last_view: Basket | None = None
        """The last view, as long as nothing was sent that changes a basket."""
        self._viewed_in: Ledger | None = None
        """The work in which that view was recorded; None: no purchase may rest on it."""
        self.listing = Listing("sku", FORBIDDEN, first=OWN_LARGEST)
        self.catalog: list[Product] | None = None
        self.rejected_coupons: set[str] = set()
        self.checkouts: list[Basket] = []
        self.looked = False
        """Whether any product was listed in this task."""
        self.disbelieved: str | None = None
        """Why the catalog is not believed; nothing is bought on it."""
        self._reset_search()
        self.unsettled: Basket | None = None
        """What a checkout was sent for whose answer never came; a view settles it."""
        self._belated: Basket | None = None
        """What it was sent for where it had not arrived by then; it may do so later."""
        self.basket_doubt: str | None = None
        """Why the basket may not be what the calls made of it; no checkout until it is set again.

        A request may arrive twice or late: its answer shows nothing of it, a later view does."""
        self._not_set: tuple[Ledger, str] | None = None
        """The work in which the basket could not be set as asked for, and why."""

    def _reset_search(self) -> None:
        """Set what was generated, searched and priced to nothing."""
        self.generated: list[Content] = []
        """Baskets that the generator made last."""
        self.target: int | None = None
        """Units that each of them holds; None: the products were not as the tools told them."""
        self.sure: dict[frozenset[str], str] = {}
        """Queries by their matches, where all of these are sure and no other product may fit."""
        self.query: str | None = None
        """The one of these whose matches the generated baskets are made of."""
        self.shown_as: dict[str, set[tuple[int, int]]] = {}
        """Prices and units by SKU, as tools have told them."""
        self.priced: list[Priced] = []
        """What was priced in the last instruction that priced anything."""
        self._priced_in: Ledger | None = None
        self.last_query = ""
        """The last query, whose nouns may be counted in names."""

    def write(self, request: Any, final: bool, about: object) -> Answer:
        """One attempt at a write; what became of it is seen in the basket where no answer came."""
        path: str = request.tool
        self._last_view = None
        if self.unsettled is not None or (self._belated is not None and path != CHECKOUT):
            self.view()
            self._check_settled()
            self._belated = None
        if self._mirror is None and path in (ADD, REMOVE):
            # What nobody has seen before cannot be told from what arrived twice.
            self.view()
        self._last_view = None
        try:
            answer: Answer = self.once(request, final=final, about=about)
        except OutOfReach as fault:
            return self.without_answer(request, about, fault)
        except Refused:
            if path == CHECKOUT and self._was_bought(about):
                return dict(self.checkouts[-1])
            raise
        if path == CHECKOUT:
            receipt = filled_basket(answer)
            # An empty receipt answers the second arrival of a request that has bought already.
            if not receipt["items"]:
                receipt = _basket_of(about) or receipt
            self.checkouts.append(receipt)
            self._belated = None
            answer = dict(receipt)
        if self._mirror is not None:
            self._mirror = self._mirror.after(path, body_of(request))
        return answer

    def without_answer(self, request: Any, about: object, fault: OutOfReach) -> Answer:
        """Look what became of a write: its answer where it took effect.

        Raises:
            Missed: it did not.
            OutOfReach: it cannot be told.
        """
        if request.tool == CHECKOUT:
            return self._checkout_without_answer(about, fault)
        path, body, before, doubt = request.tool, body_of(request), self._mirror, self.basket_doubt
        self._mirror = None
        self.basket_doubt = f"it is not known what became of a request to {path}: {SET_AGAIN}"
        current = Mirror.of(self.view())
        took = (before or Mirror({}, "")).tells(path, body, current)
        if took is None or (before is None and path in (ADD, REMOVE)):
            raise OutOfReach(f"{fault.text}; whether it took effect cannot be told")
        self.resolved(path, took_effect=took)
        if took:
            self.unanswered.pop(path, None)
        self.basket_doubt = doubt
        if before is not None:
            self._compare(before.after(path, body) if took else before, current)
        if not took:
            raise Missed(f"{fault.text}; it did not take effect", fault.retry_after).after(fault)
        if path in (ADD, REMOVE):
            return {"line_count": len(current.content), "item_count": sum(current.content.values())}
        return {}

    def _checkout_without_answer(self, about: object, fault: OutOfReach) -> Answer:
        self._mirror = None
        ordered = _basket_of(about)
        if ordered is None:
            raise fault
        self.unsettled = ordered
        current = self.view()
        self._check_settled()
        if self.checkouts:
            return dict(self.checkouts[-1])
        if current["total"] != ordered["total"]:
            raise OutOfReach(f"{fault.text}; nothing was bought, and the basket's total is another")
        raise Missed(f"{fault.text}; nothing was bought", fault.retry_after)

    def _was_bought(self, about: object) -> bool:
        """Whether a checkout that was refused has emptied the basket: it arrived twice."""
        ordered = _basket_of(about)
        if ordered is None:
            return False
        self._belated = ordered
        current = self.view()
        self._belated = None
        if not flaw_of(current):
            # For moves alone: what was sent twice may come a third time, so a purchase looks again.
            self._last_view, self._viewed_in = current, None
        return bool(self.checkouts)

    def _check_settled(self) -> None:
        if self.unsettled is not None:
            raise OutOfReach("whether the checkout took effect cannot be told from the basket")

    def answer_of(self, request: Any, response: BaseModel) -> Answer:
        """The answer as plain data, with missing fields left out."""
        return response.model_dump(mode="json", exclude_none=True)

    def answer_despite(self, request: Any, error: Exception) -> Answer | None:
        """Nothing, where the official SDK only stumbles over an empty basket or page."""
        return {} if request.tool in self._reads and _EMPTY.search(str(error)) else None

    def view(self) -> Basket:
        """The basket with every field filled in: items, subtotal, coupon, discount, total.

        A checkout without an answer is settled here: one that took effect has emptied the basket,
        one that did not has left it as it was. With any other basket it stays unsettled. A basket
        whose numbers do not hold together is read once more, and then shown as it is.
        """
        self._last_view = None
        basket = filled_basket(self.send(store.Req_ViewBasket()))
        if flaw_of(basket):
            basket = filled_basket(self.send(store.Req_ViewBasket()))
        current = Mirror.of(basket)
        if self.unsettled is not None:
            bought = Mirror.of(self.unsettled).tells(CHECKOUT, {}, current)
            if bought is not None:
                self.resolved(CHECKOUT, took_effect=bought)
                self.checkouts += [self.unsettled] if bought else []
                self._belated = None if bought else self.unsettled
                self.unsettled = None
        elif self._belated is not None and not current.content:
            self.resolved(CHECKOUT, took_effect=True)
            self.checkouts.append(self._belated)
            self._belated = None
        elif self._mirror is not None:
            self._compare(self._mirror, current)
        self._mirror = current
        open_ = self.unsettled is not None or self._belated is not None
        self._last_view, self._viewed_in = (
            None if open_ or flaw_of(basket) else basket,
            self._ledger,
        )
        return basket

    def ask_page(self, offset: int, limit: int) -> tuple[list[Product], int | None]:
        """Products of a page as the shop lists them now, and the next offset, if it gives one."""
        answer = self.send(store.Req_ListProducts(offset=offset, limit=limit))
        self.looked = True
        return [_filled(p) for p in answer.get("products") or []], answer.get("next_offset")

    def known(self, *, within: bool = False) -> Basket:
        """The basket without a request where it was seen and nothing was sent to it since.

        ``within``: seen in the work that is being done now. Everything else is viewed, and so is a
        basket in doubt. No purchase rests on what was seen in earlier work: a request may arrive
        late.
        """
        elsewhere = within and self._viewed_in is not self._ledger
        if self._last_view is None or self.basket_doubt is not None or elsewhere:
            return self.view()
        return self._last_view

    def note_set(self, failed: str) -> None:
        """Note why the basket could not be set as it was asked for; "": it was set."""
        self._not_set = (self._ledger, failed) if failed else None

    @property
    def not_set(self) -> str:
        """Why the basket was not set in the work that is being done now; "": it was, or nobody
        asked. Code that overlooks the error of a result must not buy what was there before."""
        return self._not_set[1] if self._not_set and self._not_set[0] is self._ledger else ""

    def _compare(self, expected: Mirror, current: Mirror) -> None:
        if expected.content != current.content and self.basket_doubt is None:
            self.basket_doubt = (
                f"the basket was seen with {current.content} where your calls had put in "
                f"{expected.content}: {SET_AGAIN}"
            )

    def note_priced(self, priced: Priced) -> None:
        """Keep what a call has priced; of earlier instructions nothing is kept beside it."""
        if self._priced_in is not self._ledger:
            self.priced, self._priced_in = [], self._ledger
        self.priced.append(priced)


def _basket_of(about: object) -> Basket | None:
    """The basket that a checkout was sent for, which ``check_out`` gives as what it is about."""
    return cast(Basket, about) if isinstance(about, dict) else None


def read_page(session: StoreSession, offset: int, limit: int) -> dict[str, object]:
    """``products``, ``next_offset`` (-1: end) and the ``limit`` used. Raises as Listing.page."""
    try:
        products, following, limit = session.listing.page(session.ask_page, offset, limit)
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
        catalog = session.listing.whole(session.ask_page)
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
