"""Mechanics of coupons: best of several, dead, demanded, together, additions that pay or not."""

from __future__ import annotations

from typing import Any

from workshop.generators.store.bench import Good, TaskBuilder
from workshop.generators.store.draft import Draft, named, of_kind
from workshop.generators.store.level import between, chance
from workshop.generators.store.mechanics.choices import around
from workshop.generators.store.mechanics.goods import bought, refused, rivals, siblings
from workshop.generators.store.oracle.answer import Answer

_HELPFUL: dict[str, Any] = {"rule": "may", "goal": "cheapest", "extras": "none"}
"""Codes that may be used where they help."""
MOST_GAP = 14
"""Dollars that additions must make up for a subtotal: few enough to try every combination."""


def discounted(answer: Answer) -> bool:
    """Whether the best purchase uses a coupon."""
    return any(purchase.discount for purchase in answer.purchases)


def _order(bench: TaskBuilder, most_lines: int = 1, **terms: Any) -> Draft:
    """Named products with some of their siblings, on these terms."""
    lines = []
    for _ in range(between(bench.rng, (1, most_lines))):
        good = bench.good(bench.kind())
        lines.append(named(good, between(bench.rng, (1, min(5, bench.level.pieces[1])))))
        if chance(bench.rng, 60):
            siblings(bench, good)
    return Draft(lines, **terms)


def _subtotal(bench: TaskBuilder, draft: Draft) -> int:
    wants = (line.want for line in draft.lines)
    return sum(bench.goods[w.choices[0].sku].price * (w.quantity or 1) for w in wants)


def _working(bench: TaskBuilder, draft: Draft) -> str:
    """A coupon that fits the order: on a product, by percent, or from a subtotal that is met."""
    subtotal = _subtotal(bench, draft)
    line = bench.rng.choice(draft.lines)
    needs = {line.want.choices[0].sku: between(bench.rng, (1, line.quantity))}
    amount = max(1, subtotal * between(bench.rng, (5, 30)) // 100)
    case = bench.rng.randrange(4)
    if case == 0:
        return bench.coupon(amount=amount, requires=needs)
    if case == 1:
        # At least one dollar off: a percent is rounded down.
        return bench.coupon(percent=max(-(-100 // subtotal), between(bench.rng, (5, 30))))
    if case == 2:
        return bench.coupon(amount=amount, min_subtotal=subtotal - bench.rng.randrange(2) * 3)
    return bench.coupon(percent=max(-(-100 // subtotal), 10), requires=needs)


def _dead(bench: TaskBuilder, draft: Draft) -> str:
    """A coupon that does not fit the order: dead, for more pieces, another product, more money."""
    subtotal = _subtotal(bench, draft)
    line = bench.rng.choice(draft.lines)
    amount = max(1, subtotal * between(bench.rng, (15, 60)) // 100)
    case = bench.rng.randrange(4)
    if case == 0:
        return bench.coupon()
    if case == 1:
        needs = {line.want.choices[0].sku: line.quantity + between(bench.rng, (1, 3))}
        return bench.coupon(amount=amount, requires=needs)
    if case == 2:
        other = bench.good(bench.kind())
        return bench.coupon(amount=amount, requires={other.sku: 1})
    return bench.coupon(percent=20, min_subtotal=subtotal + between(bench.rng, (1, 25)))


def best_coupon(bench: TaskBuilder) -> Draft:
    """One named product and several codes of different kinds, some dead or unknown."""
    draft = _order(bench, **_HELPFUL, accept=discounted)
    number = between(bench.rng, bench.level.codes)
    draft.codes = [_working(bench, draft)]
    for _ in range(number - 1):
        maker = bench.rng.choice((_working, _dead, _unknown))
        draft.codes.append(maker(bench, draft))
    draft.by_discount = chance(bench.rng, 50)
    bench.rng.shuffle(draft.codes)
    return draft


def _unknown(bench: TaskBuilder, draft: Draft) -> str:
    return bench.code()


def coupon_list(bench: TaskBuilder) -> Draft:
    """A list of products and several codes, of which some or none help."""
    draft = _order(bench, 3, **_HELPFUL, accept=bought)
    for _ in range(between(bench.rng, bench.level.codes)):
        maker = bench.rng.choice((_working, _working, _dead, _dead, _unknown))
        draft.codes.append(maker(bench, draft))
    return draft


def coupon_unknown(bench: TaskBuilder) -> Draft:
    """A demanded code that the shop does not know."""
    draft = _order(bench, 2, rule="must", accept=refused)
    draft.codes = [bench.code()]
    if chance(bench.rng, 60):
        _working(bench, draft)
    return _said(bench, draft)


def coupon_dead(bench: TaskBuilder) -> Draft:
    """A demanded code that takes nothing off this order."""
    draft = _order(bench, 2, rule="must", extras="none", accept=refused)
    draft.codes = [_dead(bench, draft)]
    return _said(bench, draft)


def coupon_works(bench: TaskBuilder) -> Draft:
    """A demanded code that takes something off."""
    draft = _order(bench, 3, rule="must", accept=discounted)
    draft.codes = [_working(bench, draft)]
    return _said(bench, draft)


def _said(bench: TaskBuilder, draft: Draft) -> Draft:
    draft.no_discount_no_order = chance(bench.rng, 50)
    return draft


def coupons_together(bench: TaskBuilder) -> Draft:
    """Two codes on the same order: the shop takes one."""
    draft = _order(bench, 2, rule="together", accept=refused)
    draft.codes = [_working(bench, draft), _working(bench, draft)]
    return draft


def either_coupon(bench: TaskBuilder) -> Draft:
    """One of two codes must take something off; whichever saves more."""
    draft = _order(bench, 2, rule="must", goal="cheapest", extras="none")
    makers = bench.rng.choice(((_working, _working), (_working, _dead), (_dead, _dead)))
    draft.codes = [maker(bench, draft) for maker in makers]
    bench.rng.shuffle(draft.codes)
    draft.no_discount_no_order = True
    return draft


def coupon_fallback(bench: TaskBuilder) -> Draft:
    """A code to try, and to buy at full price where it does not work."""
    draft = _order(bench, 2, **_HELPFUL, buy_anyway=True, accept=bought)
    draft.codes = [bench.rng.choice((_working, _dead, _unknown))(bench, draft)]
    return draft


def coupon_forbidden(bench: TaskBuilder) -> Draft:
    """A code that works and that the customer does not want to be used."""
    draft = _order(bench, 2, accept=bought)
    draft.shunned = _working(bench, draft)
    return draft


def budget_coupon(bench: TaskBuilder) -> Draft:
    """A limit that holds after the discount: met to the dollar, or missed by one."""
    draft = _order(bench, 2, **_HELPFUL)
    draft.rule = bench.rng.choice(("may", "must"))
    draft.codes = [_working(bench, draft)]
    if draft.rule == "may":
        draft.codes.append(_working(bench, draft))
    return around(bench, draft, fits=chance(bench.rng, 50))


def bundle(bench: TaskBuilder) -> Draft:
    """A set with a code for all its parts; at times a part is gone at checkout."""
    kit = bench.rng.choice(bench.trade.kits)
    goods = [bench.good(bench.use(kind)) for kind in kit.parts]
    for kind in kit.parts:
        if chance(bench.rng, bench.level.near_chance // 2):
            bench.near(kind)
    lines = [of_kind(g.kind, [g], "one") for g in goods if g.kind]
    draft = Draft(lines, kit=kit.name, rule="must")
    needs = {good.sku: 1 for good in goods}
    total = sum(good.price for good in goods)
    if chance(bench.rng, 50):
        draft.codes = [bench.coupon(amount=max(2, total // 6), requires=needs)]
    else:
        draft.codes = [bench.coupon(percent=between(bench.rng, (8, 25)), requires=needs)]
    case = bench.rng.randrange(3)
    draft.accept = discounted if case == 0 else refused
    if case == 1:
        good = bench.change(bench.rng.choice(goods), stock=between(bench.rng, (1, 3)))
        bench.haunt(good, 0)
    elif case == 2:
        bench.coupons[-1]["requires"][goods[0].sku] = 2
    return draft


def coupon_choice(bench: TaskBuilder) -> Draft:
    """Any one of a kind for the lowest price after coupons that fit some products only."""
    kind = bench.kind()
    goods = rivals(bench, kind)
    draft = Draft([of_kind(kind, goods, "one")], goal="cheapest", rule="may", extras="none")
    for _ in range(between(bench.rng, bench.level.codes)):
        good = bench.rng.choice(goods)
        amount = max(1, good.price * between(bench.rng, (10, 60)) // 100)
        case = bench.rng.randrange(4)
        if case < 2:
            code = bench.coupon(amount=amount, requires={good.sku: 1})
        elif case == 2:
            code = bench.coupon(percent=between(bench.rng, (5, 35)), min_subtotal=good.price)
        else:
            code = bench.coupon()
        draft.codes.append(code)
    draft.accept = discounted
    return draft


def filler_pays(bench: TaskBuilder) -> Draft:
    """An addition that unlocks a coupon and makes the order cheaper."""
    draft, addition = _with_additions(bench)
    saving = addition.price + between(bench.rng, (1, 25))
    skus = _unlocked(bench, draft, addition, saving, (1, min(addition.price, MOST_GAP)))
    draft.accept = lambda answer: (
        discounted(answer)
        and all({sku for sku, _ in p.items} > skus for p in answer.purchases)
        and all(purchase.total > 0 for purchase in answer.purchases)
    )
    return draft


def filler_idle(bench: TaskBuilder) -> Draft:
    """Additions that unlock coupons and cost as much as they save, or more."""
    draft, addition = _with_additions(bench)
    saving = max(1, addition.price - between(bench.rng, (1, 5)))
    skus = _unlocked(bench, draft, addition, saving, (saving, MOST_GAP + saving))
    draft.accept = lambda answer: (
        bought(answer) and all({sku for sku, _ in p.items} == skus for p in answer.purchases)
    )
    return draft


def _with_additions(bench: TaskBuilder) -> tuple[Draft, Good]:
    """A named product, a coupon or none on it, and a product that could be added."""
    bench.keep_small()
    draft = _order(bench, rule="may", goal="cheapest", extras="allowed")
    good = bench.goods[draft.lines[0].want.choices[0].sku]
    assert good.kind is not None
    most = min(40, max(5, good.price // 3))
    addition = bench.accessory(good.kind, between(bench.rng, (4, most)))
    if chance(bench.rng, 60):
        amount = between(bench.rng, (1, max(2, good.price // 8)))
        draft.codes.append(bench.coupon(amount=amount, requires={good.sku: 1}))
    return draft, addition


def _unlocked(
    bench: TaskBuilder, draft: Draft, addition: Good, saving: int, gap: tuple[int, int]
) -> set[str]:
    """Offer a coupon for the addition, or from a subtotal with such a gap; the wanted products."""
    skus = {line.want.choices[0].sku for line in draft.lines}
    if chance(bench.rng, 60):
        needs = {sku: 1 for sku in (*skus, addition.sku)}
        code = bench.coupon(amount=saving, requires=needs)
    else:
        least = _subtotal(bench, draft) + between(bench.rng, gap)
        code = bench.coupon(amount=saving, min_subtotal=least)
        draft.hints[code] = f"for orders from ${least}"
    draft.codes.append(code)
    bench.rng.shuffle(draft.codes)
    return skus
