"""Reaching a number of units from packs and split stock."""

from __future__ import annotations

import regex

from playbooks.facts import Product
from playbooks.grammar import Line
from playbooks.playbook import Playbook
from store_tools.combinations import combinations_for
from store_tools.words import words

MOST_CONTENTS = 120

PLAYBOOK = Playbook(
    name="cheapest-combination",
    trigger="N units where packs or several products can be mixed, cheapest wanted",
    prose=(
        "Count units, not packages. Generate all combinations within stock that give exactly N units, try each "
        "with every coupon, then buy the lowest total."
    ),
)


def counts_units(line: Line, products: list[Product]) -> bool:
    """Whether the asked number means single units rather than packages."""
    if line.counts_packs or line.quantity == 1:
        return False
    if any(regex.fullmatch(r"\d+pk", w) for w in words(line.phrase)):
        return False
    sizes = [p.units for p in products]
    return max(sizes) > 1 and line.quantity >= min(sizes)


def in_units(line: Line, products: list[Product]) -> list[Product]:
    """The products with one unit a package where the line counts packages."""
    if counts_units(line, products):
        return products
    return [p.model_copy(update={"units": 1}) for p in products]


def contents(line: Line, products: list[Product]) -> tuple[list[dict[str, int]], bool]:
    """Every basket with the asked number of units, cheapest first, and whether some were cut."""
    offers = [p.model_dump() for p in in_units(line, products)]
    targets = [line.quantity]
    if line.amount == "at_least":
        largest = max((p["units"] for p in offers), default=1)
        targets = list(range(line.quantity, line.quantity + largest))
    rows = []
    cut = False
    for target in targets:
        made = combinations_for(offers, target, MOST_CONTENTS)
        rows += made["combinations"]
        cut = cut or made["cut"]
    rows.sort(key=lambda r: r["subtotal"])
    return [{i["sku"]: i["quantity"] for i in r["items"]} for r in rows], cut
