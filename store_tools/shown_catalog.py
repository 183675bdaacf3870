"""The shop's catalog as the prompt shows it before the first turn: a line for each product."""

from __future__ import annotations

from collections.abc import Sequence

from core.models.prompt_json import compact
from core.models.tokens import count_text
from core.runs.fit import fits
from store_tools.basket import Product

CATALOG_TOKENS = 1_500
"""A real shop has 2 to 24 products, of some 20 tokens each."""


def catalog_text(catalog: Sequence[Product]) -> tuple[str, list[str]]:
    """The lines of a catalog, and the SKUs of those that are shown.

    Rows behind the last that has room are counted. Of an empty catalog nothing is shown.
    """
    if not catalog:
        return "", []
    rows: dict[str, str] = {}
    room = CATALOG_TOKENS
    for product in catalog:
        row = compact([product.sku, product.name, product.price, product.available])
        if not fits(row, room - 1):
            break
        room -= count_text(row) + 1
        rows[product.sku] = row
    count, behind = "All", []
    if left := len(catalog) - len(rows):
        count = f"{len(rows)} of {len(catalog)}"
        behind = [f"{left} more are left out here: have them searched by words."]
    heading = f'{count} products of the shop, ["sku","name",price,stock]; stock is an estimate:'
    return "\n".join([heading, *rows.values(), *behind]), list(rows)
