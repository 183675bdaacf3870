"""Everything of a kind: the whole stock of every product that is one, or one of each."""

from __future__ import annotations

from workshop.rule_based.store.facts import Product
from workshop.rule_based.store.grammar import Line, Order
from workshop.rule_based.store.playbook import Playbook
from workshop.rule_based.store.programs import PURCHASE

PLAYBOOK = Playbook(
    name="whole-category",
    programs={"purchase": PURCHASE},
)


def contents(order: Order, line: Line, products: list[Product]) -> list[dict[str, int]]:
    """The one basket that holds the whole stock, or the asked number of each product."""
    if line.each:
        short = [p for p in products if p.available < line.quantity]
        if short and not order.fewer_ok:
            return []
        pairs = {p.sku: min(line.quantity, p.available) for p in products}
    else:
        pairs = {p.sku: p.available for p in products}
    content = {sku: n for sku, n in pairs.items() if n > 0}
    return [content] if content else []
