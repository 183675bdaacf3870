"""The shop's catalog as the prompt shows it before the first turn: a line for each product."""

from __future__ import annotations

from collections.abc import Sequence

from core.models.prompt_json import compact
from core.models.tokens import count_text
from core.runs.fit import fits
from store_tools.basket import Product

CATALOG_TOKENS = 1_500
"""A real shop has 2 to 24 products, of some 20 tokens each."""
_COLUMNS = '["sku","name",price,stock]'


def catalog_text(catalog: Sequence[Product]) -> tuple[str, list[str]]:
    """The lines of a catalog, and the SKUs of those that are shown.

    Products behind the last that has room are counted. A row is whole or left out. Of an empty
    catalog nothing is shown.
    """
    if not catalog:
        return "", []
    rows: list[str] = []
    skus: list[str] = []
    room = CATALOG_TOKENS
    for product in catalog:
        row = compact([product.sku, product.name, product.price, product.available])
        room -= count_text(row) + 1 if fits(row, room) else room
        if room <= 0:
            break
        rows.append(row)
        skus.append(product.sku)
    left = len(catalog) - len(rows)
    if left:
        heading = f"The first {len(rows)} of the shop's {len(catalog)} products"
        rows.append(f"{left} more are left out here: have them searched by words.")
    else:
        heading = "All products of the shop"
    return "\n".join([f"{heading}, {_COLUMNS}; stock is an estimate:", *rows]), skus
