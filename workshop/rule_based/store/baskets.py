"""The baskets that a line of an order allows, and the additions that an order allows beside them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations

import regex

from store_tools.combinations import combinations_for
from store_tools.words import measured_units
from workshop.rule_based.store import matching
from workshop.rule_based.store.facts import Facts, Product
from workshop.rule_based.store.grammar.order import Line, Order
from workshop.rule_based.store.kinds.lexicon import words
from workshop.rule_based.store.matching import Unresolved

MOST_CONTENTS = 120
PACKAGES = frozenset("set pack box kit case bundle carton crate packet multipack pair duo".split())
"""Words in a phrase that say that packages are counted."""
BOXES = frozenset({"box", "case", "crate", "pack", "packet", "carton"})
"""Those that are the good itself where every name has them: an ice pack sold by fours."""

EXPLICIT_CONTENTS = 10
MOST_FILLERS = 40
MOST_DOLLARS = 40
"""Additions are tried for every sum of dollars up to this, should a code ask for a subtotal."""

Content = dict[str, int]


@dataclass
class Choice:
    """What one line allows: the baskets, or how to generate them."""

    playbook: str
    contents: list[Content]
    products: list[Product]
    target: int | None = None
    """Units to reach, where the worker can generate the baskets by itself."""

    def group(self) -> dict[str, object]:
        """The choice as a parameter of the simulation."""
        if self.target is not None and len(self.contents) > EXPLICIT_CONTENTS:
            offers = [
                p.model_dump(include={"sku", "price", "available", "units"}) for p in self.products
            ]
            return {"contents": [], "products": offers, "target": self.target}
        return {"contents": [item_rows(c) for c in self.contents], "products": []}


def item_rows(content: Content) -> list[dict[str, object]]:
    """Return a basket's items as tools take them."""
    return [{"sku": sku, "quantity": number} for sku, number in content.items()]


def choose_baskets(order: Order, line: Line, facts: Facts) -> Choice:
    """The baskets that one line allows; its substitute where the first choice cannot be had.

    A doubt about the first choice does not mean that it cannot be had.
    """
    try:
        return _first_choice(order, line, facts)
    except matching.Doubt:
        raise
    except Unresolved:
        if not line.fallback:
            raise
        return _first_choice(order, line.substitute(), facts)


def _first_choice(order: Order, line: Line, facts: Facts) -> Choice:
    products = matching.candidates(line, facts)
    matching.refuse_doubts(order, line, facts)
    if line.amount == "all" or line.each:
        return _whole(order, line, products)
    if line.pick != "any":
        return Choice("variant-selection", _picked(order, line, products), products)
    if line.amount == "most":
        if order.codes.codes:
            raise Unresolved("how many a coupon makes affordable cannot be planned for sure")
        return Choice("whole-category", [_most(order, line, products)], products)
    if matching.is_open_plural(line, products):
        return _open(order, line, products)
    if order.goal == "none" or line.counts_packs:
        # The phrase names one product rather than a kind of which any will do.
        products = matching.best_fit(line, products)
    return _counted(order, line, products)


def _whole(order: Order, line: Line, products: list[Product]) -> Choice:
    """The one basket that holds the whole stock, or the asked number of each product."""
    content = {
        p.sku: min(line.quantity, p.available) if line.each else p.available
        for p in products
        if p.available > 0
    }
    short = line.each and any(p.available < line.quantity for p in products)
    if not content or (short and not order.fewer_ok):
        raise Unresolved(f"not every {line.phrase!r} is in stock")
    return Choice("whole-category", [content], products)


def _picked(order: Order, line: Line, products: list[Product]) -> list[Content]:
    """Baskets of the cheapest or dearest product; several where prices tie."""
    number = line.quantity if line.amount in ("exact", "up_to", "at_least") else 1
    # With coupons only the shop can tell what keeps to the limit.
    stocked = [
        p
        for p in products
        if p.available > 0 and (order.codes.codes or order.affords(p.price * number))
    ]
    if not stocked:
        raise Unresolved(f"no {line.phrase!r} is in stock within the limits")
    price = (min if line.pick == "cheapest" else max)(p.price for p in stocked)
    chosen = [p for p in stocked if p.price == price]
    if order.fewer_ok or line.amount == "up_to":
        number = min(number, max(p.available for p in chosen))
    enough = [p for p in chosen if p.available >= number]
    if not enough:
        raise Unresolved(f"not enough of the {line.pick} {line.phrase!r}")
    return [{p.sku: number} for p in enough]


def _most(order: Order, line: Line, products: list[Product]) -> Content:
    """As many units as stock and budget allow, cheapest first."""
    content: Content = {}
    spent = 0
    for offer in sorted(matching.best_fit(line, products), key=lambda p: p.price):
        for _ in range(offer.available):
            after = spent + offer.price
            if not order.affords(after):
                break
            spent = after
            content[offer.sku] = content.get(offer.sku, 0) + 1
    if not content:
        raise Unresolved(f"no {line.phrase!r} can be had within the limits")
    return content


def _open(order: Order, line: Line, products: list[Product]) -> Choice:
    """Small baskets for "buy sodas with coupon X": which of them the code likes, the shop tells."""
    if order.codes.mode != "any":
        raise Unresolved(f"the task does not say how many {line.phrase!r}")
    singles = [{p.sku: n} for p in products for n in range(1, min(6, p.available) + 1)]
    pairs = [
        {a.sku: 1, b.sku: 1}
        for i, a in enumerate(products)
        for b in products[i + 1 :]
        if a.available and b.available
    ]
    if not singles:
        raise Unresolved(f"no {line.phrase!r} is in stock")
    return Choice("best-coupon", [*singles, *pairs], products)


def _counted(order: Order, line: Line, products: list[Product]) -> Choice:
    if _unclear_sizes(line, products):
        raise Unresolved(f"how many pieces a package of {line.phrase!r} holds is unclear")
    offers = _in_units(line, products)
    stock = sum(p.units * max(0, p.available) for p in offers)
    if stock < line.quantity:
        if stock == 0 or not (order.fewer_ok or line.amount == "up_to"):
            raise Unresolved(f"only {stock} of {line.quantity} {line.phrase!r} in stock")
        line = replace(line, quantity=stock, amount="exact")
        offers = _in_units(line, products)
    contents = _contents(line, offers)
    if not contents:
        raise Unresolved(f"no combination gives exactly {line.quantity} {line.phrase!r}")
    free = order.budget and not line.counts_packs
    if len(contents) > 1 and order.goal == "none" and not free and order.codes.mode != "any":
        raise Unresolved(f"several products answer {line.phrase!r} and the task does not say which")
    name = "cheapest-combination" if len(contents) > 1 else "plain-purchase"
    # In a measure the baskets are listed: its units are too fine for the worker's generator.
    target = line.quantity if line.amount != "at_least" and not line.measure else None
    return Choice(name, contents, offers, target)


def _in_units(line: Line, products: list[Product]) -> list[Product]:
    """The products with the units that the line counts: measures, single pieces or packages."""
    if line.measure:
        sized = [(p, measured_units(p.name, line.measure)) for p in products]
        return [p.model_copy(update={"units": n}) for p, n in sized if n]
    sizes = [p.units for p in products]
    if (
        not line.counts_packs
        and line.quantity > 1
        and max(sizes) > 1
        and line.quantity >= min(sizes)
        and not _asks_for_packages(words(line.phrase), products)
    ):
        return products
    return [p.model_copy(update={"units": 1}) for p in products]


def _asks_for_packages(asked: tuple[str, ...], products: list[Product]) -> bool:
    """Whether a phrase asks for packages. A hat box sold by fives is none, nor is a kit label."""
    if any(regex.fullmatch(r"\d+pk", w) for w in asked):
        return True
    named = set.intersection(*(set(words(p.name)) for p in products))
    return any(w in PACKAGES and not (w in named and (w in BOXES or w != asked[-1])) for w in asked)


def _unclear_sizes(line: Line, products: list[Product]) -> bool:
    """Whether a name may tell a pack size that was not read: a bare number, a box of unsaid size."""
    if line.counts_packs or line.quantity == 1:
        return False
    names = [words(p.name) for p in products]
    if max(p.units for p in products) > 1:
        return any(
            p.units == 1 and PACKAGES.intersection(name)
            for p, name in zip(products, names, strict=True)
        )
    numbered = [name for name in names if any(w.isdigit() for w in name)]
    shapes = {frozenset(w for w in name if not w.isdigit()) for name in numbered}
    return len(shapes) < len(numbered)


def _contents(line: Line, sized: list[Product]) -> list[Content]:
    """Every basket with the asked number of units, cheapest first."""
    # In grams or sheets the numbers are large: count in the largest step that fits all.
    step = math.gcd(line.quantity, *(p.units for p in sized)) if line.measure else 1
    offers = [p.model_copy(update={"units": p.units // step}).model_dump() for p in sized]
    targets = [line.quantity // step]
    if line.amount == "at_least":
        largest = max((p["units"] for p in offers), default=1)
        targets = list(range(targets[0], targets[0] + largest))
    searches = [combinations_for(offers, target, MOST_CONTENTS) for target in targets]
    rows = sorted(
        (row for one in searches for row in one["combinations"]), key=lambda r: r["subtotal"]
    )
    return [{i["sku"]: i["quantity"] for i in r["items"]} for r in rows]


def select_fillers(order: Order, facts: Facts, wanted: set[str]) -> list[Product]:
    """Products that the order allows as additions, cheapest first, those it names before others."""
    if order.fillers is None:
        return []
    named = [p for phrase in order.fillers for p in facts.found(phrase).matches]
    pool = named or list(facts.catalog)
    fresh = {p.sku: p for p in pool if p.sku not in wanted and p.available > 0}
    return sorted(fresh.values(), key=lambda p: p.price)[:MOST_FILLERS]


def additions(fillers: list[Product]) -> list[list[int]]:
    """Small additions, each as positions among the fillers, which are sorted by price.

    One of each, the fewest pieces for every sum of dollars, several of one, mixes of the cheapest.
    """
    sums: dict[int, list[int]] = {0: []}
    for dollars in range(1, MOST_DOLLARS + 1):
        ways = [
            [*rest, i]
            for i, filler in enumerate(fillers)
            if (rest := sums.get(dollars - filler.price)) is not None
            and rest.count(i) < filler.available
        ]
        if ways:
            sums[dollars] = min(ways, key=len)
    several = [[i] * n for i, f in enumerate(fillers) for n in (2, 3) if n <= f.available]
    mixed = [
        [i for i, n in zip(group, counts, strict=True) for _ in range(n)]
        for counts in ((1, 1), (1, 2), (2, 1), (1, 1, 1))
        for group in combinations(range(len(fillers[:8])), len(counts))
        if all(n <= fillers[i].available for i, n in zip(group, counts, strict=True))
    ]
    mixed.sort(key=lambda way: sum(fillers[i].price for i in way))
    singles = [[i] for i in range(len(fillers))]
    return [*singles, *(way for way in sums.values() if len(way) > 1), *several, *mixed]
