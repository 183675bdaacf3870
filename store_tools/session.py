"""One task's shop as the tools see it: requests through the ledger, errors in stable words."""

from __future__ import annotations

from typing import Any, Protocol

import regex
from tenacity import (
    Retrying,
    retry_if_exception_type,
    stop_after_attempt,
    wait_exponential,
    wait_random,
)

from erc3_compat import ApiException, store, transport_errors
from ledger import Ledger, ToolFault
from ledger.record import Kind

Product = dict[str, Any]
Basket = dict[str, Any]
CHECKOUT = "/basket/checkout"
READS = frozenset({"/products/list", "/basket/view"})
READ_ATTEMPTS = 3
READ_WAIT = wait_exponential(multiplier=0.1, max=2) + wait_random(0, 0.2)
PASSING_STATUS = frozenset({408, 425, 429})
_EMPTY = regex.compile(
    r"^Invalid response payload: 1 validation error.*\n(?:items|products)\n"
    r"\s*Input should be a valid list.*?input_value=None",
)
"""How the official SDK reports an empty basket or page: the wire sends null for the list."""


class StoreClient(Protocol):
    """The one method of the platform's client that the tools use."""

    def dispatch(self, request: Any) -> Any:
        """Send one request model to the store and return the response model."""


class OutOfReach(ToolFault):
    """No usable answer came back: a dropped connection, a 5xx, or a body that is no JSON.

    For a write it is unknown whether it took effect.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text, kind="RuntimeError", fatal=True)


class StoreSession:
    """The shop of one task: sends requests, keeps the catalog, counts finished checkouts.

    The catalog is read once and kept until a checkout fails, because only then does listed
    stock move (facts of the platform, "stock that moves").
    """

    def __init__(self, client: StoreClient) -> None:
        self._client = client
        self._ledger = Ledger()
        self.catalog: list[Product] | None = None
        self.page_limit: int | None = None
        """Largest page that the shop is known to take."""
        self.rejected_coupons: set[str] = set()
        self.checkouts: list[Basket] = []
        self.unsettled: Basket | None = None
        """What a checkout was sent for whose answer never came; the next view settles it."""
        self.looked = False
        """Whether any product was listed in this task."""

    def use(self, ledger: Ledger) -> None:
        """Book every later request in ``ledger``."""
        self._ledger = ledger

    def send(self, request: Any, *, final: bool = False, about: object = None) -> dict[str, Any]:
        """Send one request model and return the answer as a dict with missing fields left out.

        ``about`` is kept with the intent of a ``final`` request, before it is sent.

        Raises:
            ToolFault: (``ValueError``) the API refused; its text is the API's own words.
            OutOfReach: no usable answer; reads were tried three times before.
        """
        path: str = request.tool
        kind: Kind = "read" if path in READS else "write"
        body = request.model_dump(mode="json", exclude={"tool"})
        if kind == "write":
            return self._once(path, body, kind, request, final, about)
        for attempt in Retrying(
            retry=retry_if_exception_type(OutOfReach),
            stop=stop_after_attempt(READ_ATTEMPTS),
            wait=READ_WAIT,
            reraise=True,
        ):
            with attempt:
                return self._once(path, body, kind, request)
        raise AssertionError("unreachable")

    def _once(
        self,
        path: str,
        body: dict[str, Any],
        kind: Kind,
        request: Any,
        final: bool = False,
        about: object = None,
    ) -> dict[str, Any]:
        no_answer: tuple[type[Exception], ...] = (*transport_errors(), OSError)

        def do() -> dict[str, Any]:
            try:
                response = self._client.dispatch(request)
            except ApiException as error:
                if kind == "read" and _EMPTY.search(str(error)):
                    return {}
                raise _as_fault(error) from None
            except no_answer as error:
                raise OutOfReach(f"the store did not answer ({type(error).__name__})") from None
            dumped: dict[str, Any] = response.model_dump(mode="json", exclude_none=True)
            return dumped

        return self._ledger.send(path, body, kind, do, final=final, about=about)

    def view(self) -> Basket:
        """The basket with every field filled in: items, subtotal, coupon, discount, total.

        A checkout without an answer is settled here: one that took effect has emptied the basket.
        """
        basket = filled_basket(self.send(store.Req_ViewBasket()))
        if self.unsettled is not None:
            bought = not basket["items"]
            self._ledger.settled(CHECKOUT, took_effect=bought)
            if bought:
                self.checkouts.append(self.unsettled)
            self.unsettled = None
        return basket

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


def _as_fault(error: Exception) -> ToolFault:
    detail = getattr(error, "api_error", None)
    status = int(getattr(detail, "status", 0) or 0)
    text = str(getattr(detail, "error", "") or error)
    usable = 400 <= status < 500 and status not in PASSING_STATUS
    if text.startswith("Invalid response payload") or not usable:
        return OutOfReach(f"the store gave no usable answer (status {status})")
    return ToolFault(text[:500])
