"""A shop as the oracle sees it: prices, what can really be had, and what a coupon takes off."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

MOST_PERCENT = 50
"""Up to here two dollars more in a basket always cost at least one dollar more."""


@dataclass(frozen=True, slots=True)
class Ware:
    """A product; `stock` is what a checkout finds, never more than what is listed."""

    sku: str
    price: int
    stock: int


@dataclass(frozen=True, slots=True)
class Rebate:
    """A coupon: `amount` dollars or `percent` of the subtotal off, neither for a dead one."""

    code: str
    amount: int = 0
    percent: int = 0
    requires: tuple[tuple[str, int], ...] = ()
    min_subtotal: int = 0

    def __post_init__(self) -> None:
        if self.percent > MOST_PERCENT:
            raise ValueError(f"coupon {self.code}: more than {MOST_PERCENT} % off is not supported")

    def off(self, subtotal: int) -> int:
        """Dollars off a basket that meets the conditions."""
        return min(subtotal, subtotal * self.percent // 100 if self.percent else self.amount)

    def dearest_subtotal(self, total: int) -> int:
        """The largest subtotal that costs at most `total` dollars with this coupon."""
        return total * 100 // (100 - self.percent) if self.percent else total + self.amount

    def discount(self, quantities: Mapping[str, int], subtotal: int) -> int:
        """Dollars off, 0 where the basket does not meet the conditions."""
        if subtotal < self.min_subtotal:
            return 0
        if any(quantities.get(sku, 0) < least for sku, least in self.requires):
            return 0
        return self.off(subtotal)


@dataclass(frozen=True)
class Market:
    """Wares in catalog order and the coupons that the shop knows."""

    wares: tuple[Ware, ...]
    rebates: tuple[Rebate, ...] = ()

    @classmethod
    def of_scenario(
        cls, products: Sequence[Mapping[str, Any]], coupons: Sequence[Mapping[str, Any]]
    ) -> Market:
        """The market of a scenario as a pack file has it."""
        wares = []
        for raw in products:
            listed, moved = raw["available"], raw.get("stock_at_checkout")
            stock = listed if moved is None else min(moved, listed)
            wares.append(Ware(raw["sku"], raw["price"], stock))
        rebates = []
        for raw in coupons:
            discount = raw["discount"] or {}
            off = discount.get("amount") or 0, discount.get("percent") or 0
            requires = tuple(raw.get("requires", {}).items())
            rebates.append(Rebate(raw["code"], *off, requires, raw.get("min_subtotal") or 0))
        return cls(tuple(wares), tuple(rebates))

    @cached_property
    def _position(self) -> dict[str, int]:
        return {ware.sku: n for n, ware in enumerate(self.wares)}

    def ware(self, sku: str) -> Ware:
        """The ware with this sku; raises KeyError where the shop has none."""
        return self.wares[self._position[sku]]

    def live(self, codes: Iterable[str]) -> list[Rebate]:
        """The coupons among `codes` that the shop knows and that can take something off."""
        by_code = {
            rebate.code: rebate for rebate in self.rebates if rebate.amount or rebate.percent
        }
        return [by_code[code] for code in codes if code in by_code]

    def subtotal(self, quantities: Mapping[str, int]) -> int:
        """Dollars for so many pieces before a discount."""
        return sum(self.ware(sku).price * pieces for sku, pieces in quantities.items())

    def in_catalog_order(self, quantities: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
        """Lines with at least one piece, in the order of the catalog."""
        lines = [(sku, quantity) for sku, quantity in quantities.items() if quantity]
        return tuple(sorted(lines, key=lambda line: self._position[line[0]]))
