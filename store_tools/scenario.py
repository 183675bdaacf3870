"""Recorded tool calls turned into a scenario of a store pack: the shop as the calls saw it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import regex

from core.ledger import ToolCall, WireCall
from core.tools.paging import OWN_LARGEST, limit_told
from store_tools.basket import APPLY, CHECKOUT
from store_tools.store_session import LIST

FORMAT = "store-pack/1"
DEFAULT_PAGE = 10
_SHORT = regex.compile(
    r"insufficient inventory for product (?P<sku>.+?) during checkout: available (?P<left>\d+)"
)
Facts = dict[str, Any]


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
            products.setdefault(item["sku"], _unlisted(item))
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
        "notes": f"from a recorded run{', answers edited' if edited else ''}; {note}",
    }
    return {"format": FORMAT, "name": f"recorded-{spec_id}", "scenarios": [scenario]}


def _dicts(value: object) -> Iterator[Facts]:
    """Every dict within a value, outer ones first."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from _dicts(part)


def _listed(calls: Iterable[ToolCall]) -> Iterator[Facts]:
    for call in calls:
        for found in _dicts(call.result):
            whole = {"price", "available"} <= found.keys()
            if (
                whole
                and all(isinstance(found.get(k), str) for k in ("sku", "name"))
                and found["sku"]
                and all(_is_count(found[k]) for k in ("price", "available"))
            ):
                yield {k: found[k] for k in ("sku", "name", "price", "available")}


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _products(calls: Sequence[ToolCall], edited: Sequence[ToolCall]) -> dict[str, Facts]:
    """Products by sku, with the stock that a refused checkout brought to light."""
    first = next((i for i, c in enumerate(calls) if _refused_checkout(c)), len(calls))
    products: dict[str, Facts] = {}
    for seen in _listed([*edited, *calls]):
        products.setdefault(seen["sku"], seen)
    if first == len(calls):
        return products
    for seen in _listed(c for c in calls[first + 1 :] if c not in edited):
        known = products[seen["sku"]]
        if seen["available"] != known["available"]:
            known.setdefault("stock_at_checkout", seen["available"])
    short = _SHORT.search(calls[first].error or "")
    if short and short["sku"] in products:
        products[short["sku"]].setdefault("stock_at_checkout", int(short["left"]))
    return products


def _refused_checkout(call: ToolCall) -> bool:
    return call.outcome == "failed" and _SHORT.search(call.error or "") is not None


def _unlisted(item: Facts) -> Facts:
    """A product that was bought and never seen in a listing."""
    sku, price = item["sku"], item.get("price", 0)
    return {"sku": sku, "name": sku, "price": price, "available": item["quantity"]}


def _coupons(calls: Sequence[ToolCall]) -> dict[str, Facts]:
    """Codes that the shop took, with the discount and what lay in the basket when it showed."""
    seen: dict[str, list[Facts]] = {}
    for call in calls:
        for wire in call.requests:
            taken = str(wire.body.get("coupon") or "")
            if taken and wire.path == APPLY and wire.outcome == "done":
                seen.setdefault(taken, [])
        for found in _dicts(call.result):
            code, discount = found.get("coupon"), found.get("discount")
            whole = _are_items(found.get("items")) and _is_count(found.get("subtotal"))
            if isinstance(code, str) and code and _is_count(discount) and whole:
                seen.setdefault(code, []).append(found)
    return {code: _coupon(code, baskets) for code, baskets in seen.items()}


def _are_items(value: object) -> bool:
    """Whether a value is the content of a basket; answers given by hand can be anything."""
    return isinstance(value, list) and all(
        isinstance(i, dict) and isinstance(i.get("sku"), str) and _is_count(i.get("quantity"))
        for i in value
    )


def _coupon(code: str, baskets: list[Facts]) -> Facts:
    paid = [b for b in baskets if b["discount"] > 0]
    if not paid:
        return {"code": code, "discount": None}
    contents = [{i["sku"]: i["quantity"] for i in b["items"]} for b in paid]
    common = {
        sku: min(c[sku] for c in contents)
        for sku in contents[0]
        if all(c.get(sku, 0) > 0 for c in contents)
    }
    # Least of what was seen, in pieces and in dollars: below that, nothing is known to pay.
    least = min(b["subtotal"] for b in paid)
    return {
        "code": code,
        "discount": _discount(paid),
        "requires": common,
        "min_subtotal": least,
    }


def _discount(paid: list[Facts]) -> Facts:
    """The same dollars each time, or else the whole percents that explain every basket."""
    amounts = {b["discount"] for b in paid}
    if len(amounts) > 1:
        for percent in range(1, 101):
            if all(b["subtotal"] * percent // 100 == b["discount"] for b in paid):
                return {"percent": percent}
    return {"amount": min(amounts)}


def _page_limit(calls: Sequence[ToolCall]) -> int:
    """The shop's page limit, by its own error text or by where its second page began."""
    wires = [wire for call in calls for wire in call.requests]
    for limit in (limit_told(wire.error) for wire in wires):
        if limit is not None:
            return limit if limit > 0 else -1
    pages = [w.body for w in wires if w.path == LIST and w.body.get("limit") == OWN_LARGEST]
    offsets = [at for page in pages if isinstance(at := page.get("offset"), int) and at > 0]
    return min(offsets, default=DEFAULT_PAGE)


def _expect(calls: Sequence[ToolCall], result: Mapping[str, Any] | None) -> tuple[Facts, str]:
    """What the platform wanted, where the recorded result tells; and in words where from."""
    nothing: Facts = {"checkouts": 0}
    known = result or {}
    if known.get("group") == "refuse":
        return nothing, "expectation: the platform wanted no checkout"
    receipt = next((c.result for c in reversed(calls) if _bought(c)), None)
    if known.get("score") == 1 and isinstance(receipt, dict):
        items = [{"sku": i["sku"], "quantity": i["quantity"]} for i in receipt["items"]]
        event = {k: receipt[k] for k in ("subtotal", "coupon", "discount", "total")}
        expect = {"checkouts": 1, "any_of": [{"items": items, **event}]}
        return expect, "expectation: the purchase that scored"
    return nothing, "expectation: not known from the record, so no checkout; look at it"


def _bought(call: ToolCall) -> bool:
    def sent(wire: WireCall) -> bool:
        return wire.path == CHECKOUT and wire.outcome == "done"

    return call.outcome == "done" and any(sent(w) for w in call.requests)
