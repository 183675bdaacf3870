"""Money limits: what a basket may cost, before anything is bought."""

from __future__ import annotations

from collections.abc import Iterable

from workshop.rule_based.store.facts import Product, Row
from workshop.rule_based.store.grammar import Order
from workshop.rule_based.store.playbook import Playbook

PLAYBOOK = Playbook(
    name="budget-check",
)


def within_unit_limits(order: Order, products: Iterable[Product]) -> list[Product]:
    """Products whose price keeps to limits that hold for one piece."""
    kept = list(products)
    if order.budget and order.budget.per_unit:
        kept = [p for p in kept if order.budget.allows(p.price)]
    if order.floor:
        floor = order.floor
        kept = [
            p
            for p in kept
            if p.price > floor.dollars or (p.price == floor.dollars and not floor.strict)
        ]
    return kept


def affordable(order: Order, rows: Iterable[Row]) -> list[Row]:
    """Rows whose total keeps to the order's limit."""
    budget = order.budget
    if budget is None or budget.per_unit:
        return list(rows)
    return [r for r in rows if budget.allows(r.total)]
