"""What a customer wants, resolved to the products of one shop.

A demand says nothing of words and names: which products fit was decided before. All money is in
whole dollars.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

Amount = Literal["exact", "all", "each", "up_to"]
"""exact: `quantity` units in any mix of the choices; all: the whole stock of every choice;
each: one piece of every choice; up_to: as many units as can be had, at most `quantity`."""
Goal = Literal["cheapest", "dearest", "any"]
"""Which of the fitting baskets is wanted: least to pay, greatest subtotal, or whichever."""
CouponRule = Literal["none", "may", "must", "together"]
"""none: no coupon; may: one of the codes where it helps; must: one of the codes, and it must take
something off; together: all codes on the same order."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A product that fits, and how many units one piece of it holds."""

    sku: str
    units: int = 1


@dataclass(frozen=True, slots=True)
class Want:
    """One thing on the customer's list; `quantity` None with up_to is without an upper end."""

    choices: tuple[Choice, ...]
    amount: Amount = "exact"
    quantity: int | None = 1

    def __post_init__(self) -> None:
        if self.amount not in get_args(Amount):
            raise ValueError(f"amount must be one of {get_args(Amount)}, not {self.amount!r}")
        if self.amount == "exact" and (self.quantity is None or self.quantity < 1):
            raise ValueError(f"an exact amount must be at least 1, not {self.quantity}")
        if any(choice.units < 1 for choice in self.choices):
            raise ValueError("a piece must hold at least one unit")


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
    otherwise: Demand | None = field(default=None)

    def __post_init__(self) -> None:
        skus = [choice.sku for want in self.wants for choice in want.choices] + list(self.extras)
        if len(skus) != len(set(skus)):
            raise ValueError("a product stands twice in the demand")
        if sum(want.amount == "up_to" for want in self.wants) > 1:
            raise ValueError("only one want can ask for as many as possible")
        if self.goal not in get_args(Goal):
            raise ValueError(f"goal must be one of {get_args(Goal)}, not {self.goal!r}")
        if self.coupon_rule not in get_args(CouponRule):
            known = get_args(CouponRule)
            raise ValueError(f"coupon_rule must be one of {known}, not {self.coupon_rule!r}")
        if self.extras and (self.goal, self.coupon_rule) != ("cheapest", "may"):
            raise ValueError("extras make sense only for the cheapest basket with optional codes")

    @property
    def hopeless(self) -> bool:
        """Whether no shop can meet it: it wants nothing, or several coupons on one order."""
        return not self.wants or (self.coupon_rule == "together" and len(self.codes) > 1)

    def alternatives(self) -> Iterator[Demand]:
        """This demand and those that stand in for it, in order of preference."""
        demand: Demand | None = self
        while demand is not None:
            yield demand
            demand = demand.otherwise

    def to_json(self) -> dict[str, Any]:
        """The demand as JSON values, defaults left out."""
        raw: dict[str, Any] = {"wants": [_want_json(want) for want in self.wants]}
        raw["goal"] = self.goal
        if self.limit:
            raw["limit"] = {"dollars": self.limit.dollars, "inclusive": self.limit.inclusive}
        if self.coupon_rule != "none":
            raw |= {"coupon_rule": self.coupon_rule, "codes": list(self.codes)}
        if self.extras:
            raw["extras"] = list(self.extras)
        if self.otherwise:
            raw["otherwise"] = self.otherwise.to_json()
        return raw

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Demand:
        """Read what `to_json` wrote; raises KeyError, TypeError or ValueError if it is none."""
        return cls(
            wants=tuple(_want(want) for want in raw["wants"]),
            goal=cast(Goal, raw["goal"]),
            limit=Limit(**raw["limit"]) if "limit" in raw else None,
            coupon_rule=cast(CouponRule, raw.get("coupon_rule", "none")),
            codes=tuple(raw.get("codes", ())),
            extras=tuple(raw.get("extras", ())),
            otherwise=cls.from_json(raw["otherwise"]) if "otherwise" in raw else None,
        )


def _want_json(want: Want) -> dict[str, Any]:
    choices = {choice.sku: choice.units for choice in want.choices}
    return {"choices": choices, "amount": want.amount, "quantity": want.quantity}


def _want(raw: Mapping[str, Any]) -> Want:
    choices = tuple(Choice(sku, units) for sku, units in raw["choices"].items())
    return Want(choices, cast(Amount, raw["amount"]), raw["quantity"])
