"""The certificate that a scenario carries in its field `oracle`, and the check of it.

The check uses a real `Shop` for what a purchase costs and dynamic programming for what can be
had: nothing of the search that found the answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from workshop.generators.store.oracle.answer import Answer
from workshop.generators.store.oracle.bound import optimum
from workshop.generators.store.oracle.demand import Demand
from workshop.generators.store.oracle.market import Market
from workshop.simulator.store.pack import Event, Scenario
from workshop.simulator.store.shop import Basket, Catalog, Shop, ShopError


class CertificateError(Exception):
    """A scenario whose expectation is not what its demand asks for; the text says why."""


def certificate(demand: Demand, answer: Answer) -> dict[str, Any]:
    """The demand, how it was solved and what was found, as JSON values."""
    best = answer.purchases[0].total if answer.purchases else None
    return {
        "demand": demand.to_json(),
        "method": answer.method,
        "candidates": answer.candidates,
        "chosen": answer.chosen,
        "best_total": best,
        "answers": len(answer.purchases),
    }


def _demand(scenario: Mapping[str, Any]) -> Demand:
    where, record = scenario.get("spec_id"), scenario.get("oracle")
    if not isinstance(record, Mapping):
        raise CertificateError(f"{where}: no certificate (field `oracle`)")
    try:
        return Demand.from_json(record["demand"])
    except (KeyError, TypeError, ValueError) as error:
        raise CertificateError(f"{where}: the demand cannot be read: {error!r}") from None


def check_certificate(scenario: Mapping[str, Any]) -> None:
    """Raise `CertificateError` unless the scenario (as in a pack file) expects exactly the best.

    Every expected purchase must go through in a shop with the stated figures and answer the
    demand; no basket may be better; and no equally good one may be missing.
    """
    alternatives = list(_demand(scenario).alternatives())
    record = scenario["oracle"]
    try:
        shop = Scenario.model_validate_json(json.dumps(scenario))
    except ValueError as error:
        raise CertificateError(f"{scenario.get('spec_id')}: cannot be read: {error}") from None
    market = Market.of_scenario(scenario["products"], scenario["coupons"])
    events, chosen = shop.expect.any_of, record.get("chosen")
    where = shop.spec_id
    for number, demand in enumerate(alternatives):
        if number == chosen:
            _check_best(where, demand, market, shop, record)
            return
        if optimum(demand, market, demand.limit.most if demand.limit else None):
            raise CertificateError(f"{where}: alternative {number} can be bought after all")
    if chosen is not None or events:
        raise CertificateError(f"{where}: a purchase is expected that no alternative asks for")


def _check_best(
    where: str, demand: Demand, market: Market, shop: Scenario, record: Mapping[str, Any]
) -> None:
    events = shop.expect.any_of
    baskets = [_bought(where, shop, event) for event in events]
    for basket in baskets:
        _check_answers(where, demand, basket)
    totals = {basket.total for basket in baskets}
    by_money = demand.goal == "cheapest" and all(w.amount != "up_to" for w in demand.wants)
    best = optimum(demand, market, max(totals, default=0) if by_money else None)
    if best is None:
        raise CertificateError(f"{where}: nothing can be bought, but a purchase is expected")
    units, money, number = best
    if demand.goal == "cheapest" and totals != {money}:
        raise CertificateError(f"{where}: ${money} is possible, not only {sorted(totals)}")
    if demand.goal == "dearest" and {basket.subtotal for basket in baskets} != {money}:
        raise CertificateError(f"{where}: a basket of ${money} is possible")
    if any(_units(demand, basket) != units for basket in baskets):
        raise CertificateError(f"{where}: {units} units can be had")
    keys = {(tuple(sorted((i.sku, i.quantity) for i in e.items)), e.coupon) for e in events}
    if number != len(keys) or record.get("answers") != number or len(keys) != len(events):
        raise CertificateError(f"{where}: {number} purchases are equally good, {len(keys)} listed")
    if demand.goal == "cheapest" and record.get("best_total") != money:
        raise CertificateError(f"{where}: the best total is ${money}, not {record['best_total']}")


def _bought(where: str, scenario: Scenario, event: Event) -> Basket:
    """The event's purchase made in a shop of its own, after a first checkout moved the stock."""
    shop = Shop(Catalog(scenario))
    with suppress(ShopError):
        shop.checkout()
    try:
        for item in event.items:
            shop.add(item.sku, item.quantity)
        shop.apply_coupon(event.coupon or "")
        bought = shop.checkout()
    except ShopError as error:
        raise CertificateError(f"{where}: the shop refuses an expected purchase: {error}") from None
    for name in ("subtotal", "discount", "total"):
        wanted, found = getattr(event, name), getattr(bought, name)
        if wanted != found:
            raise CertificateError(f"{where}: {name} is {found} in the shop, {wanted} expected")
    return bought


def _check_answers(where: str, demand: Demand, basket: Basket) -> None:
    """Raise unless a basket holds what the demand wants and nothing else."""
    left = {line.sku: line.quantity for line in basket.lines}
    for want in demand.wants:
        taken = {choice.sku: left.pop(choice.sku, 0) for choice in want.choices}
        units = sum(taken[choice.sku] * choice.units for choice in want.choices)
        if want.amount == "exact" and units != want.quantity:
            raise CertificateError(f"{where}: {units} units bought, {want.quantity} wanted")
        if want.amount == "each" and set(taken.values()) != {1}:
            raise CertificateError(f"{where}: one of each is wanted, not {taken}")
        if want.amount == "up_to" and want.quantity is not None and units > want.quantity:
            raise CertificateError(f"{where}: {units} units bought, at most {want.quantity} wanted")
    if left.keys() - set(demand.extras):
        raise CertificateError(f"{where}: {sorted(left)} was not asked for")
    if basket.coupon and basket.coupon not in demand.codes:
        raise CertificateError(f"{where}: coupon {basket.coupon} was not offered")
    if demand.coupon_rule == "must" and not basket.discount:
        raise CertificateError(f"{where}: a discount is demanded and there is none")
    if demand.limit and basket.total > demand.limit.most:
        raise CertificateError(f"{where}: ${basket.total} is over the limit")


def _units(demand: Demand, basket: Basket) -> int:
    quantities = {line.sku: line.quantity for line in basket.lines}
    return sum(
        quantities.get(choice.sku, 0) * choice.units
        for want in demand.wants
        if want.amount == "up_to"
        for choice in want.choices
    )
