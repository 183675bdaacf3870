"""The next step for an order and the facts so far: survey, simulate, purchase or decline."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product as cartesian

from workshop.rule_based.store import (
    best_coupon,
    bundle_coupon,
    cheapest_combination,
    decline,
    ghost_stock,
    whole_category,
)
from workshop.rule_based.store import variant_selection as variants
from workshop.rule_based.store.budget_check import affordable, within_unit_limits
from workshop.rule_based.store.facts import Facts, Product, Row
from workshop.rule_based.store.grammar import Line, Order
from workshop.rule_based.store.playbook import Decline, Step

MOST_BASKETS = 1000
MOST_TRIED = 200
"""With additions; what the task asks for is always tried whole."""
MOST_PRODUCTS = 500
MOST_LISTED_FILLERS = 40
EXPLICIT_CONTENTS = 10

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
            return {"products": offers, "target": self.target}
        return {"contents": [_items(c) for c in self.contents]}


def plan(order: Order, facts: Facts) -> Step | Decline:
    """The next step; the same facts give the same step."""
    refusal = decline.at_sight(order)
    if refusal:
        return refusal
    if not facts.step:
        return _survey(order)
    if facts.step not in ("survey", "simulate", "purchase"):
        return Decline("the worker's last report cannot be read")
    if facts.step == "survey" and facts.error:
        return Decline(f"the shop cannot be looked at: {facts.error}")
    if facts.step == "simulate":
        return _after_simulation(order, facts)
    facts = facts.with_real_stock()
    try:
        lines = variants.settle_lines(order, facts)
        choices = [_line_choice(order, line, facts) for line in lines]
    except variants.Unresolved as reason:
        return Decline(str(reason))
    if order.codes.codes:
        return _simulate(order, facts, choices)
    return _buy_without_codes(order, facts, choices)


def _survey(order: Order) -> Step:
    phrases = variants.queries(order)
    named = ", ".join(f'"{p}"' for p in phrases)
    return Step(
        playbook=variants.PLAYBOOK.name,
        step="survey",
        why=f"Understood: {order.summary()}. First see what the shop has.",
        said=f"Look up each of these in the shop and report all matches with sku, name, price, available and units: {named}.",
        parameters={"queries": phrases, "whole_catalog": _whole_catalog(order)},
    )


def _whole_catalog(order: Order) -> int:
    if any(line.phrase == "*" for line in order.lines):
        return MOST_PRODUCTS
    return MOST_LISTED_FILLERS if order.fillers is not None else 0


def _line_choice(order: Order, line: Line, facts: Facts) -> Choice:
    """The baskets that one line allows; its substitute where the first choice cannot be had.

    A doubt about the first choice does not mean that it cannot be had.
    """
    try:
        return _first_choice(order, line, facts)
    except variants.Doubt:
        raise
    except variants.Unresolved:
        if not line.fallback:
            raise
        return _first_choice(order, line.substitute(), facts)


def _first_choice(order: Order, line: Line, facts: Facts) -> Choice:
    products = within_unit_limits(order, variants.candidates(line, facts))
    if not products:
        raise variants.Unresolved(f"no {line.phrase!r} keeps to the price limit")
    variants.refuse_doubts(order, line, facts)
    if line.amount == "all" or line.each:
        return _whole(order, line, products)
    if line.pick != "any":
        return Choice(variants.PLAYBOOK.name, _picked(order, line, products), products)
    if line.amount == "most" and order.codes.codes:
        raise variants.Unresolved("how many a coupon makes affordable cannot be planned for sure")
    if line.amount == "most":
        return Choice(whole_category.PLAYBOOK.name, [_most(order, line, products)], products)
    if variants.is_open_plural(line, products):
        return _open(order, line, products)
    if _means_one_product(order, line):
        products = variants.best_fit(line, products)
    return _counted(order, line, products)


def _whole(order: Order, line: Line, products: list[Product]) -> Choice:
    budget = order.budget
    if budget and not budget.whole and not budget.per_unit:
        products = [p for p in products if budget.allows(p.price)]
    contents = whole_category.contents(order, line, products)
    if not contents:
        raise variants.Unresolved(f"not every {line.phrase!r} is in stock")
    return Choice(whole_category.PLAYBOOK.name, contents, products)


def _means_one_product(order: Order, line: Line) -> bool:
    """Whether a phrase names one product rather than a kind of which any will do."""
    return order.goal == "none" or line.counts_packs


def _picked(order: Order, line: Line, products: list[Product]) -> list[Content]:
    """Baskets of the cheapest or dearest product; several where prices tie."""
    number = line.quantity if line.amount in ("exact", "up_to", "at_least") else 1
    stocked = [p for p in products if p.available > 0]
    if order.budget and not order.budget.per_unit and not order.codes.codes:
        stocked = [p for p in stocked if order.budget.allows(p.price * number)]
    if not stocked:
        raise variants.Unresolved(f"no {line.phrase!r} is in stock within the limits")
    prices = sorted({p.price for p in stocked}, reverse=line.pick == "dearest")
    if line.rank > len(prices):
        raise variants.Unresolved(f"there are fewer than {line.rank} prices of {line.phrase!r}")
    chosen = [p for p in stocked if p.price == prices[line.rank - 1]]
    enough = [p for p in chosen if p.available >= number]
    if not enough and (order.fewer_ok or line.amount == "up_to"):
        enough, number = chosen, max(p.available for p in chosen)
    if not enough:
        raise variants.Unresolved(f"not enough of the {line.pick} {line.phrase!r}")
    return [{p.sku: min(number, p.available)} for p in enough]


def _most(order: Order, line: Line, products: list[Product]) -> Content:
    """As many units as stock and budget allow, cheapest first."""
    content: Content = {}
    spent = 0
    for offer in sorted(variants.best_fit(line, products), key=lambda p: p.price):
        for _ in range(offer.available):
            after = spent + offer.price
            if order.budget and not order.budget.per_unit and not order.budget.allows(after):
                break
            spent = after
            content[offer.sku] = content.get(offer.sku, 0) + 1
    if not content:
        raise variants.Unresolved(f"no {line.phrase!r} can be had within the limits")
    return content


def _open(order: Order, line: Line, products: list[Product]) -> Choice:
    """Small baskets for "buy sodas with coupon X": which of them the code likes, the shop tells."""
    if order.codes.mode != "any":
        raise variants.Unresolved(f"the task does not say how many {line.phrase!r}")
    singles = [{p.sku: n} for p in products for n in range(1, min(6, p.available) + 1)]
    pairs = [
        {a.sku: 1, b.sku: 1}
        for i, a in enumerate(products)
        for b in products[i + 1 :]
        if a.available and b.available
    ]
    if not singles:
        raise variants.Unresolved(f"no {line.phrase!r} is in stock")
    return Choice(best_coupon.PLAYBOOK.name, [*singles, *pairs], products)


def _counted(order: Order, line: Line, products: list[Product]) -> Choice:
    """Baskets with the asked number of units."""
    if cheapest_combination.unclear_sizes(line, products):
        raise variants.Unresolved(f"how many pieces a package of {line.phrase!r} holds is unclear")
    offers = cheapest_combination.in_units(line, products)
    stock = sum(p.units * max(0, p.available) for p in offers)
    if stock < line.quantity:
        if stock == 0 or not (order.fewer_ok or line.amount == "up_to"):
            raise variants.Unresolved(f"only {stock} of {line.quantity} {line.phrase!r} in stock")
        line = line.model_copy(update={"quantity": stock, "amount": "exact"})
    contents, _ = cheapest_combination.contents(line, products)
    if not contents:
        raise variants.Unresolved(f"no combination gives exactly {line.quantity} {line.phrase!r}")
    free = order.budget and not line.counts_packs
    if len(contents) > 1 and order.goal == "none" and not free and order.codes.mode != "any":
        raise variants.Unresolved(
            f"several products answer {line.phrase!r} and the task does not say which"
        )
    name = cheapest_combination.PLAYBOOK.name if len(contents) > 1 else "plain-purchase"
    # In a measure the baskets are listed: its units are too fine for the worker's generator.
    target = line.quantity if line.amount != "at_least" and not line.measure else None
    return Choice(name, contents, offers, target)


def _simulate(order: Order, facts: Facts, choices: list[Choice]) -> Step:
    wanted = {sku for choice in choices for content in choice.contents for sku in content}
    fillers = bundle_coupon.fillers(order, facts, wanted)
    playbook = (
        bundle_coupon.PLAYBOOK.name if fillers or len(choices) > 1 else best_coupon.PLAYBOOK.name
    )
    count = 1
    for choice in choices:
        count *= len(choice.contents)
    adding = f", also with small additions of {len(fillers)} other products" if fillers else ""
    return Step(
        playbook=playbook,
        step="simulate",
        why=f"{order.summary()}. {min(count, MOST_BASKETS)} allowed baskets{adding}; the shop must show which code pays.",
        said=(
            f"Try the coupons {', '.join(order.codes.codes)} (and none) on every basket of the parameters{adding}. "
            "Report the cheapest results with items, coupon, subtotal, discount and total, and the errors. Buy nothing."
        ),
        parameters={
            "groups": [c.group() for c in choices],
            "coupons": list(order.codes.codes),
            "fillers": [p.model_dump(include={"sku", "price", "available"}) for p in fillers],
            "dollars": bundle_coupon.MOST_DOLLARS,
            "most": MOST_BASKETS,
            "tried": MOST_TRIED,
            "every": best_coupon.needs_all(order),
        },
    )


def _after_simulation(order: Order, facts: Facts) -> Step | Decline:
    if not facts.rows:
        return Decline(f"no allowed basket could be set up {facts.error}".strip())
    if facts.cut and order.goal != "none":
        return Decline("there are more baskets than can be tried, so the best is not known")
    row = best_coupon.choose(order, facts.rows)
    if isinstance(row, Decline):
        return row
    dead = f" Codes without effect: {', '.join(facts.dead_codes)}." if facts.dead_codes else ""
    return _purchase(order, facts, row, f"Best of the tried baskets.{dead}")


def _buy_without_codes(order: Order, facts: Facts, choices: list[Choice]) -> Step | Decline:
    price = {p.sku: p.price for choice in choices for p in choice.products}
    rows = []
    for parts in list(cartesian(*(c.contents for c in choices)))[: MOST_BASKETS * 10]:
        content: Content = {}
        for part in parts:
            for sku, number in part.items():
                content[sku] = content.get(sku, 0) + number
        total = sum(price[sku] * number for sku, number in content.items())
        rows.append(
            Row(items=tuple(content.items()), coupon="", subtotal=total, discount=0, total=total)
        )
    whole_stock = [c for c in choices if c.playbook == whole_category.PLAYBOOK.name]
    unit_limit = order.budget and not order.budget.whole and whole_stock
    fitting = rows if unit_limit else affordable(order, rows)
    if not fitting:
        cheapest = min(r.total for r in rows)
        return Decline(
            f"the cheapest basket that answers the task costs ${cheapest}, over the limit"
        )
    row = min(fitting, key=lambda r: (r.total, len(r.items)))
    return _purchase(order, facts, row, f"By {'/'.join(sorted({c.playbook for c in choices}))}.")


def _purchase(order: Order, facts: Facts, row: Row, why: str) -> Step | Decline:
    items = [{"sku": sku, "quantity": number} for sku, number in row.items]
    if ghost_stock.repeats(facts, items):
        return Decline(f"checkout refuses this basket and nothing else fits: {facts.error}")
    shown = ", ".join(f"{n} x {sku}" for sku, n in row.items)
    code = f" with coupon {row.coupon}" if row.coupon else " without coupon"
    name = ghost_stock.PLAYBOOK.name if facts.error else "plain-purchase"
    return Step(
        playbook=name,
        step="purchase",
        why=f"{order.summary()}. {why} Buy {shown}{code} for ${row.total}.",
        said=(
            f"Set the basket to exactly {shown}{code}, then check out once with expected total {row.total}. If it is "
            "refused, empty the basket and report the error and the stock that the shop lists now."
        ),
        parameters={
            "items": items,
            "coupon": row.coupon,
            "expected_total": row.total,
            "queries": variants.queries(order),
            "whole_catalog": _whole_catalog(order),
        },
    )


def _items(content: Content) -> list[dict[str, object]]:
    return [{"sku": sku, "quantity": number} for sku, number in content.items()]
