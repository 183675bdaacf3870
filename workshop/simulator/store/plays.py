"""Known plays of a shop: every purchase that is wanted, and purchases that are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from workshop.simulator.store.pack import Event, Scenario
from workshop.simulator.world import KnownPlay, Wire

Ask = Callable[..., Wire]
Quantities = dict[str, int]
"""Pieces by sku."""


def plays(scenario: Scenario) -> Iterator[KnownPlay]:
    """The right plays, doing nothing, and spoilt ones, each with its score."""
    events, stock = scenario.expect.any_of, _stock(scenario)
    yield KnownPlay("nothing bought", float(not events), lambda _ask: None)
    if not events:
        if sku := next((sku for sku, pieces in stock.items() if pieces), None):
            yield KnownPlay("a purchase", 0.0, partial(_buy, scenario, {sku: 1}, [""]))
        return
    for number, event in enumerate(events):
        items, codes = _items(event), _codes(event, scenario)
        name = f"as expected (any_of[{number}])" if number else "as expected"
        yield KnownPlay(name, 1.0, partial(_buy, scenario, items, codes, event=event))
    items = _items(events[0])
    for name, wrong, code in _spoilt(scenario, items, events[0].coupon):
        accepted = (_items(e) == wrong and e.coupon in (None, code) for e in events)
        if not any(accepted) and all(n <= stock[sku] for sku, n in wrong.items()):
            yield KnownPlay(name, 0.0, partial(_buy, scenario, wrong, [code]))


def _spoilt(
    scenario: Scenario, items: Quantities, coupon: str | None
) -> Iterator[tuple[str, Quantities, str]]:
    """Purchases that are nearly right: a name, pieces by sku, a coupon."""
    code, first = coupon or "", next(iter(items))
    yield "a piece more", {**items, first: items[first] + 1}, code
    if sum(items.values()) > 1:
        fewer = {**items, first: items[first] - 1}
        yield "a piece fewer", {sku: n for sku, n in fewer.items() if n}, code
    other = next((p.sku for p in scenario.products if p.sku not in items), None)
    if other:
        yield "another product too", {**items, other: 1}, code
    if code:
        yield "without its coupon", items, ""
    elif scenario.coupons:
        yield "with a coupon", items, scenario.coupons[0].code


def _buy(
    scenario: Scenario,
    items: Quantities,
    codes: list[str],
    ask: Ask,
    event: Event | None = None,
) -> None:
    """Buy with the first of these codes that takes off what the event says."""
    if any((p.stock_at_checkout or 0) > p.available for p in scenario.products):
        ask("/basket/checkout")  # of nothing, it moves the stock
    for sku, quantity in items.items():
        ask("/basket/add", sku=sku, quantity=quantity)
    for code in codes:
        ask("/coupon/apply", coupon=code)
        if event is None or event.discount in (None, ask("/basket/view").get("discount", 0)):
            break
    ask("/basket/checkout")


def _items(event: Event) -> Quantities:
    return {item.sku: item.quantity for item in event.items}


def _codes(event: Event, scenario: Scenario) -> list[str]:
    """The coupon of an event; each that there is, none first, where the event names none."""
    if event.coupon is not None:
        return [event.coupon]
    return ["", *(coupon.code for coupon in scenario.coupons)]


def _stock(scenario: Scenario) -> Quantities:
    """Pieces that can be had of each product before and after a checkout has moved the stock."""
    return {
        p.sku: min(p.available, p.available if p.stock_at_checkout is None else p.stock_at_checkout)
        for p in scenario.products
    }
