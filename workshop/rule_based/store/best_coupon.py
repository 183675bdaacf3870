"""Trying coupons in the shop: a code counts only when the basket shows a discount."""

from __future__ import annotations

from workshop.rule_based.store.budget_check import affordable
from workshop.rule_based.store.facts import Row
from workshop.rule_based.store.grammar import Order
from workshop.rule_based.store.playbook import Decline, Playbook
from workshop.rule_based.store.programs import SIMULATE

PLAYBOOK = Playbook(
    name="best-coupon",
    programs={"simulate": SIMULATE},
)


def needs_all(order: Order) -> bool:
    """Whether the cheapest row alone does not tell what to buy."""
    return order.codes.mode == "any" or order.goal == "discount"


def choose(order: Order, rows: tuple[Row, ...]) -> Row | Decline:
    """The row to buy, by the order's demands and goal."""
    codes = set(order.codes.codes)
    if order.codes.mode == "any":
        rows = tuple(r for r in rows if r.coupon in codes and r.discount > 0)
        if not rows:
            return Decline(f"no demanded code gives a discount ({'/'.join(order.codes.codes)})")
        rows = tuple(r for r in rows if _as_promised(order, r))
        if not rows:
            return Decline("the code gives less than the task says")
    fitting = affordable(order, rows)
    if not fitting:
        return Decline("every basket that answers the task is over the money limit")
    if order.goal == "discount":
        best = max(fitting, key=lambda r: (r.discount, -r.total))
        if best.discount == 0 and order.codes.codes:
            return Decline("no code gives any discount")
        return best
    return min(fitting, key=lambda r: (r.total, r.coupon != "", len(r.items)))


def _as_promised(order: Order, row: Row) -> bool:
    if order.codes.off_dollars is not None:
        return row.discount >= order.codes.off_dollars
    if order.codes.off_percent is not None:
        return row.discount >= row.subtotal * order.codes.off_percent // 100
    return True
