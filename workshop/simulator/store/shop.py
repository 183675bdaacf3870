"""One shop with one basket, without HTTP: listing, basket, coupon, checkout.

Which of its behaviour is recorded and which is a choice of ours stands in `choices.md`.
"""

from __future__ import annotations

from typing import NamedTuple

from core.erc3_client.own.store import ProductInfo
from workshop.simulator.store.pack import Coupon, Scenario
from workshop.simulator.store.scoring import Basket, BasketLine, evaluate
from workshop.simulator.world import Evaluation, Refusal, Wire


class Page(NamedTuple):
    """A stretch of the catalog; `next_offset` is -1 when nothing is left."""

    products: list[ProductInfo]
    next_offset: int


class Shop:
    """One buyer's shop: a basket and a stock of its own.

    Every method raises `Refusal` when the shop refuses; a refused call changes nothing, except
    that the first `checkout` moves the stock.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self.page_limit = scenario.page_limit
        self._products = {product.sku: product for product in scenario.products}
        self._coupons = {coupon.code: coupon for coupon in scenario.coupons}
        self._stock = {product.sku: product.available for product in scenario.products}
        self._quantities: dict[str, int] = {}
        self._coupon: Coupon | None = None
        self._stock_moved = False
        self.purchases: list[Basket] = []

    @property
    def acts(self) -> tuple[Basket, ...]:
        """The successful checkouts, oldest first."""
        return tuple(self.purchases)

    def evaluate(self, logged: bool) -> Evaluation:
        """Compare the checkouts with what the scenario expects."""
        return evaluate(self._scenario, self.purchases, logged)

    def list_products(self, offset: int, limit: int) -> Page:
        """A page of at most `limit` products; 0 stands for the largest page."""
        largest = self.page_limit
        if limit > largest:
            raise Refusal(f"page limit exceeded: {limit} > {largest}")
        if limit < 0 or offset < 0:
            raise Refusal(f"offset and limit must not be negative: offset {offset}, limit {limit}")
        end = offset + (limit or largest)
        products = [
            ProductInfo(sku=one.sku, name=one.name, available=self._stock[one.sku], price=one.price)
            for one in self._scenario.products[offset:end]
        ]
        return Page(products, end if end < len(self._scenario.products) else -1)

    def view(self) -> Basket:
        """The basket, lines sorted by sku."""
        return self._basket(sorted(self._quantities))

    def size(self) -> Wire:
        """The number of lines and of pieces in the basket."""
        return {"line_count": len(self._quantities), "item_count": sum(self._quantities.values())}

    def add(self, sku: str, quantity: int) -> Wire:
        """Put `quantity` more pieces into the basket; its size then."""
        self._check(sku, quantity)
        wanted = self._quantities.get(sku, 0) + quantity
        available = self._stock[sku]
        if wanted > available:
            raise Refusal(
                f"insufficient inventory for product {sku}: "
                f"available {available}, requested {wanted}"
            )
        self._quantities[sku] = wanted
        return self.size()

    def remove(self, sku: str, quantity: int) -> Wire:
        """Take `quantity` pieces out, a line with its last piece; the size of the basket then."""
        self._check(sku, quantity)
        present = self._quantities.get(sku, 0)
        if not present:
            raise Refusal(f"product {sku} is not in the basket")
        if quantity > present:
            raise Refusal(f"cannot remove {quantity} of product {sku}: in basket {present}")
        if quantity == present:
            del self._quantities[sku]
        else:
            self._quantities[sku] = present - quantity
        return self.size()

    def apply_coupon(self, code: str) -> Wire:
        """Set the coupon in place of an earlier one; an empty code clears it."""
        if code and code not in self._coupons:
            raise Refusal(f"invalid coupon code: {code}")
        self._coupon = self._coupons[code] if code else None
        return {}

    def checkout(self) -> Basket:
        """Buy the basket, lines in catalog order, and leave it empty; of nothing, buy nothing."""
        if not self._stock_moved:
            moved = {sku: one.stock_at_checkout for sku, one in self._products.items()}
            self._stock |= {sku: stock for sku, stock in moved.items() if stock is not None}
            self._stock_moved = True
        in_catalog_order = [sku for sku in self._products if sku in self._quantities]
        for sku in in_catalog_order:
            available, wanted = self._stock[sku], self._quantities[sku]
            if wanted > available:
                raise Refusal(
                    f"insufficient inventory for product {sku} during checkout: "
                    f"available {available}, in basket {wanted}"
                )
        bought = self._basket(in_catalog_order)
        if not bought.lines:
            return bought
        for line in bought.lines:
            self._stock[line.sku] -= line.quantity
        self._quantities.clear()
        self._coupon = None
        self.purchases.append(bought)
        return bought

    def _check(self, sku: str, quantity: int) -> None:
        if sku not in self._products:
            raise Refusal(f"unknown product: {sku}")
        if quantity < 1:
            raise Refusal(f"quantity must be at least 1, got {quantity}")

    def _basket(self, skus: list[str]) -> Basket:
        lines = tuple(
            BasketLine(sku, self._quantities[sku], self._products[sku].price) for sku in skus
        )
        subtotal = sum(line.quantity * line.price for line in lines)
        code = self._coupon.code if self._coupon else ""
        return Basket(lines, subtotal, code, self._discount(subtotal))

    def _discount(self, subtotal: int) -> int:
        coupon = self._coupon
        if coupon is None or coupon.discount is None or subtotal < (coupon.min_subtotal or 0):
            return 0
        if any(self._quantities.get(sku, 0) < least for sku, least in coupon.requires.items()):
            return 0
        percent, amount = coupon.discount.percent, coupon.discount.amount or 0
        return min(subtotal, subtotal * percent // 100 if percent is not None else amount)
