"""When not to buy, said with the reason."""

from __future__ import annotations

from workshop.rule_based.store.grammar import Order
from workshop.rule_based.store.playbook import Decline, Playbook

PLAYBOOK = Playbook(
    name="decline",
)


def at_sight(order: Order) -> Decline | None:
    """Refusals that follow from the text alone."""
    if order.no_purchase:
        return Decline("the task asks not to buy")
    if order.unclear:
        return Decline(f"not understood: {'; '.join(order.unclear)}")
    if not order.lines:
        return Decline("the task names nothing to buy that was understood")
    if order.codes.mode == "all" and len(order.codes.codes) > 1:
        return Decline(
            f"coupons exclude each other: one at a time, not {' and '.join(order.codes.codes)}"
        )
    return None
