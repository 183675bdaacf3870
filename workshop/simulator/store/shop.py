"""One shop with one basket: what its requests do, and what they are answered with.

Which of its behaviour is recorded and which is a choice of ours stands in `choices.md`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from core.erc3_client.own import store
from workshop.simulator.store.pack import Coupon, Scenario
from workshop.simulator.store.scoring import Basket, BasketLine, evaluate
from workshop.simulator.world import Evaluation, Refusal, Wire


class Shop:
    """One buyer's shop: a basket and a stock of its own.

    Every method that takes a request raises `Refusal` when the shop refuses; a refused call changes
    nothing, except that the first `checkout` moves the stock.
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

    def list_products(self, request: store.Req_ListProducts) -> Wire:
        """A page of the catalog; limit 0 stands for the largest page."""
        offset, limit, largest = request.offset, request.limit, self.page_limit
        if limit > largest:
            raise Refusal(f"page limit exceeded: {limit} > {largest}")
        if limit < 0 or offset < 0:
            raise Refusal(f"offset and limit must not be negative: offset {offset}, limit {limit}")
        end = offset + (limit or largest)
        products = [
            {"sku": p.sku, "name": p.name, "available": self._stock[p.sku], "price": p.price}
            for p in self._scenario.products[offset:end]
        ]
        following = end if end < len(self._scenario.products) else -1
        return {"products": products or None, "next_offset": following}

    def view(self, request: store.Req_ViewBasket) -> Wire:
        """The basket, lines sorted by sku, without a coupon or a discount that there is not."""
        fields = _priced(self._basket(sorted(self._quantities)))
        optional = ("coupon", "discount")
        return {key: value for key, value in fields.items() if value or key not in optional}

    def add(self, request: store.Req_AddProductToBasket) -> Wire:
        """Put more pieces into the basket; its size then."""
        sku, present = request.sku, self._present(request.sku, request.quantity)
        available, wanted = self._stock[sku], present + request.quantity
        if wanted > available:
            text = f"available {available}, requested {wanted}"
            raise Refusal(f"insufficient inventory for product {sku}: {text}")
        self._quantities[sku] = wanted
        return self._size()

    def remove(self, request: store.Req_RemoveItemFromBasket) -> Wire:
        """Take pieces out, a line with its last piece; the size of the basket then."""
        sku, quantity = request.sku, request.quantity
        present = self._present(sku, quantity)
        if not present:
            raise Refusal(f"product {sku} is not in the basket")
        if quantity > present:
            raise Refusal(f"cannot remove {quantity} of product {sku}: in basket {present}")
        self._quantities[sku] = present - quantity
        if quantity == present:
            del self._quantities[sku]
        return self._size()

    def apply_coupon(self, request: store.Req_ApplyCoupon) -> Wire:
        """Set the coupon in place of an earlier one; an empty code clears it."""
        code = request.coupon
        if code and code not in self._coupons:
            raise Refusal(f"invalid coupon code: {code}")
        self._coupon = self._coupons[code] if code else None
        return {}

    def remove_coupon(self, request: store.Req_RemoveCoupon) -> Wire:
        """Clear the coupon, if there is one."""
        self._coupon = None
        return {}

    def checkout(self, request: store.Req_CheckoutBasket) -> Wire:
        """Buy the basket, lines in catalog order, and leave it empty; of nothing, buy nothing."""
        if not self._stock_moved:
            moved = {sku: one.stock_at_checkout for sku, one in self._products.items()}
            self._stock |= {sku: stock for sku, stock in moved.items() if stock is not None}
            self._stock_moved = True
        bought = self._basket(sku for sku in self._products if sku in self._quantities)
        for line in bought.lines:
            available = self._stock[line.sku]
            if line.quantity > available:
                text = f"available {available}, in basket {line.quantity}"
                raise Refusal(
                    f"insufficient inventory for product {line.sku} during checkout: {text}"
                )
        if bought.lines:
            for line in bought.lines:
                self._stock[line.sku] -= line.quantity
            self._quantities.clear()
            self._coupon = None
            self.purchases.append(bought)
        return _priced(bought)

    def _present(self, sku: str, quantity: int) -> int:
        """The pieces of a product in the basket, of which so many shall be moved."""
        if sku not in self._products:
            raise Refusal(f"unknown product: {sku}")
        if quantity < 1:
            raise Refusal(f"quantity must be at least 1, got {quantity}")
        return self._quantities.get(sku, 0)

    def _size(self) -> Wire:
        return {"line_count": len(self._quantities), "item_count": sum(self._quantities.values())}

    def _basket(self, skus: Iterable[str]) -> Basket:
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


def _priced(basket: Basket) -> Wire:
    return {
        "items": [asdict(line) for line in basket.lines] or None,
        "subtotal": basket.subtotal,
        "coupon": basket.coupon,
        "discount": basket.discount,
        "total": basket.total,
    }
