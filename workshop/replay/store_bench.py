"""A recorded task of the store for whoever takes it apart: its state, and a pack of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import regex
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.ledger import ToolCall
from core.tools.paging import OWN_LARGEST
from store_tools.basket import APPLY, CHECKOUT, LIST, Basket, Mirror
from workshop.replay.recorded_parts import Facts, dicts_in, pack_of, page_limit


def state_at(start: str, calls: Sequence[ToolCall]) -> str:
    """The basket after these calls of a turn, as far as records tell, in a few lines of text."""
    lines = [f"at the start of the turn: {start}"]
    done = [w for c in calls for w in c.requests if w.kind == "write" and w.outcome == "done"]
    try:
        held = Mirror.of(Basket.model_validate(json.loads(start)["basket"]))
    except (ValueError, KeyError, TypeError):
        held = Mirror({}, "")
    for wire in done:
        held = held.after(wire.path, wire.body)
    now = {"items": held.content, "coupon": held.coupon}
    lines.append(f"after {len(done)} recorded writes: {json.dumps(now, ensure_ascii=False)}")
    for call in reversed(calls):
        if basket := next((d for d in dicts_in(call.result) if d.keys() >= _BASKET), None):
            seen = json.dumps(basket, ensure_ascii=False)
            lines.append(f"last seen in an answer (call {call.number}, {call.name}): {seen}")
            break
    return "\n".join(lines)


_BASKET = {"items", "subtotal", "total"}
Shown = TypeVar("Shown", bound=BaseModel)
FORMAT = "store-pack/1"
DEFAULT_PAGE = 10
_SHORT = regex.compile(
    r"insufficient inventory for product (?P<sku>.+?) during checkout: available (?P<left>\d+)"
)


def scenario_of(
    spec_id: str,
    task_text: str,
    calls: Sequence[ToolCall],
    result: Mapping[str, Any] | None,
    edited: Sequence[ToolCall] = (),
) -> Facts:
    """A pack with one scenario.

    ``calls`` are all calls of the task in order; what ``edited`` ones say wins over the others.
    What no answer showed is not in the scenario: other products, coupons that were never tried.
    """
    products = _products(calls, edited)
    coupons = _coupons([*edited, *calls])
    expect, note = _expect(calls, result)
    for event in expect.get("any_of", []):
        for item in event["items"]:
            sku, price = item["sku"], item.get("price", 0)
            unlisted = {"sku": sku, "name": sku, "price": price, "available": item["quantity"]}
            products.setdefault(sku, unlisted)
        code = event["coupon"]
        if code and code not in coupons:
            coupons[code] = {"code": code, "discount": {"amount": max(1, event["discount"])}}
    scenario = {
        "spec_id": spec_id,
        "task_text": task_text,
        "page_limit": _page_limit(calls),
        "products": list(products.values()),
        "coupons": list(coupons.values()),
        "expect": expect,
    }
    return pack_of(FORMAT, scenario, note, edited=bool(edited))


class _Listed(BaseModel):
    """A product as a result shows it."""

    model_config = ConfigDict(strict=True)

    sku: str = Field(min_length=1)
    name: str
    price: int = Field(ge=0)
    available: int = Field(ge=0)


class _Line(BaseModel):
    sku: str
    quantity: int = Field(ge=0)


class _Priced(BaseModel):
    """A basket with a coupon as a result shows it."""

    model_config = ConfigDict(strict=True)

    items: list[_Line]
    coupon: str = Field(min_length=1)
    subtotal: int = Field(ge=0)
    discount: int = Field(ge=0)


def _shown(model: type[Shown], calls: Iterable[ToolCall]) -> Iterator[Shown]:
    """What the results of calls show of this form; results given by hand can be anything."""
    for call in calls:
        for found in dicts_in(call.result):
            if isinstance(data := found.get("data"), dict):  # a row that says what it is for
                found = {"items": found.get("primary"), "coupon": found.get("secondary"), **data}
            try:
                yield model.model_validate(found)
            except ValidationError:
                continue


def _products(calls: Sequence[ToolCall], edited: Sequence[ToolCall]) -> dict[str, Facts]:
    """Products by sku, with the stock that a refused checkout brought to light."""
    products: dict[str, Facts] = {}
    for seen in _shown(_Listed, [*edited, *calls]):
        products.setdefault(seen.sku, seen.model_dump())
    errors = [call.error or "" if call.outcome == "failed" else "" for call in calls]
    refused = next(((i, m) for i, m in enumerate(map(_SHORT.search, errors)) if m), None)
    if refused is None:
        return products
    first, short = refused
    for seen in _shown(_Listed, (c for c in calls[first + 1 :] if c not in edited)):
        known = products[seen.sku]
        if seen.available != known["available"]:
            known.setdefault("stock_at_checkout", seen.available)
    if short["sku"] in products:
        products[short["sku"]].setdefault("stock_at_checkout", int(short["left"]))
    return products


def _coupons(calls: Sequence[ToolCall]) -> dict[str, Facts]:
    """Codes that the shop took, with the discount and what lay in the basket when it showed."""
    requests = (wire for call in calls for wire in call.requests)
    taken = (w.body.get("coupon") for w in requests if w.path == APPLY and w.outcome == "done")
    seen: dict[str, list[_Priced]] = {str(code): [] for code in taken if code}
    for basket in _shown(_Priced, calls):
        seen.setdefault(basket.coupon, []).append(basket)
    return {code: _coupon(code, baskets) for code, baskets in seen.items()}


def _coupon(code: str, baskets: list[_Priced]) -> Facts:
    paid = [b for b in baskets if b.discount > 0]
    if not paid:
        return {"code": code, "discount": None}
    contents = [{line.sku: line.quantity for line in b.items if line.quantity} for b in paid]
    common = set(contents[0]).intersection(*contents)
    return {
        "code": code,
        "discount": _discount(paid),
        # Least of what was seen, in pieces and in dollars: below that, nothing is known to pay.
        "requires": {sku: min(c[sku] for c in contents) for sku in contents[0] if sku in common},
        "min_subtotal": min(b.subtotal for b in paid),
    }


def _discount(paid: list[_Priced]) -> Facts:
    """The same dollars each time, or else the whole percents that explain every basket."""
    amounts = {b.discount for b in paid}
    if len(amounts) > 1:
        for percent in range(1, 101):
            if all(b.subtotal * percent // 100 == b.discount for b in paid):
                return {"percent": percent}
    return {"amount": min(amounts)}


def _page_limit(calls: Sequence[ToolCall]) -> int:
    """The shop's page limit, by its own error text or by where its second page began."""
    wires = [wire for call in calls for wire in call.requests]
    if (told := page_limit(wires)) is not None:
        return told
    pages = [w.body for w in wires if w.path == LIST and w.body.get("limit") == OWN_LARGEST]
    offsets = [at for page in pages if isinstance(at := page.get("offset"), int) and at > 0]
    return min(offsets, default=DEFAULT_PAGE)


def _expect(calls: Sequence[ToolCall], result: Mapping[str, Any] | None) -> tuple[Facts, str]:
    """What the platform wanted, where the recorded result tells; and in words where from."""
    nothing: Facts = {"checkouts": 0}
    known = result or {}
    if known.get("group") == "refuse":
        return nothing, "expectation: the platform wanted no checkout"
    bought = (
        call.result
        for call in reversed(calls)
        if call.outcome == "done"
        and any(w.path == CHECKOUT and w.outcome == "done" for w in call.requests)
    )
    receipt = next(bought, None)
    if known.get("score") == 1 and isinstance(receipt, dict):
        items = [{"sku": i["sku"], "quantity": i["quantity"]} for i in receipt["items"]]
        event = {k: receipt[k] for k in ("subtotal", "coupon", "discount", "total")}
        expect = {"checkouts": 1, "any_of": [{"items": items, **event}]}
        return expect, "expectation: the purchase that scored"
    return nothing, "expectation: not known from the record, so no checkout; look at it"
