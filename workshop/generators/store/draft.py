"""A task before it has words: what is wanted, on what terms, and what the text must say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from workshop.generators.store.builder import Good, Retry, ShopBuilder
from workshop.generators.store.oracle.demand import (
    Amount,
    CouponRule,
    Demand,
    Goal,
    Limit,
    Want,
)
from workshop.generators.store.oracle.market import Market
from workshop.generators.store.oracle.solve import BestPurchases, has_more_baskets, solve
from workshop.generators.store.vocabulary import ProductKind

Form = Literal["named", "kind", "units", "cheapest", "dearest", "one", "all", "each", "up_to"]
"""How the text speaks of a line: a product by its name; so many of a kind; so many pieces out of
packs; the cheapest, the dearest, just one of a kind; all, one of each, as many as possible."""
Extras = Literal["unsaid", "allowed", "none"]
MOST_BASKETS = 1_000
"""Shops with more baskets to choose from are not made."""


@dataclass(frozen=True, slots=True)
class WantedLine:
    """One thing on the list, for the oracle (`want`) and for the text (the rest)."""

    want: Want
    form: Form
    singular: str
    plural: str
    but_not: str = ""
    """A brand that is excepted."""

    @property
    def quantity(self) -> int:
        """The number in the text, 0 where it has none."""
        return self.want.quantity or 0


@dataclass(slots=True)
class Draft:
    """A task; `accept` says whether the oracle's answer is what the mechanic is about."""

    lines: list[WantedLine]
    goal: Goal = "any"
    limit: Limit | None = None
    rule: CouponRule = "none"
    codes: list[str] = field(default_factory=list)
    hints: dict[str, str] = field(default_factory=dict)
    """What the text says of a code."""
    shunned: str = ""
    """A code that the text forbids to use."""
    buy_anyway: bool = False
    """Whether the text says to buy at full price where the one code does not work."""
    by_discount: bool = False
    """Whether the text asks for the largest discount; the basket must be a fixed one."""
    no_discount_no_order: bool = False
    """Whether the text says what follows from `rule` must: no discount, no order."""
    extras: Extras = "unsaid"
    kit: str = ""
    fallback: WantedLine | None = None
    """What to take if the line cannot be had: another product, or as many as are left of it."""
    not_more: bool = True
    """Whether the text of a units line says that exactly so many are wanted; it is set where more
    pieces would cost no more."""
    accept: Callable[[BestPurchases], bool] = lambda answer: True

    def demand(self, goods: dict[str, Good]) -> Demand:
        """The demand for the oracle in a shop with these goods."""
        wants = tuple(line.want for line in self.lines)
        taken = {sku for want in wants for sku in want.choices}
        return Demand(
            wants,
            self.goal,
            self.limit,
            self.rule,
            tuple(self.codes),
            tuple(s for s in goods if s not in taken) if self.extras == "allowed" else (),
            Demand((self.fallback.want,), self.goal) if self.fallback else None,
        )

    def solve(self, builder: ShopBuilder) -> tuple[Demand, Market, BestPurchases]:
        """The best purchases in a shop as it is now.

        Raises `Retry`: there are too many baskets. Raises `TooManyAnswers`.
        """
        demand = self.demand(builder.goods)
        products = [good.as_json() for good in builder.goods.values()]
        market = Market.of_scenario(products, builder.coupons)
        if has_more_baskets(MOST_BASKETS, demand, market):
            raise Retry("too many baskets")
        return demand, market, solve(demand, market)


def named(good: Good, quantity: int = 1, *, sold: bool = True) -> WantedLine:
    """A line for a product by its name; with `sold` False the shop does not have it."""
    choices = {good.sku: 1} if sold else {}
    return WantedLine(Want(choices, "exact", quantity), "named", good.name, good.name)


def of_kind(
    kind: ProductKind, goods: list[Good], form: Form, quantity: int | None = 1
) -> WantedLine:
    """A line for products of a kind."""
    amounts: dict[Form, Amount] = {"all": "all", "each": "each", "up_to": "up_to"}
    choices = {g.sku: g.units if form == "units" else 1 for g in goods}
    if form in ("all", "each"):
        quantity = None
    return WantedLine(
        Want(choices, amounts.get(form, "exact"), quantity), form, kind.noun, kind.plural
    )


def as_many(good: Good, most: int | None) -> WantedLine:
    """A line for as many of a product as can be had."""
    return WantedLine(Want({good.sku: 1}, "up_to", most), "up_to", good.name, good.name)
