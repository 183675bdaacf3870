"""Products that may be added because they unlock a coupon that saves more than they cost."""

from __future__ import annotations

from workshop.rule_based.store.facts import Facts, Found, Product
from workshop.rule_based.store.grammar import Order
from workshop.rule_based.store.playbook import Playbook
from workshop.rule_based.store.programs import SIMULATE

MOST_FILLERS = 40
MOST_DOLLARS = 40
"""Additions are tried for every sum of dollars up to this, should a code ask for a subtotal."""

PLAYBOOK = Playbook(
    name="bundle-coupon",
    programs={"simulate": SIMULATE},
)


def fillers(order: Order, facts: Facts, wanted: set[str]) -> list[Product]:
    """Products that the order allows as additions, cheapest first, those it names before others."""
    if order.fillers is None:
        return []
    named: list[Product] = []
    for phrase in order.fillers:
        named += facts.found.get(phrase, Found()).matches
    pool = named if named else list(facts.catalog)
    fresh = {p.sku: p for p in pool if p.sku not in wanted and p.available > 0}
    return sorted(fresh.values(), key=lambda p: p.price)[:MOST_FILLERS]
