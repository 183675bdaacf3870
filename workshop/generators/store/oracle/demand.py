"""What a customer wants, resolved to the products of one shop.

A demand says nothing of words and names: which products fit was decided before. All money is in
whole dollars.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from pydantic import TypeAdapter

Amount = Literal["exact", "all", "each", "up_to"]
"""exact: `quantity` units in any mix of the choices; all: the whole stock of every choice;
each: one piece of every choice; up_to: as many units as can be had, at most `quantity`."""
Goal = Literal["cheapest", "dearest", "any"]
"""Which of the fitting baskets is wanted: least to pay, greatest subtotal, or whichever."""
CouponRule = Literal["none", "may", "must", "together"]
"""none: no coupon; may: one of the codes where it helps; must: one of the codes, and it must take
something off; together: all codes on the same order."""


@dataclass(frozen=True, slots=True)
class Want:
    """One thing on the customer's list.

    `choices` are the products that fit and how many units a piece of each holds; `quantity` None
    with up_to is without an upper end.
    """

    choices: dict[str, int]
    amount: Amount = "exact"
    quantity: int | None = 1

    def __post_init__(self) -> None:
        if self.amount == "exact" and (self.quantity is None or self.quantity < 1):
            raise ValueError(f"an exact amount must be at least 1, not {self.quantity}")
        if any(units < 1 for units in self.choices.values()):
            raise ValueError("a piece must hold at least one unit")

    @property
    def sku(self) -> str:
        """The first choice."""
        return next(iter(self.choices))


@dataclass(frozen=True, slots=True)
class Limit:
    """What may be paid after the discount; `inclusive` is "at most", otherwise "under"."""

    dollars: int
    inclusive: bool = True

    @property
    def most(self) -> int:
        """The largest total that keeps to the limit."""
        return self.dollars if self.inclusive else self.dollars - 1


@dataclass(frozen=True, slots=True)
class Demand:
    """What fits, what of it is best, and what else would do (`otherwise`) if nothing fits.

    `extras` are products that may be added in any quantity where that makes the order cheaper.
    No product may stand in two wants, nor in a want and among the extras.
    """

    wants: tuple[Want, ...]
    goal: Goal = "cheapest"
    limit: Limit | None = None
    coupon_rule: CouponRule = "none"
    codes: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    otherwise: Demand | None = None

    def __post_init__(self) -> None:
        skus = [sku for want in self.wants for sku in want.choices] + list(self.extras)
        if len(skus) != len(set(skus)):
            raise ValueError("a product stands twice in the demand")
        if sum(want.amount == "up_to" for want in self.wants) > 1:
            raise ValueError("only one want can ask for as many as possible")
        if self.extras and (self.goal, self.coupon_rule) != ("cheapest", "may"):
            raise ValueError("extras make sense only for the cheapest basket with optional codes")

    def alternatives(self) -> Iterator[Demand]:
        """This demand and those that stand in for it, in order of preference."""
        demand: Demand | None = self
        while demand is not None:
            yield demand
            demand = demand.otherwise

    def to_json(self) -> dict[str, Any]:
        """The demand as JSON values, defaults left out."""
        raw: dict[str, Any] = {"wants": [asdict(want) for want in self.wants], "goal": self.goal}
        if self.limit:
            raw["limit"] = asdict(self.limit)
        if self.coupon_rule != "none":
            raw |= {"coupon_rule": self.coupon_rule, "codes": list(self.codes)}
        if self.extras:
            raw["extras"] = list(self.extras)
        if self.otherwise:
            raw["otherwise"] = self.otherwise.to_json()
        return raw

    @classmethod
    def from_json(cls, raw: object) -> Demand:
        """Read what `to_json` wrote. Raises ValueError if it is none."""
        return _ADAPTER.validate_python(raw)


_ADAPTER = TypeAdapter(Demand)
