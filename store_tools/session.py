"""One task's shop as the tools see it: requests through the ledger, errors in stable words.

What a request without an answer has done is told from the basket: it is read and compared with
what it held before, which the session knows from its last view and the writes that were answered
since. A write is sent again only when it is known that it had no effect.

A checkout may be sent again once the basket is seen unchanged, because a purchase empties the
basket: had the first request arrived before the look, the basket would be empty, and should it
arrive later, then one of the two finds an empty basket and buys nothing. Whoever then gets the
refusal looks at the basket before believing it. No other write is sent before that is settled.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import regex

from erc3_compat import store
from erc3_compat.patience import Outages, Patience
from ledger import Ledger
from ledger.calls import Kind
from store_tools.faults import GivenUp, Missed, OutOfReach, Refused, as_fault
from store_tools.mirror import (
    ADD,
    CHECKOUT,
    REMOVE,
    Basket,
    Mirror,
    flaw_of,
)

Product = dict[str, Any]
LIST = "/products/list"
READS = frozenset({LIST, "/basket/view"})
SET_AGAIN = "set the basket again with Combo_Set_Basket_For_Items before you check out"
_EMPTY = regex.compile(
    r"^Invalid response payload: 1 validation error.*\n(?:items|products)\n"
    r"\s*Input should be a valid list.*?input_value=None",
)
"""How the official SDK reports an empty basket or page: the wire sends null for the list."""


class StoreClient(Protocol):
    """The one method of the platform's client that the tools use."""

    def dispatch(self, request: Any) -> Any:
        """Send one request model to the store and return the response model."""


class StoreSession:
    """The shop of one task: sends requests, keeps the catalog, counts finished checkouts.

    The catalog is read once and kept until a checkout fails, because only then does listed
    stock move (facts of the platform, "stock that moves").
    """

    def __init__(self, client: StoreClient, patience: Patience | None = None) -> None:
        self._client = client
        self._patience = patience or Patience()
        self._outages = Outages()
        self.unanswered: dict[str, str] = {}
        """By path: why the last request to it had no usable answer."""
        self._ledger = Ledger()
        self._mirror: Mirror | None = None
        """None: not known, a view tells."""
        self.catalog: list[Product] | None = None
        self.page_limit: int | None = None
        """Largest page that the shop is known to take."""
        self.rejected_coupons: set[str] = set()
        self.checkouts: list[Basket] = []
        self.unsettled: Basket | None = None
        """What a checkout was sent for whose answer never came; a view settles it."""
        self._belated: Basket | None = None
        """What it was sent for where it had not arrived by then; it may do so later."""
        self.odd: str | None = None
        """Why the basket may not be what the calls made of it; no checkout until it is set again.

        A request may arrive twice or late: its answer shows nothing of it, a later view does."""
        self.generated: list[list[dict[str, Any]]] = []
        """Baskets that the generator made last."""
        self.asked = ""
        """The last query, whose nouns may be counted in names."""
        self.looked = False
        """Whether any product was listed in this task."""
        self.disbelieved: str | None = None
        """Why the catalog is not believed; nothing is bought on it."""

    @contextmanager
    def booked_in(self, ledger: Ledger) -> Iterator[None]:
        """While it lasts, every request is booked in ``ledger``."""
        before, self._ledger = self._ledger, ledger
        try:
            yield
        finally:
            self._ledger = before

    @property
    def instruction(self) -> str | None:
        """What is being carried out, in the words of who ordered it; None where nobody did."""
        return self._ledger.instruction

    def send(self, request: Any, *, final: bool = False, about: object = None) -> dict[str, Any]:
        """Send one request model and return the answer as a dict with missing fields left out.

        Tried again for as long as the run has patience: reads, and writes that had no effect. A
        write whose answer is lost but that took effect is answered in the shape of the API.
        ``about`` is kept with the intent of a ``final`` request, before it is sent.

        Raises:
            ToolFault: (``ValueError``) the API refused; its text is the API's own words.
            OutOfReach: no usable answer.
            Exception: what ends a pause, such as a limit of the task.
        """
        read = request.tool in READS
        passing = (Missed, OutOfReach) if read else (Missed,)

        def once() -> dict[str, Any]:
            return self._once(request) if read else self._write(request, final, about)

        def again(error: BaseException) -> bool:
            return isinstance(error, passing)

        try:
            return self._patience.meet(once, again, self._outages, request.tool)
        except Missed as missed:
            raise GivenUp(missed.text) from None

    def _write(self, request: Any, final: bool, about: object) -> dict[str, Any]:
        path: str = request.tool
        if self.unsettled is not None or (self._belated is not None and path != CHECKOUT):
            self.view()
            self._check_settled()
            self._belated = None
        if self._mirror is None and path in (ADD, REMOVE):
            # What nobody has seen before cannot be told from what arrived twice.
            self.view()
        try:
            answer = self._once(request, final=final, about=about)
        except OutOfReach as fault:
            return self._without_answer(request, about, fault)
        except Refused:
            if path == CHECKOUT and self._was_bought(about):
                return self.checkouts[-1]
            raise
        if path == CHECKOUT:
            receipt = filled_basket(answer)
            # An empty receipt answers the second arrival of a request that has bought already.
            answer = receipt if receipt["items"] or not isinstance(about, dict) else about
            self.checkouts.append(answer)
            self._belated = None
        if self._mirror is not None:
            self._mirror = self._mirror.after(path, _body(request))
        return answer

    def _without_answer(self, request: Any, about: object, fault: OutOfReach) -> dict[str, Any]:
        """Look what became of a write: its answer where it took effect.

        Raises:
            Missed: it did not.
            OutOfReach: it cannot be told.
        """
        if request.tool == CHECKOUT:
            return self._checkout_without_answer(about, fault)
        path, body, before, odd = request.tool, _body(request), self._mirror, self.odd
        self._mirror = None
        self.odd = f"it is not known what became of a request to {path}: {SET_AGAIN}"
        seen = Mirror.of(self.view())
        took = (before or Mirror({}, "")).tells(path, body, seen)
        if took is None or (before is None and path in (ADD, REMOVE)):
            raise OutOfReach(f"{fault.text}; whether it took effect cannot be told")
        self._ledger.settled(path, took_effect=took)
        if took:
            self.unanswered.pop(path, None)
        self.odd = odd
        if before is not None:
            self._compare(before.after(path, body) if took else before, seen)
        if not took:
            raise Missed(f"{fault.text}; it did not take effect", fault.retry_after)
        if path in (ADD, REMOVE):
            return {"line_count": len(seen.content), "item_count": sum(seen.content.values())}
        return {}

    def _checkout_without_answer(self, about: object, fault: OutOfReach) -> dict[str, Any]:
        self._mirror = None
        if not isinstance(about, dict):
            raise fault
        self.unsettled = about
        seen = self.view()
        self._check_settled()
        if self.checkouts:
            return self.checkouts[-1]
        if seen["total"] != about["total"]:
            raise OutOfReach(f"{fault.text}; nothing was bought, and the basket's total is another")
        raise Missed(f"{fault.text}; nothing was bought", fault.retry_after)

    def _was_bought(self, about: object) -> bool:
        """Whether a checkout that was refused has emptied the basket: it arrived twice."""
        if not isinstance(about, dict):
            return False
        self._belated = about
        self.view()
        self._belated = None
        return bool(self.checkouts)

    def _check_settled(self) -> None:
        if self.unsettled is not None:
            raise OutOfReach("whether the checkout took effect cannot be told from the basket")

    def _once(self, request: Any, final: bool = False, about: object = None) -> dict[str, Any]:
        kind: Kind = "read" if request.tool in READS else "write"

        def do() -> dict[str, Any]:
            try:
                response = self._client.dispatch(request)
            except Exception as error:
                if kind == "read" and _EMPTY.search(str(error)):
                    return {}
                fault = as_fault(error)
                if fault is None:
                    raise
                if not isinstance(fault, Refused):
                    self.unanswered[request.tool] = fault.text
                elif self.unanswered:
                    self.unanswered.pop(request.tool, None)
                raise fault from None
            if self.unanswered:
                self.unanswered.pop(request.tool, None)
            dumped: dict[str, Any] = response.model_dump(mode="json", exclude_none=True)
            return dumped

        return self._ledger.send(request.tool, _body(request), kind, do, final=final, about=about)

    def view(self) -> Basket:
        """The basket with every field filled in: items, subtotal, coupon, discount, total.

        A checkout without an answer is settled here: one that took effect has emptied the basket,
        one that did not has left it as it was. With any other basket it stays unsettled. A basket
        whose numbers do not hold together is read once more, and then shown as it is.
        """
        basket = filled_basket(self.send(store.Req_ViewBasket()))
        if flaw_of(basket):
            basket = filled_basket(self.send(store.Req_ViewBasket()))
        seen = Mirror.of(basket)
        if self.unsettled is not None:
            bought = Mirror.of(self.unsettled).tells(CHECKOUT, {}, seen)
            if bought is not None:
                self._ledger.settled(CHECKOUT, took_effect=bought)
                self.checkouts += [self.unsettled] if bought else []
                self._belated = None if bought else self.unsettled
                self.unsettled = None
        elif self._belated is not None and not seen.content:
            self._ledger.settled(CHECKOUT, took_effect=True)
            self.checkouts.append(self._belated)
            self._belated = None
        elif self._mirror is not None:
            self._compare(self._mirror, seen)
        self._mirror = seen
        return basket

    def _compare(self, expected: Mirror, seen: Mirror) -> None:
        if expected.content != seen.content and self.odd is None:
            self.odd = (
                f"the basket was seen with {seen.content} where your calls had put in "
                f"{expected.content}: {SET_AGAIN}"
            )

    def forget_stock(self) -> None:
        """Drop the kept catalog: the next listing asks the shop again."""
        self.catalog = None


def filled_basket(raw: dict[str, Any]) -> Basket:
    """A basket with the fields that the API leaves out: coupon ``""`` and discount 0."""
    items = [
        {"sku": i["sku"], "quantity": i["quantity"], "price": i.get("price", 0)}
        for i in raw.get("items") or []
    ]
    subtotal = raw.get("subtotal", sum(i["quantity"] * i["price"] for i in items))
    discount = raw.get("discount") or 0
    return {
        "items": items,
        "subtotal": subtotal,
        "coupon": raw.get("coupon") or "",
        "discount": discount,
        "total": raw.get("total", subtotal - discount),
    }


def _body(request: Any) -> dict[str, Any]:
    body: dict[str, Any] = request.model_dump(mode="json", exclude={"tool"})
    return body
