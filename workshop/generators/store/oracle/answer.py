"""Purchases and the set of best ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workshop.generators.store.oracle.demand import Demand
from workshop.generators.store.oracle.market import Market, Rebate


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

    @classmethod
    def of(
        cls, demand: Demand, market: Market, rebate: Rebate | None, quantities: Mapping[str, int]
    ) -> Purchase:
        """The purchase of a basket with a coupon or without one."""
        subtotal = market.subtotal(quantities)
        code = rebate.code if rebate else None if demand.codes else ""
        discount = rebate.discount(quantities, subtotal) if rebate else 0
        return cls(market.in_catalog_order(quantities), code, subtotal, discount)

    def event(self) -> dict[str, Any]:
        """The purchase as an event of a pack's expectation."""
        event: dict[str, Any] = {"items": [{"sku": s, "quantity": n} for s, n in self.items]}
        event["subtotal"] = self.subtotal
        if self.coupon is not None:
            event["coupon"] = self.coupon
        return event | {"discount": self.discount, "total": self.total}


@dataclass(frozen=True, slots=True)
class Answer:
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
        return {"checkouts": 1, "any_of": [purchase.event() for purchase in self.purchases]}
