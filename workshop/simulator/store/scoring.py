"""The evaluator: compares a task's purchases with what its scenario expects.

Rules and texts are the recorded ones; `choices.md` tells the two that are ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from workshop.simulator.store.pack import Event, Scenario
from workshop.simulator.world import Evaluation


@dataclass(frozen=True, slots=True)
class BasketLine:
    """Some pieces of one product; `price` is for one piece."""

    sku: str
    quantity: int
    price: int


@dataclass(frozen=True, slots=True)
class Basket:
    """Lines and their price in whole dollars; `coupon` is "" for none."""

    lines: tuple[BasketLine, ...]
    subtotal: int
    coupon: str
    discount: int

    @property
    def total(self) -> int:
        """Whole dollars to pay."""
        return self.subtotal - self.discount


def evaluate(scenario: Scenario, checkouts: Sequence[Basket], logged: bool) -> Evaluation:
    """Score the successful `checkouts` of a task; `logged` is whether a model call was reported."""
    wanted, actual = scenario.expect.checkouts, len(checkouts)
    if actual != wanted:
        score = 0.0
        lines = [f"FAIL: Expected number of checkout events: {wanted}, found: {actual}"]
    else:
        score = 1.0
        lines = [f"GOOD: Expected number of checkout events matches: {wanted}"]
        events = scenario.expect.any_of
        if wanted and not any(matches(checkouts[0], event) for event in events):
            score = 0.0
            prices = {product.sku: product.price for product in scenario.products}
            lines += [
                "FAIL: Checkout event does not match expectation.",
                f"Expected: {' or '.join(_expected(event, prices) for event in events)}",
                f"Actual:   {_actual(checkouts[0])}",
            ]
        elif wanted:
            lines.append("GOOD: Checkout event matches expectation")
    return Evaluation.of(score, lines, logged)


def matches(bought: Basket, event: Event) -> bool:
    """Whether a purchase has the event's items, in any order, and its given fields."""
    items = Counter({line.sku: line.quantity for line in bought.lines})
    if items != Counter({item.sku: item.quantity for item in event.items}):
        return False
    pairs = (
        (event.subtotal, bought.subtotal),
        (event.coupon, bought.coupon),
        (event.discount, bought.discount),
        (event.total, bought.total),
    )
    return all(wanted is None or wanted == actual for wanted, actual in pairs)


def _expected(event: Event, prices: dict[str, int]) -> str:
    items = " ".join(f"{{{item.sku} {item.quantity} {prices[item.sku]}}}" for item in event.items)
    fields = {
        "Subtotal": event.subtotal,
        "Coupon": event.coupon,
        "Discount": event.discount,
        "Total": event.total,
    }
    given = "".join(f", {name}:{value}" for name, value in fields.items() if value is not None)
    return f"*Evt_BasketCheckedOut{{Items:[{items}]{given}}}"


def _actual(bought: Basket) -> str:
    items = " ".join(
        f"{{SKU:{line.sku} Quantity:{line.quantity} Price:{line.price}}}" for line in bought.lines
    )
    return (
        f"&{{Items:[{items}] Subtotal:{bought.subtotal} Coupon:{bought.coupon} "
        f"Discount:{bought.discount} Total:{bought.total}}}"
    )
