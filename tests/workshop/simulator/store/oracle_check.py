"""A second exact method: is a scenario's expectation what its demand asks for?

It uses a real `Shop` for what a purchase costs and dynamic programming for what can be had: nothing
of the search that found the answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from workshop.generators.store.oracle.demand import Demand, Want
from workshop.generators.store.oracle.market import Market, Rebate
from workshop.simulator.store.pack import Event, Scenario
from workshop.simulator.store.scoring import Basket
from workshop.simulator.store.shop import Shop
from workshop.simulator.world import Refusal

Tally = dict[tuple[int, int], int]
"""(units, subtotal) -> number of baskets; units only where as many as possible are wanted."""


def optimum(demand: Demand, market: Market, cap: int | None) -> tuple[int, int, int] | None:
    """(units, money, number of purchases) of the best, None where no basket fits.

    Money is the total, for the dearest basket the subtotal, and 0 where any basket will do. A
    purchase with a total above `cap` is not counted (None: no cap).
    """
    counts: dict[tuple[int, int], int] = {}
    for option in _options(demand, market):
        for (units, subtotal), number in _baskets(demand, market, option, cap).items():
            total = subtotal - (option.off(subtotal) if option else 0)
            useless = option is not None and total == subtotal
            if useless or (demand.limit and total > demand.limit.most):
                continue
            if cap is not None and total > cap:
                continue
            money = {"cheapest": total, "dearest": subtotal, "any": 0}[demand.goal]
            counts[units, money] = counts.get((units, money), 0) + number
    if not counts:
        return None
    sign = -1 if demand.goal == "dearest" else 1
    best = min(counts, key=lambda key: (-key[0], sign * key[1]))
    return (*best, counts[best])


def _options(demand: Demand, market: Market) -> Iterable[Rebate | None]:
    if demand.coupon_rule in ("none", "may"):
        yield None
    if demand.coupon_rule in ("may", "must") or len(demand.codes) == 1:
        yield from market.live(demand.codes)


def _baskets(demand: Demand, market: Market, option: Rebate | None, cap: int | None) -> Tally:
    if not demand.wants:
        return {}
    needs = dict(option.requires) if option else {}
    most = None
    if cap is not None:
        most = option.dearest_subtotal(cap) if option else cap
    tally: Tally = {(0, 0): 1}
    for want in demand.wants:
        tally = _joined(tally, _ways(want, market, needs), most)
    for sku in demand.extras if option else ():
        ware = market.ware(sku)
        pieces = range(needs.pop(sku, 0), ware.stock + 1)
        tally = _joined(tally, _steps(ware.price, 0, pieces, most), most)
    if needs:
        return {}
    least = option.min_subtotal if option else 0
    return {key: number for key, number in tally.items() if key[1] >= least}


def _ways(want: Want, market: Market, needs: dict[str, int]) -> Tally:
    """Units and subtotals that satisfy one want; takes its products out of `needs`."""
    tally: Tally = {(0, 0): 1}
    for sku, units in want.choices.items():
        ware = market.ware(sku)
        pieces = range(ware.stock + 1)
        if want.amount == "all":
            pieces = range(ware.stock, ware.stock + 1)
        elif want.amount == "each":
            pieces = range(1, min(ware.stock, 1) + 1)
        pieces = range(max(pieces.start, needs.pop(sku, 0)), pieces.stop)
        most_units = want.quantity if want.amount in ("exact", "up_to") else None
        steps = _steps(ware.price, units, pieces, None)
        tally = _joined(tally, steps, None, most_units)
    if want.amount == "exact":
        return _dropped(tally, {want.quantity})
    kept = {key: number for key, number in tally.items() if key[0] > 0}
    return kept if want.amount == "up_to" else _dropped(kept, None)


def _dropped(tally: Mapping[tuple[int, int], int], units: set[int | None] | None) -> Tally:
    """The tally without its units, of the given units only."""
    found: Tally = {}
    for (counted, subtotal), number in tally.items():
        if units is None or counted in units:
            found[0, subtotal] = found.get((0, subtotal), 0) + number
    return found


def _steps(price: int, units: int, pieces: range, most: int | None) -> Tally:
    if most is not None and price:
        pieces = range(pieces.start, min(pieces.stop, most // price + 1))
    return {(k * units, k * price): 1 for k in pieces}


def _joined(left: Tally, right: Tally, most: int | None, most_units: int | None = None) -> Tally:
    found: Tally = {}
    for (a_units, a_price), a in left.items():
        for (b_units, b_price), b in right.items():
            units, price = a_units + b_units, a_price + b_price
            if most is not None and price > most:
                continue
            if most_units is not None and units > most_units:
                continue
            found[units, price] = found.get((units, price), 0) + a * b
    return found


class CertificateError(Exception):
    """A scenario whose expectation is not what its demand asks for; the text says why."""


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
    shop = Shop(scenario)
    with suppress(Refusal):
        shop.checkout()
    try:
        for item in event.items:
            shop.add(item.sku, item.quantity)
        shop.apply_coupon(event.coupon or "")
        bought = shop.checkout()
    except Refusal as error:
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
        taken = {sku: left.pop(sku, 0) for sku in want.choices}
        units = sum(taken[sku] * n for sku, n in want.choices.items())
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
        quantities.get(sku, 0) * units
        for want in demand.wants
        if want.amount == "up_to"
        for sku, units in want.choices.items()
    )
