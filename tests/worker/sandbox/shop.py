"""A small shop behind the tool protocol, with every way of failing that the tests need."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from ledger.fault import ToolFault
from worker.sandbox import SandboxExecutor

PRODUCTS = [
    {"sku": "p1", "name": "Soda 6pk", "price": 12, "available": 4},
    {"sku": "p2", "name": "Soda 24pk", "price": 40, "available": 2},
    {"sku": "p3", "name": "Water", "price": 3, "available": 0},
]
SECRET = "sk-test-0451"


class Shop:
    """Counts what reached it; ``executor`` may be set to note where calls came from."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, list[object], dict[str, object]]] = []
        self.places: list[tuple[int, int] | None] = []
        self.executor: SandboxExecutor | None = None
        self.basket: dict[str, int] = {}
        self.rows = [dict(row) for row in PRODUCTS]
        self._tools: dict[str, Callable[..., object]] = {
            "search_products": self._search_products,
            "get_product": self._get_product,
            "add_to_basket": self._add_to_basket,
            "checkout": self._checkout,
            "echo": self._echo,
            "our_bug": self._our_bug,
            "press_ctrl_c": self._press_ctrl_c,
        }
        self.signatures = {name: inspect.signature(tool) for name, tool in self._tools.items()}

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

    def _checkout(self) -> object:
        raise ToolFault("insufficient inventory for p3", kind="RuntimeError")

    def _echo(self, *args: object, **kwargs: object) -> object:
        return [args[0] if args else None, len(args), sorted(kwargs)]

    def _our_bug(self) -> object:
        raise ConnectionResetError(f"https://user:{SECRET}@shop.invalid/")

    def _press_ctrl_c(self) -> object:
        raise KeyboardInterrupt
