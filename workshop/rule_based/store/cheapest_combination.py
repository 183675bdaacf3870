"""Reaching a number of units from packs and split stock."""

from __future__ import annotations

import math

import regex

from store_tools.combinations import combinations_for
from store_tools.words import measured_units
from workshop.rule_based.store.facts import Product
from workshop.rule_based.store.grammar import Line
from workshop.rule_based.store.kinds.vocabulary import words
from workshop.rule_based.store.playbook import Playbook
from workshop.rule_based.store.programs import PURCHASE, SIMULATE

MOST_CONTENTS = 120
PACKAGES = frozenset("set pack box kit case bundle carton crate packet multipack pair duo".split())
"""Words in a phrase that say that packages are counted."""
BOXES = frozenset({"box", "case", "crate", "pack", "packet", "carton"})
"""Those that are the good itself where every name has them: an ice pack sold by fours."""

PLAYBOOK = Playbook(
    name="cheapest-combination",
    programs={"simulate": SIMULATE, "purchase": PURCHASE},
)


def counts_units(line: Line, products: list[Product]) -> bool:
    """Whether the asked number means single units rather than packages."""
    if line.counts_packs or line.quantity == 1:
        return False
    said = words(line.phrase)
    if any(regex.fullmatch(r"\d+pk", w) for w in said) or _packages(said, products):
        return False
    sizes = [p.units for p in products]
    return max(sizes) > 1 and line.quantity >= min(sizes)


def _packages(said: tuple[str, ...], products: list[Product]) -> bool:
    """Whether a phrase asks for packages. A hat box sold by fives is none, nor is a kit label."""
    named = set.intersection(*(set(words(p.name)) for p in products))
    return any(w in PACKAGES and not (w in named and (w in BOXES or w != said[-1])) for w in said)


def in_units(line: Line, products: list[Product]) -> list[Product]:
    """The products with the units that the line counts: measures, single pieces or packages."""
    if line.measure:
        sized = [(p, measured_units(p.name, line.measure)) for p in products]
        return [p.model_copy(update={"units": n}) for p, n in sized if n]
    if counts_units(line, products):
        return products
    return [p.model_copy(update={"units": 1}) for p in products]


def unclear_sizes(line: Line, products: list[Product]) -> bool:
    """Whether a name may tell a pack size that was not read: a bare number, a box of unsaid size."""
    if line.counts_packs or line.quantity == 1:
        return False
    if max(p.units for p in products) > 1:
        return any(p.units == 1 and PACKAGES & set(words(p.name)) for p in products)
    shapes = [
        frozenset(w for w in words(p.name) if not w.isdigit())
        for p in products
        if any(w.isdigit() for w in words(p.name))
    ]
    return len(set(shapes)) < len(shapes)


def contents(line: Line, products: list[Product]) -> tuple[list[dict[str, int]], bool]:
    """Every basket with the asked number of units, cheapest first, and whether some were cut."""
    sized = in_units(line, products)
    # In grams or sheets the numbers are large: count in the largest step that fits all.
    step = math.gcd(line.quantity, *(p.units for p in sized)) if line.measure else 1
    offers = [p.model_copy(update={"units": p.units // step}).model_dump() for p in sized]
    targets = [line.quantity // step]
    if line.amount == "at_least":
        largest = max((p["units"] for p in offers), default=1)
        targets = list(range(targets[0], targets[0] + largest))
    rows = []
    cut = False
    for target in targets:
        made = combinations_for(offers, target, MOST_CONTENTS)
        rows += made["combinations"]
        cut = cut or made["cut"]
    rows.sort(key=lambda r: r["subtotal"])
    return [{i["sku"]: i["quantity"] for i in r["items"]} for r in rows], cut
