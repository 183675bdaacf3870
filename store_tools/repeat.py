"""Recorded requests sent again, so that a new shop comes to stand where an old one stood."""

from __future__ import annotations

from collections.abc import Sequence

from core.erc3_client import store
from core.ledger import Intent, LedgerEntry, Resolved, ToolFault, WireCall
from core.tools.faults import OutOfReach
from core.tools.paging import limit_told
from store_tools.basket import ADD, APPLY, CHECKOUT, REMOVE, TAKE_OFF, filled_basket
from store_tools.requests import apply_coupon, known_invalid
from store_tools.store_session import LIST, READS, StoreSession

_MODELS = {
    ADD: "Req_AddProductToBasket",
    REMOVE: "Req_RemoveItemFromBasket",
    TAKE_OFF: "Req_RemoveCoupon",
}


def repeat_request(session: StoreSession, request: WireCall) -> str | None:
    """Send a recorded write again; in words, what was answered otherwise now.

    A read is not sent, what the session had learnt from it is taken over; nor is a write that had
    no effect. One of which nothing is known is sent and not compared: the state will show it.

    Raises:
        OutOfReach: the shop does not answer.
    """
    if request.path in READS or request.outcome == "lost":
        _learn(session, request)
        return None
    error = _refusal(session, request)
    now = "failed" if error else "done"
    if request.outcome in ("unknown", now):
        return None
    was = f"{request.outcome} ({request.error})" if request.error else request.outcome
    is_now = f"{now} ({error})" if error else now
    return f"{request.path} {request.body}: recorded {was}, now {is_now}"


def restore(session: StoreSession, entries: Sequence[LedgerEntry]) -> None:
    """Take over what recorded deeds have taught and done; nothing is sent."""
    intended: dict[str, object] | None = None
    open_ = False
    for entry in entries:
        if isinstance(entry, Intent):
            if isinstance(entry.about, dict):
                intended, open_ = entry.about, True
        elif entry.path == CHECKOUT:
            bought = entry.took_effect if isinstance(entry, Resolved) else entry.outcome == "done"
            open_ = open_ and isinstance(entry, WireCall) and entry.outcome == "unknown"
            if bought:
                session.checkouts.append(filled_basket(intended or {}))
        elif isinstance(entry, WireCall):
            if entry.path == APPLY and entry.outcome == "failed" and known_invalid(entry.error):
                session.rejected_coupons.add(str(entry.body.get("coupon")))
            _learn(session, entry)
    session.unsettled = filled_basket(intended) if open_ and intended is not None else None


def _refusal(session: StoreSession, request: WireCall) -> str | None:
    """Send a recorded write; the words of the refusal, None where it was answered."""
    try:
        if request.path == APPLY:
            apply_coupon(session, str(request.body["coupon"]))
        elif request.path == CHECKOUT:
            session.send(store.Req_CheckoutBasket(), final=True)
        elif request.path in _MODELS:
            session.send(getattr(store, _MODELS[request.path]).model_validate(request.body))
        else:
            text = f"a recorded request to {request.path} cannot be repeated"
            raise ToolFault(text, fatal=True)
    except OutOfReach:
        raise
    except ToolFault as fault:
        return fault.text
    finally:
        if request.path == CHECKOUT:
            session.forget_stock()
    return None


def _learn(session: StoreSession, request: WireCall) -> None:
    if request.path != LIST:
        return
    session.looked = session.looked or request.outcome == "done"
    limit = limit_told(request.error)
    if limit is not None and limit >= 0:
        session.listing.limit = limit
