"""How many baskets cost how much, by dynamic programming.

Made to check the oracle: it shares no search with it. For every coupon that could take effect it
counts the baskets by units and subtotal, so the least total and the number of baskets with it
follow without any basket being looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workshop.generators.store.oracle.demand import Demand, Want
from workshop.generators.store.oracle.market import Market, Rebate

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
    for choice in want.choices:
        ware = market.ware(choice.sku)
        pieces = range(ware.stock + 1)
        if want.amount == "all":
            pieces = range(ware.stock, ware.stock + 1)
        elif want.amount == "each":
            pieces = range(1, min(ware.stock, 1) + 1)
        pieces = range(max(pieces.start, needs.pop(choice.sku, 0)), pieces.stop)
        most_units = want.quantity if want.amount in ("exact", "up_to") else None
        steps = _steps(ware.price, choice.units, pieces, None)
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
