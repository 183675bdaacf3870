"""Recorded requests sent again, so that a new shop comes to stand where an old one stood."""

from __future__ import annotations

from collections.abc import Sequence

from erc3_compat import store
from ledger import Deed, Intent, Settled, ToolFault, WireCall
from store_tools.catalog import PAGE_ERROR
from store_tools.faults import OutOfReach
from store_tools.requests import apply_coupon, known_invalid
from store_tools.session import READS, StoreSession, filled_basket


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


def recall(session: StoreSession, deeds: Sequence[Deed]) -> None:
    """Take over what recorded deeds have taught and done; nothing is sent."""
    intended: dict[str, object] | None = None
    open_ = False
    for deed in deeds:
        match deed:
            case Intent(about=dict() as about):
                intended, open_ = about, True
            case Settled(path="/basket/checkout", took_effect=bought):
                open_ = False
                if bought:
                    _bought(session, intended)
            case WireCall(path="/basket/checkout", outcome="failed" | "lost"):
                open_ = False
            case WireCall(path="/basket/checkout", outcome="done"):
                _bought(session, intended)
                open_ = False
            case WireCall(path="/coupon/apply", outcome="failed") if known_invalid(deed.error):
                session.rejected_coupons.add(str(deed.body.get("coupon")))
            case WireCall():
                _learn(session, deed)
    session.unsettled = filled_basket(intended) if open_ and intended is not None else None


def _bought(session: StoreSession, basket: dict[str, object] | None) -> None:
    session.checkouts.append(filled_basket(basket or {}))


def _refusal(session: StoreSession, request: WireCall) -> str | None:
    try:
        _send(session, request)
    except OutOfReach:
        raise
    except ToolFault as fault:
        return fault.text
    return None


def _send(session: StoreSession, request: WireCall) -> None:
    match request.path:
        case "/basket/add":
            session.send(store.Req_AddProductToBasket.model_validate(request.body))
        case "/basket/remove":
            session.send(store.Req_RemoveItemFromBasket.model_validate(request.body))
        case "/coupon/apply":
            apply_coupon(session, str(request.body["coupon"]))
        case "/coupon/remove":
            session.send(store.Req_RemoveCoupon())
        case "/basket/checkout":
            try:
                session.send(store.Req_CheckoutBasket(), final=True)
            finally:
                session.forget_stock()
        case other:
            raise ToolFault(f"a recorded request to {other} cannot be repeated", fatal=True)


def _learn(session: StoreSession, request: WireCall) -> None:
    if request.path != "/products/list":
        return
    session.looked = session.looked or request.outcome == "done"
    limit = PAGE_ERROR.search(request.error or "")
    if limit and int(limit[2]) >= 0:
        session.page_limit = int(limit[2])
