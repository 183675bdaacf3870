"""One task's shop as the tools see it: its requests, the catalog, and what was searched."""

from __future__ import annotations

from core.erc3_client import store
from core.erc3_client.retry_policy import RetryPolicy
from core.ledger import Ledger
from core.tools.faults import Inconsistent, failed_request
from core.tools.paging import OWN_LARGEST
from core.tools.task_api import ApiClient, TaskApi
from store_tools.authorised import Priced
from store_tools.basket import CHECKOUT, LIST, Basket, Content, Product, flaw_of
from store_tools.endpoints import ENDPOINTS, Page
from store_tools.store_facts import StoreFacts


class StoreSession(TaskApi[StoreFacts]):
    """The shop of one task, with the catalog and what was generated, searched and priced.

    The catalog is read once and kept until a checkout fails, because only then does listed
    stock move (facts of the platform, "stock that moves").
    """

    def __init__(self, client: ApiClient, retry_policy: RetryPolicy | None = None) -> None:
        super().__init__(client, ENDPOINTS, StoreFacts(ENDPOINTS), retry_policy)
        self._viewed_in: Ledger | None = None
        """The work in which the basket was looked at last; None: no purchase may rest on it."""
        self._not_set: tuple[Ledger, str] | None = None
        """The work in which the basket could not be set as asked for, and why."""
        self.catalog: list[Product] | None = None
        self.disbelieved: str | None = None
        """Why the catalog is not believed; nothing is bought on it."""
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

    def view(self) -> Basket:
        """The basket with every field filled in: items, subtotal, coupon, discount, total.

        A checkout that is not certain is settled here where the basket tells of it. A basket whose
        numbers do not hold together is read once more, and then shown as it is.
        """
        basket: Basket = self.read(store.Req_ViewBasket())
        if flaw_of(basket):
            basket = self.read(store.Req_ViewBasket())
        if (bought := self.facts.purchase_shown()) is not None:
            self.settle(CHECKOUT, took_effect=bought)
        self._viewed_in = self._ledger
        return basket

    def ask_page(self, offset: int, limit: int) -> Page:
        """Products of a page as the shop lists them now, and the next offset, if it gives one."""
        page: Page = self.read(store.Req_ListProducts(offset=offset, limit=limit))
        return page

    def forget_look(self) -> None:
        """Let no purchase rest on the last look at the basket."""
        self._viewed_in = None

    def known(self, *, within: bool = False) -> Basket:
        """The basket without a request where it was seen and nothing was sent to it since.

        ``within``: seen in the work that is being done now. Everything else is viewed, and so is a
        basket in doubt. No purchase rests on what was seen in earlier work: a request may arrive
        late.
        """
        elsewhere = within and self._viewed_in is not self._ledger
        if self.facts.viewed is None or self.facts.doubt is not None or elsewhere:
            return self.view()
        return self.facts.viewed

    def note_set(self, failed: str) -> None:
        """Note why the basket could not be set as it was asked for; "": it was set."""
        self._not_set = (self._ledger, failed) if failed else None

    @property
    def not_set(self) -> str:
        """Why the basket was not set in the work that is being done now; "": it was, or nobody
        asked. Code that overlooks the error of a result must not buy what was there before."""
        return self._not_set[1] if self._not_set and self._not_set[0] is self._ledger else ""

    def note_priced(self, priced: Priced) -> None:
        """Keep what a call has priced; of earlier instructions nothing is kept beside it."""
        if self._priced_in is not self._ledger:
            self.priced, self._priced_in = [], self._ledger
        self.priced.append(priced)


def read_page(session: StoreSession, offset: int, limit: int) -> dict[str, object]:
    """``products``, ``next_offset`` (-1: end) and the ``limit`` used. Raises as Listing.page."""
    try:
        products, following, limit = session.facts.listing.page(session.ask_page, offset, limit)
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
        catalog = session.facts.listing.whole(session.ask_page)
    except Inconsistent as flaw:
        text = f"the shop's listing cannot be believed, read twice: {flaw.text}"
        session.disbelieved = session.unanswered[LIST] = text
        fault = Inconsistent(text).after(flaw)
        limit = session.facts.listing.limit or OWN_LARGEST
        request = store.Req_ListProducts(offset=0, limit=limit)
        fault.request = failed_request(request, text, status=200)
        raise fault from None
    session.disbelieved = None
    session.catalog = catalog
    return catalog
