"""The best purchases for a demand, in a fixed order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workshop.generators.store.oracle.answer import Answer, Purchase
from workshop.generators.store.oracle.demand import Demand
from workshop.generators.store.oracle.exhaustive import Search
from workshop.generators.store.oracle.market import Market


def solve(demand: Demand, market: Market) -> Answer:
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
            return Answer(_ordered(purchases), number, candidates)
    return Answer((), None, candidates)


def certificate(demand: Demand, answer: Answer) -> dict[str, Any]:
    """The demand and what was found, as JSON values: the field `oracle` of a scenario."""
    return {
        "demand": demand.to_json(),
        "method": "exhaustive",
        "candidates": answer.candidates,
        "chosen": answer.chosen,
        "best_total": answer.purchases[0].total if answer.purchases else None,
        "answers": len(answer.purchases),
    }


def expects_the_best(scenario: Mapping[str, Any]) -> bool:
    """Whether a scenario with a certificate expects exactly what its demand asks for.

    Raises:
        KeyError, TypeError, ValueError: the demand cannot be read.
        TooManyAnswers: very many purchases are equally good.
    """
    demand = Demand.from_json(scenario["oracle"]["demand"])
    market = Market.of_scenario(scenario["products"], scenario["coupons"])
    return bool(solve(demand, market).expect() == scenario["expect"])


def _ordered(purchases: list[Purchase]) -> tuple[Purchase, ...]:
    unique = {(p.items, p.coupon): p for p in purchases}
    return tuple(unique[key] for key in sorted(unique, key=lambda key: (key[0], key[1] or "")))
