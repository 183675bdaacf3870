"""The best purchases for a demand, found by looking at every basket that answers it.

Additions are not tried blindly. A coupon can need some products, which are then added as required,
and a subtotal, for which every way to reach it is tried that could still be as cheap as the best.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product
from math import prod
from typing import Any

from workshop.generators.store.oracle.demand import Demand, Want
from workshop.generators.store.oracle.market import Market, Rebate

Quantities = dict[str, int]
MOST_ANSWERS = 2_000
"""More tied purchases than this are never wanted: the search stops."""


class TooManyAnswers(Exception):
    """More equally good purchases than a scenario should list; the text says how many at least."""


@dataclass(frozen=True, slots=True)
class Purchase:
    """A basket in catalog order and its coupon; None is any coupon that changes nothing."""

    items: tuple[tuple[str, int], ...]
    coupon: str | None
    subtotal: int
    discount: int

    @property
    def total(self) -> int:
        """Dollars to pay."""
        return self.subtotal - self.discount


@dataclass(frozen=True, slots=True)
class BestPurchases:
    """All best purchases, in a fixed order; none where the demand cannot be met.

    `chosen` counts the alternatives of the demand: 0 is the demand itself; None where no
    alternative can be met. `candidates` is how many baskets were looked at one by one.
    """

    purchases: tuple[Purchase, ...]
    chosen: int | None
    candidates: int

    def expect(self) -> dict[str, Any]:
        """The expectation of a scenario with this answer."""
        if not self.purchases:
            return {"checkouts": 0}
        events = []
        for one in self.purchases:
            items = [{"sku": sku, "quantity": number} for sku, number in one.items]
            event: dict[str, Any] = {"items": items, "subtotal": one.subtotal}
            if one.coupon is not None:
                event["coupon"] = one.coupon
            events.append(event | {"discount": one.discount, "total": one.total})
        return {"checkouts": 1, "any_of": events}


def solve(demand: Demand, market: Market) -> BestPurchases:
    """All best purchases, by looking at every basket.

    Raises:
        TooManyAnswers: very many purchases are equally good.
        ValueError: additions are so cheap that superfluous ones could go unnoticed.
    """
    candidates = 0
    for number, alternative in enumerate(demand.alternatives()):
        if any(market.ware(sku).price < 2 for sku in alternative.extras):
            raise ValueError("additions must cost at least $2 each")
        search = Search(alternative, market)
        purchases = search.run()
        candidates += search.candidates
        if purchases:
            unique = {(p.items, p.coupon or "", p.coupon is None): p for p in purchases}
            return BestPurchases(tuple(unique[key] for key in sorted(unique)), number, candidates)
    return BestPurchases((), None, candidates)


def expects_the_best(scenario: Mapping[str, Any]) -> bool:
    """Whether a scenario with a certificate expects exactly what its demand asks for.

    Raises:
        KeyError, TypeError, ValueError: there is no demand, or none that can be read.
        TooManyAnswers: very many purchases are equally good.
    """
    demand = Demand.from_json(scenario["oracle"]["demand"])
    market = Market.of_scenario(scenario["products"], scenario.get("coupons", ()))
    return bool(solve(demand, market).expect() == scenario["expect"])


def fills(want: Want, market: Market) -> Iterator[Quantities]:
    """Every way to satisfy one want from stock."""
    wares = [market.ware(sku) for sku in want.choices]
    if want.amount == "all":
        stock = {ware.sku: ware.stock for ware in wares if ware.stock}
        if stock:
            yield stock
    elif want.amount == "each":
        if wares and all(ware.stock for ware in wares):
            yield {ware.sku: 1 for ware in wares}
    else:
        steps = [(ware.sku, want.choices[ware.sku], ware.stock) for ware in wares]
        reach = sum(units * stock for _, units, stock in steps)
        most = reach if want.quantity is None else want.quantity
        targets = [most] if want.amount == "exact" else range(1, min(most, reach) + 1)
        for target in targets:
            yield from _compose(steps, target)


def _compose(steps: list[tuple[str, int, int]], target: int) -> Iterator[Quantities]:
    """Every composition of exactly `target` units from (sku, units, stock) steps."""
    reach = [0] * (len(steps) + 1)
    for n in range(len(steps) - 1, -1, -1):
        reach[n] = reach[n + 1] + steps[n][1] * steps[n][2]
    chosen: list[tuple[str, int]] = []

    def descend(n: int, left: int) -> Iterator[Quantities]:
        if not left:
            yield dict(chosen)
        elif n < len(steps) and reach[n] >= left:
            sku, units, stock = steps[n]
            for pieces in range(min(stock, left // units), 0, -1):
                chosen.append((sku, pieces))
                yield from descend(n + 1, left - pieces * units)
                chosen.pop()
            yield from descend(n + 1, left)

    if target:
        yield from descend(0, target)


def has_more_baskets(most: int, demand: Demand, market: Market) -> bool:
    """Whether more baskets than that answer the demand's wants, before coupons and additions."""
    ways = (sum(1 for _ in islice(fills(want, market), most + 1)) for want in demand.wants)
    return prod(ways) > most


class Search:
    """One pass over all baskets of a demand without its alternatives.

    `best` are the best purchases found so far, `candidates` the baskets looked at.
    """

    def __init__(self, demand: Demand, market: Market) -> None:
        self._demand, self._market = demand, market
        self._rebates = market.live(demand.codes) if demand.coupon_rule != "none" else []
        self._value: tuple[int, int] | None = None
        self.best: list[Purchase] = []
        self.candidates = 0

    def run(self) -> list[Purchase]:
        """All best purchases; raises `TooManyAnswers` where there are very many."""
        demand = self._demand
        together = demand.coupon_rule == "together" and len(demand.codes) > 1
        if together or not demand.wants:  # no shop takes several coupons on one order
            return []
        for parts in product(*(fills(want, self._market) for want in demand.wants)):
            quantities = {sku: n for part in parts for sku, n in part.items()}
            self.candidates += 1
            if demand.coupon_rule in ("none", "may"):
                self._offer(quantities, None)
            for rebate in self._rebates:
                for filled in self._with_extras(quantities, rebate):
                    self._offer(filled, rebate)
        return self.best

    def _offer(self, quantities: Quantities, rebate: Rebate | None) -> None:
        subtotal = self._market.subtotal(quantities)
        discount = rebate.discount(quantities, subtotal) if rebate else 0
        if rebate and not discount:
            return
        limit = self._demand.limit
        if limit and subtotal - discount > limit.most:
            return
        # Larger is better: units where as many as possible are wanted, then money.
        units = sum(
            quantities.get(sku, 0) * pieces
            for want in self._demand.wants
            if want.amount == "up_to"
            for sku, pieces in want.choices.items()
        )
        money = {"cheapest": discount - subtotal, "dearest": subtotal, "any": 0}
        value = units, money[self._demand.goal]
        if self._value is None or value > self._value:
            self._value, self.best = value, []
        if value == self._value:
            code = rebate.code if rebate else None if self._demand.codes else ""
            items = self._market.in_catalog_order(quantities)
            self.best.append(Purchase(items, code, subtotal, discount))
            if len(self.best) > MOST_ANSWERS:
                raise TooManyAnswers(f"more than {MOST_ANSWERS} purchases are equally good")

    def _with_extras(self, quantities: Quantities, rebate: Rebate) -> Iterator[Quantities]:
        """The basket with additions that make the coupon fit: none, or every way worth a look."""
        extras = self._demand.extras
        filled = dict(quantities)
        for sku, least in rebate.requires:
            if filled.get(sku, 0) >= least:
                continue
            if sku not in extras or self._market.ware(sku).stock < least:
                return
            filled[sku] = least
        subtotal = self._market.subtotal(filled)
        gap = rebate.min_subtotal - subtotal
        if gap <= 0:
            yield filled
            return
        # The largest subtotal with this coupon that is no dearer than the best so far.
        spent = self.best[0].total if self.best else self._market.subtotal(quantities)
        yield from self._top_up(filled, gap, rebate.dearest_subtotal(spent) - subtotal)

    def _top_up(self, filled: Quantities, gap: int, ceiling: int) -> Iterator[Quantities]:
        """Every way to add extras worth `gap` to `ceiling` dollars, none of them superfluous."""
        wares = [self._market.ware(sku) for sku in self._demand.extras]
        room = [(w.price, w.sku, w.stock - filled.get(w.sku, 0)) for w in wares]
        room = sorted(r for r in room if r[2] > 0 and r[0] <= ceiling)

        def descend(start: int, left: int, spare: int) -> Iterator[Quantities]:
            for n in range(start, len(room)):
                price, sku, pieces = room[n]
                if price > spare:
                    return
                for k in range(1, pieces + 1):
                    if k * price > spare:
                        break
                    filled[sku] = filled.get(sku, 0) + k
                    self.candidates += 1
                    if k * price >= left:
                        yield dict(filled)
                    else:
                        yield from descend(n + 1, left - k * price, spare - k * price)
                    filled[sku] -= k
                    if k * price >= left:
                        break

        yield from descend(0, gap, ceiling)
