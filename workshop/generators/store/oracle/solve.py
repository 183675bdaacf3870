"""The best purchases for a demand: picks the method and orders the answers."""

from __future__ import annotations

from workshop.generators.store.oracle import cpsat
from workshop.generators.store.oracle.answer import Answer, Method, Purchase
from workshop.generators.store.oracle.demand import Demand
from workshop.generators.store.oracle.exhaustive import Search, baskets
from workshop.generators.store.oracle.market import Market

MOST_BASKETS = 1_500
"""More baskets than this are not looked at one by one."""


def solve(demand: Demand, market: Market, method: Method | None = None) -> Answer:
    """All best purchases; `method` None looks at every basket where they are few.

    Raises `TooManyAnswers` where very many purchases are equally good, `cpsat.SolverMissing`
    where OR-Tools is needed and not installed, `ValueError` where additions are so cheap that
    superfluous ones could go unnoticed.
    """
    candidates = 0
    used: Method = method or "exhaustive"
    for number, alternative in enumerate(demand.alternatives()):
        if any(market.ware(sku).price < 2 for sku in alternative.extras):
            raise ValueError("additions must cost at least $2 each")
        few = baskets(alternative, market) <= MOST_BASKETS
        used = method or ("exhaustive" if few else "cp-sat")
        if used == "exhaustive":
            search = Search(alternative, market)
            purchases = search.run()
            candidates += search.candidates
        else:
            purchases = cpsat.search(alternative, market)
        if purchases:
            return Answer(_ordered(purchases), number, used, candidates)
    return Answer((), None, used, candidates)


def _ordered(purchases: list[Purchase]) -> tuple[Purchase, ...]:
    unique = {(p.items, p.coupon): p for p in purchases}
    return tuple(unique[key] for key in sorted(unique, key=lambda key: (key[0], key[1] or "")))
