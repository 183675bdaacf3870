"""A small shop behind the tool protocol, with every way of failing that the tests need."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING

from core.ledger.calls import ToolFault

if TYPE_CHECKING:
    from worker.sandbox.executor import SandboxExecutor

PRODUCTS = [
    {"sku": "p1", "name": "Soda 6pk", "price": 12, "available": 4},
    {"sku": "p2", "name": "Soda 24pk", "price": 40, "available": 2},
    {"sku": "p3", "name": "Water", "price": 3, "available": 0},
    {"sku": "p4", "name": "Soda 12pk", "price": 21, "available": 3},
    {"sku": "p5", "name": "Juice", "price": 7, "available": 9, "brand": "sunny", "tags": None},
]
COUPONS = {"SAVE5": 5, "HALF": 20, "BULK": 0}
PAGE_LIMIT = 4
SECRET = "sk-test-0451"


class Shop:
    """Counts what reached it; ``executor`` may be set to note where calls came from."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, list[object], dict[str, object]]] = []
        self.places: list[tuple[int, int] | None] = []
        self.executor: SandboxExecutor | None = None
        self.basket: dict[str, int] = {}
        self.waited = 0.0
        self.rows = [dict(row) for row in PRODUCTS]
        self._tools: dict[str, Callable[..., object]] = {
            "search_products": self._search_products,
            "list_products": self._list_products,
            "get_product": self._get_product,
            "view_basket": self._view_basket,
            "remove_from_basket": self._remove_from_basket,
            "apply_coupon": self._apply_coupon,
            "add_to_basket": self._add_to_basket,
            "checkout": self._checkout,
            "echo": self._echo,
            "our_bug": self._our_bug,
            "press_ctrl_c": self._press_ctrl_c,
        }
        self.signatures = {
            name: inspect.signature(tool, eval_str=True) for name, tool in self._tools.items()
        }

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._tools)

    def call(self, name: str, args: list[object], kwargs: dict[str, object]) -> object:
        self.calls.append((name, args, kwargs))
        self.places.append(self.executor.position if self.executor else None)
        return self._tools[name](*args, **kwargs)

    def called(self) -> list[str]:
        return [name for name, _, _ in self.calls]

    def _search_products(self, query: str = "", limit: int = 10) -> object:
        found = [row for row in self.rows if query.lower() in str(row["name"]).lower()]
        return {"products": found[:limit]}

    def _get_product(self, sku: str) -> object:
        for row in self.rows:
            if row["sku"] == sku:
                return row
        raise ToolFault(f"no such product: {sku}", kind="KeyError")

    def _add_to_basket(self, sku: str, quantity: int = 1) -> object:
        if type(quantity) is not int or not 0 < quantity < 1000:
            raise ToolFault("quantity must be a whole number from 1 to 999")
        self.basket[sku] = self.basket.get(sku, 0) + quantity
        return {"items": sum(self.basket.values())}

    def _list_products(self, offset: int = 0, limit: int = 10) -> object:
        if limit > PAGE_LIMIT:
            raise ToolFault(f"page limit exceeded: {limit} > {PAGE_LIMIT}")
        end = offset + limit
        return {
            "products": self.rows[offset:end],
            "next_offset": end if end < len(self.rows) else -1,
        }

    def _view_basket(self) -> object:
        prices = {str(row["sku"]): row["price"] for row in PRODUCTS}
        items = [
            {"sku": sku, "quantity": quantity, "price": prices[sku]}
            for sku, quantity in self.basket.items()
        ]
        subtotal = sum(int(str(prices[sku])) * n for sku, n in self.basket.items())
        return {"items": items, "subtotal": subtotal}

    def _remove_from_basket(self, sku: str) -> object:
        if sku not in self.basket:
            raise ToolFault(f"not in the basket: {sku}", kind="KeyError")
        del self.basket[sku]
        return self._view_basket()

    def _apply_coupon(self, code: str) -> object:
        if code not in COUPONS:
            raise ToolFault(f"unknown coupon: {code}")
        return {"discount": COUPONS[code], "code": code}

    def _checkout(self) -> object:
        raise ToolFault("insufficient inventory for p3", kind="RuntimeError")

    def _echo(self, *args: object, **kwargs: object) -> object:
        return [args[0] if args else None, len(args), sorted(kwargs)]

    def _our_bug(self) -> object:
        raise ConnectionResetError(f"https://user:{SECRET}@shop.invalid/")

    def _press_ctrl_c(self) -> object:
        raise KeyboardInterrupt
