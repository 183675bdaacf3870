"""One task's shop as the tools see it: its requests, its basket and its catalog."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.erc3_client import retry_policy as clock
from core.erc3_client import store
from core.erc3_client.retry_policy import RetryPolicy
from core.ledger import Ledger, ToolCall, ToolFault
from core.tools.faults import Inconsistent, OutOfReach, failed_request
from core.tools.paging import OWN_LARGEST
from core.tools.task_api import ApiClient, TaskApi
from store_tools.basket import CHECKOUT, LIST, Basket, Product, flaw_of
from store_tools.endpoints import ENDPOINTS, Page
from store_tools.store_facts import StoreFacts


class StoreSession(TaskApi[StoreFacts]):
    """The shop of one task, with its catalog.

    The catalog is read once and kept until a checkout fails, because only then does listed
    stock move (facts of the platform, "stock that moves").
    """

    def __init__(self, client: ApiClient, retry_policy: RetryPolicy | None = None) -> None:
        super().__init__(client, ENDPOINTS, StoreFacts(ENDPOINTS), retry_policy)
        self._viewed_in: Ledger | None = None
        """The work in which the basket was looked at last; None: no purchase may rest on it."""
        self.shown: set[str] = set()
        """SKUs that who decides has been shown: in the catalog of the prompt, or by work that is
        over."""
        self._reported = False
        self.catalog: list[Product] | None = None
        self.disbelieved: str | None = None
        """Why the catalog is not believed; nothing is bought on it."""

    def view(self) -> Basket:
        """The basket with every field filled in: items, subtotal, coupon, discount, total.

        A checkout that is not certain is settled here where the basket tells of it. A basket whose
        numbers do not hold together is read once more, and then shown as it is.
        """
        nothing_is_late = clock.now() >= self.facts.late_until
        basket: Basket = self.read(store.Req_ViewBasket())
        if flaw_of(basket):
            basket = self.read(store.Req_ViewBasket())
        if nothing_is_late:
            self.facts.forget_late_moves()
        if (bought := self.facts.purchase_shown()) is not None:
            self.settle(CHECKOUT, took_effect=bought)
        self._viewed_in = self._ledger
        return basket

    def ask_page(self, offset: int, limit: int) -> Page:
        """Products of a page as the shop lists them now, and the next offset, if it gives one."""
        page: Page = self.read(store.Req_ListProducts(offset=offset, limit=limit))
        return page

    def end_work(self, calls: Sequence[ToolCall]) -> None:
        """Note what the answers of work that is over have shown.

        A SKU that stands in them without a name may be an argument of ours: the shop has to list
        it.
        """
        answered = [call.result for call in calls if call.outcome == "done"]
        self._reported = self._reported or bool(answered)
        listed = {product.sku for product in self.catalog or ()}
        self.shown.update(sku for sku, named in _skus_in(answered) if named or sku in listed)

    @property
    def reported(self) -> bool:
        """Whether work is over whose tools have answered, be it in an earlier process."""
        return self._reported or self.facts.taken_over

    def was_shown(self, sku: str) -> bool:
        """Whether who decides has been shown a product before the work of now.

        Of what an earlier process has shown nothing more is known.
        """
        return sku in self.shown or self.facts.taken_over

    def forget_look(self) -> None:
        """Let no purchase rest on the last look at the basket."""
        self._viewed_in = None

    def certain(self) -> Basket:
        """The basket as no move of ours can change it any more, seen in the work of now.

        A move that had no reply may arrive yet: where it would change the basket, its time is
        waited for, and the basket is viewed again.

        Raises:
            OutOfReach: the shop does not answer.
            Exception: what ends a pause, such as a limit of the task.
        """
        basket = self.known(within=True)
        if self.facts.may_change(basket):
            self.wait_until(self.facts.late_until)
            basket = self.view()
        if self.facts.may_change(basket):
            raise OutOfReach("a move of the basket may still arrive: view the basket again")
        return basket

    def wait_until(self, moment: float) -> None:
        """Pause until then, by the clock of outages. Raises what ends a pause."""
        if (left := moment - clock.now()) > 0:
            self._retry_policy.pause(left)

    def known(self, *, within: bool = False) -> Basket:
        """The basket without a request where it was seen and nothing was sent to it since.

        ``within``: seen in the work that is being done now. Everything else is viewed. No purchase
        rests on what was seen in earlier work: a request may arrive late.
        """
        elsewhere = within and self._viewed_in is not self._ledger
        if self.facts.viewed is None or elsewhere:
            return self.view()
        return self.facts.viewed


def _skus_in(value: object) -> Iterator[tuple[str, bool]]:
    """Every SKU within the results of tools, and whether its product's name stands beside it."""
    if isinstance(value, dict):
        for key in ("sku", "added"):
            if isinstance(sku := value.get(key), str):
                yield sku, "name" in value
        value = list(value.values())
    if isinstance(value, list | tuple):
        for inner in value:
            yield from _skus_in(inner)


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
        session.book_kept_read(LIST, {"offset": 0, "limit": OWN_LARGEST})
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


def catalog_or_none(session: StoreSession) -> list[Product]:
    """Every product of the shop; none where it forbids listing, or lists what cannot be believed.

    That leaves no trace: tools will meet it again.

    Raises:
        OutOfReach: the shop has not answered for the whole retry time.
        Exception: what ends a pause, such as a limit of the task.
    """
    owed = dict(session.unanswered)
    try:
        return read_catalog(session)
    except OutOfReach:
        raise
    except ToolFault:
        session.unanswered, session.disbelieved = owed, None
        return []
