"""Mechanics of coupons: best of several, dead, demanded, together, additions that pay or not."""

from __future__ import annotations

from typing import Any

from workshop.generators.store.builder import CODES, MOST_PIECES, NEAR_CHANCE, Good, ShopBuilder
from workshop.generators.store.draft import Draft, of_kind
from workshop.generators.store.mechanics.choices import around
from workshop.generators.store.mechanics.goods import (
    bought,
    refused,
    rivals,
    shopping_list,
)
from workshop.generators.store.oracle.solve import BestPurchases

_HELPFUL: dict[str, Any] = {"rule": "may", "goal": "cheapest", "extras": "none"}
"""Codes that may be used where they help."""
MOST_GAP = 14
"""Dollars that additions must make up for a subtotal: few enough to try every combination."""


def discounted(answer: BestPurchases) -> bool:
    """Whether the best purchase uses a coupon."""
    return any(purchase.discount for purchase in answer.purchases)


def _order(builder: ShopBuilder, most_lines: int = 1, **terms: Any) -> Draft:
    """Named products with some of their siblings, on these terms."""
    pieces = 1, min(5, MOST_PIECES)
    return Draft(shopping_list(builder, builder.between(1, most_lines), pieces, 60), **terms)


def _subtotal(builder: ShopBuilder, draft: Draft) -> int:
    wants = (line.want for line in draft.lines)
    return sum(builder.goods[w.sku].price * (w.quantity or 1) for w in wants)


def _working(builder: ShopBuilder, draft: Draft) -> str:
    """A coupon that fits the order: on a product, by percent, or from a subtotal that is met."""
    subtotal = _subtotal(builder, draft)
    line = builder.rng.choice(draft.lines)
    needs = {line.want.sku: builder.between(1, line.quantity)}
    amount = max(1, subtotal * builder.between(5, 30) // 100)
    case = builder.rng.randrange(4)
    if case == 0:
        return builder.coupon(amount=amount, requires=needs)
    if case == 1:
        # At least one dollar off: a percent is rounded down.
        return builder.coupon(percent=max(-(-100 // subtotal), builder.between(5, 30)))
    if case == 2:
        return builder.coupon(amount=amount, min_subtotal=subtotal - builder.rng.randrange(2) * 3)
    return builder.coupon(percent=max(-(-100 // subtotal), 10), requires=needs)


def _dead(builder: ShopBuilder, draft: Draft) -> str:
    """A coupon that does not fit the order: dead, for more pieces, another product, more money."""
    subtotal = _subtotal(builder, draft)
    line = builder.rng.choice(draft.lines)
    amount = max(1, subtotal * builder.between(15, 60) // 100)
    case = builder.rng.randrange(4)
    if case == 0:
        return builder.coupon()
    if case == 1:
        needs = {line.want.sku: line.quantity + builder.between(1, 3)}
        return builder.coupon(amount=amount, requires=needs)
    if case == 2:
        other = builder.good(builder.kind())
        return builder.coupon(amount=amount, requires={other.sku: 1})
    return builder.coupon(percent=20, min_subtotal=subtotal + builder.between(1, 25))


def best_coupon(builder: ShopBuilder) -> Draft:
    """One named product and several codes of different kinds, some dead or unknown."""
    draft = _order(builder, **_HELPFUL, accept=discounted)
    number = builder.between(*CODES)
    draft.codes = [_working(builder, draft)]
    for _ in range(number - 1):
        maker = builder.rng.choice((_working, _dead, _unknown))
        draft.codes.append(maker(builder, draft))
    draft.by_discount = builder.chance(50)
    builder.rng.shuffle(draft.codes)
    return draft


def _unknown(builder: ShopBuilder, draft: Draft) -> str:
    return builder.code()


def coupon_list(builder: ShopBuilder) -> Draft:
    """A list of products and several codes, of which some or none help."""
    draft = _order(builder, 3, **_HELPFUL, accept=bought)
    for _ in range(builder.between(*CODES)):
        maker = builder.rng.choice((_working, _working, _dead, _dead, _unknown))
        draft.codes.append(maker(builder, draft))
    return draft


def coupon_unknown(builder: ShopBuilder) -> Draft:
    """A demanded code that the shop does not know."""
    draft = _order(builder, 2, rule="must", accept=refused)
    draft.codes = [builder.code()]
    if builder.chance(60):
        _working(builder, draft)
    draft.no_discount_no_order = builder.chance(50)
    return draft


def coupon_dead(builder: ShopBuilder) -> Draft:
    """A demanded code that takes nothing off this order."""
    draft = _order(builder, 2, rule="must", extras="none", accept=refused)
    draft.codes = [_dead(builder, draft)]
    draft.no_discount_no_order = builder.chance(50)
    return draft


def coupon_works(builder: ShopBuilder) -> Draft:
    """A demanded code that takes something off."""
    draft = _order(builder, 3, rule="must", accept=discounted)
    draft.codes = [_working(builder, draft)]
    draft.no_discount_no_order = builder.chance(50)
    return draft


def coupons_together(builder: ShopBuilder) -> Draft:
    """Two codes on the same order: the shop takes one."""
    draft = _order(builder, 2, rule="together", accept=refused)
    draft.codes = [_working(builder, draft), _working(builder, draft)]
    return draft


def either_coupon(builder: ShopBuilder) -> Draft:
    """One of two codes must take something off; whichever saves more."""
    draft = _order(builder, 2, rule="must", goal="cheapest", extras="none")
    makers = builder.rng.choice(((_working, _working), (_working, _dead), (_dead, _dead)))
    draft.codes = [maker(builder, draft) for maker in makers]
    builder.rng.shuffle(draft.codes)
    draft.no_discount_no_order = True
    return draft


def coupon_fallback(builder: ShopBuilder) -> Draft:
    """A code to try, and to buy at full price where it does not work."""
    draft = _order(builder, 2, **_HELPFUL, buy_anyway=True, accept=bought)
    draft.codes = [builder.rng.choice((_working, _dead, _unknown))(builder, draft)]
    return draft


def coupon_forbidden(builder: ShopBuilder) -> Draft:
    """A code that works and that the customer does not want to be used."""
    draft = _order(builder, 2, accept=bought)
    draft.shunned = _working(builder, draft)
    return draft


def budget_coupon(builder: ShopBuilder) -> Draft:
    """A limit that holds after the discount: met to the dollar, or missed by one."""
    draft = _order(builder, 2, **_HELPFUL)
    draft.rule = builder.rng.choice(("may", "must"))
    draft.codes = [_working(builder, draft)]
    if draft.rule == "may":
        draft.codes.append(_working(builder, draft))
    return around(builder, draft, fits=builder.chance(50))


def bundle(builder: ShopBuilder) -> Draft:
    """A set with a code for all its parts; at times a part is gone at checkout."""
    name, kinds = builder.rng.choice(builder.trade.kits)
    builder.wanted += kinds
    goods = [builder.good(kind) for kind in kinds]
    for kind in kinds:
        if builder.chance(NEAR_CHANCE // 2):
            builder.near(kind)
    lines = [of_kind(g.kind, [g], "one") for g in goods if g.kind]
    draft = Draft(lines, kit=name, rule="must")
    needs = {good.sku: 1 for good in goods}
    total = sum(good.price for good in goods)
    if builder.chance(50):
        draft.codes = [builder.coupon(amount=max(2, total // 6), requires=needs)]
    else:
        draft.codes = [builder.coupon(percent=builder.between(8, 25), requires=needs)]
    case = builder.rng.randrange(3)
    draft.accept = discounted if case == 0 else refused
    if case == 1:
        good = builder.change(builder.rng.choice(goods), stock=builder.between(1, 3))
        builder.haunt(good, 0)
    elif case == 2:
        builder.coupons[-1]["requires"][goods[0].sku] = 2
    return draft


def coupon_choice(builder: ShopBuilder) -> Draft:
    """Any one of a kind for the lowest price after coupons that fit some products only."""
    kind, goods = rivals(builder)
    draft = Draft([of_kind(kind, goods, "one")], goal="cheapest", rule="may", extras="none")
    for _ in range(builder.between(*CODES)):
        good = builder.rng.choice(goods)
        amount = max(1, good.price * builder.between(10, 60) // 100)
        case = builder.rng.randrange(4)
        if case < 2:
            code = builder.coupon(amount=amount, requires={good.sku: 1})
        elif case == 2:
            code = builder.coupon(percent=builder.between(5, 35), min_subtotal=good.price)
        else:
            code = builder.coupon()
        draft.codes.append(code)
    draft.accept = discounted
    return draft


def filler_pays(builder: ShopBuilder) -> Draft:
    """An addition that unlocks a coupon and makes the order cheaper."""
    draft, addition = _with_additions(builder)
    saving = addition.price + builder.between(1, 25)
    skus = _unlocked(builder, draft, addition, saving, (1, min(addition.price, MOST_GAP)))
    draft.accept = lambda answer: (
        discounted(answer)
        and all({sku for sku, _ in p.items} > skus for p in answer.purchases)
        and all(purchase.total > 0 for purchase in answer.purchases)
    )
    return draft


def filler_idle(builder: ShopBuilder) -> Draft:
    """Additions that unlock coupons and cost as much as they save, or more."""
    draft, addition = _with_additions(builder)
    saving = max(1, addition.price - builder.between(1, 5))
    skus = _unlocked(builder, draft, addition, saving, (saving, MOST_GAP + saving))
    draft.accept = lambda answer: (
        bought(answer) and all({sku for sku, _ in p.items} == skus for p in answer.purchases)
    )
    return draft


def _with_additions(builder: ShopBuilder) -> tuple[Draft, Good]:
    """A named product, a coupon or none on it, and a product that could be added."""
    builder.small = True
    draft = _order(builder, rule="may", goal="cheapest", extras="allowed")
    good = builder.goods[draft.lines[0].want.sku]
    assert good.kind is not None
    most = min(40, max(5, good.price // 3))
    price = builder.between(4, most)
    name = builder.rng.choice(good.kind.near)
    addition = builder.other(name, name, price)
    if builder.chance(60):
        amount = builder.between(1, max(2, good.price // 8))
        draft.codes.append(builder.coupon(amount=amount, requires={good.sku: 1}))
    return draft, addition


def _unlocked(
    builder: ShopBuilder, draft: Draft, addition: Good, saving: int, gap: tuple[int, int]
) -> set[str]:
    """Offer a coupon for the addition, or from a subtotal with such a gap; the wanted products."""
    skus = {line.want.sku for line in draft.lines}
    if builder.chance(60):
        needs = {sku: 1 for sku in (*skus, addition.sku)}
        code = builder.coupon(amount=saving, requires=needs)
    else:
        least = _subtotal(builder, draft) + builder.between(*gap)
        code = builder.coupon(amount=saving, min_subtotal=least)
        draft.hints[code] = f"for orders from ${least}"
    draft.codes.append(code)
    builder.rng.shuffle(draft.codes)
    return skus
