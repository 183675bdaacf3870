"""Order lines as prompts show them: ``sku×n``, with a price behind it ``sku×2 at 15``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_LINE = ({"sku", "quantity"}, {"sku", "quantity", "price"})


def order_lines(entries: Sequence[Any]) -> list[str] | None:
    """The texts of a list of ``{sku, quantity}``; None for any other list."""
    if not entries or not all(isinstance(e, dict) and e.keys() in _LINE for e in entries):
        return None
    prices = [f" at {e['price']}" if "price" in e else "" for e in entries]
    return [f"{e['sku']}×{e['quantity']}{price}" for e, price in zip(entries, prices, strict=True)]


def read_line(text: str) -> tuple[str, int] | None:
    """SKU and quantity of a text that :func:`order_lines` wrote, or None for another text."""
    sku, _, rest = text.rpartition("×")
    number = rest.split(" at ")[0].strip()
    return (sku.strip(), int(number)) if sku.strip() and number.isdecimal() else None
