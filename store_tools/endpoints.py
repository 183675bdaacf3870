"""The store's endpoints: what is known before each write, and how its effect is looked up.

All effects show in the basket. A checkout may be sent again once the basket is seen unchanged,
because a purchase empties the basket: had the first request arrived before the look, the basket
would be empty, and should it arrive later, then one of the two finds an empty basket and buys
nothing. No other write is sent before that is settled and the first cannot arrive any more.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from core.tools.endpoints import Endpoint
from core.tools.faults import Inconsistent, OutOfReach
from core.tools.requests import request_at
from store_tools.basket import (
    ADD,
    APPLY,
    CHECKOUT,
    LIST,
    REMOVE,
    TAKE_OFF,
    VIEW,
    Basket,
    Mirror,
    Product,
)

if TYPE_CHECKING:
    from store_tools.store_session import StoreSession

Page = tuple[list[Product], int | None]
"""Products as the shop lists them now, and the next offset, where it gives one."""


def known_invalid(error: str | None) -> bool:
    """Whether an error text of the shop says that it does not know a code."""
    return "invalid coupon" in (error or "").casefold()


def known_basket(session: StoreSession, request: Any, before: Any) -> Mirror | None:
    """The basket before a move, as far as it is known; of what was never seen nothing can be told.

    Raises:
        OutOfReach: an earlier checkout may have taken effect.
        Exception: what ends a pause, such as a limit of the task.
    """
    facts = session.facts
    session.wait_until(facts.purchase_late_until)
    if facts.purchase_in_doubt:
        session.view()
        _check_settled(session)
    if facts.expected is None and request.tool in (ADD, REMOVE):
        session.view()
    return facts.expected


def shown_move(session: StoreSession, request: Any, before: Mirror | None) -> Any:
    """The answer of a move that the basket shows; None: it had no effect. Raises OutOfReach."""
    path, now = request.tool, Mirror.of(session.view())
    body = request.model_dump(mode="json", exclude={"tool"})
    took = (before or Mirror({}, "")).tells(path, body, now)
    if took is None or (before is None and path in (ADD, REMOVE)):
        raise OutOfReach(f"whether the request to {path} took effect cannot be told")
    if not took:
        return None
    if path in (ADD, REMOVE):
        return {"line_count": len(now.content), "item_count": sum(now.content.values())}
    return {}


def shown_purchase(session: StoreSession, request: Any, ordered: dict[str, Any]) -> Basket | None:
    """The receipt of a checkout that the basket shows; None: nothing was bought.

    Raises OutOfReach: that cannot be told, or the basket is another by now.
    """
    now = session.view()
    _check_settled(session)
    purchase = session.facts.last(CHECKOUT)
    assert purchase is not None, "who looks has sent one"
    if purchase.outcome == "done":
        return session.facts.receipts[-1]
    # What was sent twice may come a third time, so a purchase rests on another look.
    session.forget_look()
    if not purchase.was_refused and now != Basket.model_validate(ordered):
        raise OutOfReach("nothing was bought, and the basket is another than was ordered")
    return None


def _check_settled(session: StoreSession) -> None:
    if session.facts.open_at(CHECKOUT):
        raise OutOfReach("whether the checkout took effect cannot be told from the basket")


def _plain(response: BaseModel) -> dict[str, Any]:
    """The answer as plain data, with missing fields left out."""
    return response.model_dump(mode="json", exclude_none=True)


def _page(response: Any) -> Page:
    return [_listed(product) for product in response.products or ()], response.next_offset


def _basket(response: BaseModel) -> Basket:
    return Basket.model_validate(response)


def _listed(info: Any) -> Product:
    try:
        product = Product.model_validate(info)
    except ValidationError:
        sku = str(getattr(info, "sku", ""))[:80]
        raise Inconsistent(f"{sku!r} has a price or stock out of all bounds") from None
    return product if product.name else product.model_copy(update={"name": product.sku})


_request = partial(request_at, "store")
_MOVE = Endpoint(writes=True, request=_request, answer=_plain, before=known_basket, look=shown_move)
ENDPOINTS = {
    LIST: Endpoint(answer=_page, empty=lambda: ([], None)),
    VIEW: Endpoint(answer=_basket, empty=Basket),
    ADD: _MOVE,
    REMOVE: _MOVE,
    APPLY: replace(_MOVE, is_certain=known_invalid),
    TAKE_OFF: _MOVE,
    CHECKOUT: Endpoint(
        writes=True,
        request=_request,
        answer=_basket,
        look=shown_purchase,
        once=True,
        durable=True,
    ),
}
