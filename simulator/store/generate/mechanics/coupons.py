"""Mechanics of coupons: best of several, dead, demanded, together, additions that pay or not."""

from __future__ import annotations

from simulator.store.generate.bench import Bench, Good
from simulator.store.generate.draft import Draft, named, of_kind
from simulator.store.generate.level import between, chance
from simulator.store.generate.mechanics.choices import around
from simulator.store.generate.mechanics.goods import bought, refused, rivals, siblings
from simulator.store.oracle.answer import Answer

MOST_GAP = 14
"""Dollars that additions must make up for a subtotal: few enough to try every combination."""


def discounted(answer: Answer) -> bool:
    """Whether the best purchase uses a coupon."""
    return any(purchase.discount for purchase in answer.purchases)


def _order(bench: Bench, most_lines: int = 1) -> tuple[list[Good], Draft]:
    """Named products with some of their siblings."""
    goods, lines = [], []
    for _ in range(between(bench.rng, (1, most_lines))):
        good = bench.good(bench.kind())
        goods.append(good)
        lines.append(named(good, between(bench.rng, (1, min(5, bench.level.pieces[1])))))
        if chance(bench.rng, 60):
            siblings(bench, good)
    return goods, Draft(lines)


def _subtotal(bench: Bench, draft: Draft) -> int:
    wants = (line.want for line in draft.lines)
    return sum(bench.goods[w.choices[0].sku].price * (w.quantity or 1) for w in wants)


def _working(bench: Bench, draft: Draft) -> str:
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


def _dead(bench: Bench, draft: Draft) -> str:
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


def best_coupon(bench: Bench) -> Draft:
    """One named product and several codes of different kinds, some dead or unknown."""
    _, draft = _order(bench)
    number = between(bench.rng, bench.level.codes)
    draft.codes = [_working(bench, draft)]
    for _ in range(number - 1):
        maker = bench.rng.choice((_working, _dead, _unknown))
        draft.codes.append(maker(bench, draft))
    draft.rule, draft.goal, draft.extras = "may", "cheapest", "none"
    draft.by_discount = chance(bench.rng, 50)
    bench.rng.shuffle(draft.codes)
    draft.accept = discounted
    return draft


def _unknown(bench: Bench, draft: Draft) -> str:
    return bench.code()


def coupon_list(bench: Bench) -> Draft:
    """A list of products and several codes, of which some or none help."""
    _, draft = _order(bench, 3)
    for _ in range(between(bench.rng, bench.level.codes)):
        maker = bench.rng.choice((_working, _working, _dead, _dead, _unknown))
        draft.codes.append(maker(bench, draft))
    draft.rule, draft.goal, draft.extras = "may", "cheapest", "none"
    draft.accept = bought
    return draft


def coupon_unknown(bench: Bench) -> Draft:
    """A demanded code that the shop does not know."""
    _, draft = _order(bench, 2)
    draft.rule, draft.codes = "must", [bench.code()]
    if chance(bench.rng, 60):
        _working(bench, draft)
    draft.accept = refused
    return _said(bench, draft)


def coupon_dead(bench: Bench) -> Draft:
    """A demanded code that takes nothing off this order."""
    _, draft = _order(bench, 2)
    draft.rule, draft.codes = "must", [_dead(bench, draft)]
    draft.extras = "none"
    draft.accept = refused
    return _said(bench, draft)


def coupon_works(bench: Bench) -> Draft:
    """A demanded code that takes something off."""
    _, draft = _order(bench, 3)
    draft.rule, draft.codes = "must", [_working(bench, draft)]
    draft.accept = discounted
    return _said(bench, draft)


def _said(bench: Bench, draft: Draft) -> Draft:
    draft.no_discount_no_order = chance(bench.rng, 50)
    return draft


def coupons_together(bench: Bench) -> Draft:
    """Two codes on the same order: the shop takes one."""
    _, draft = _order(bench, 2)
    draft.rule = "together"
    draft.codes = [_working(bench, draft), _working(bench, draft)]
    draft.accept = refused
    return draft


def either_coupon(bench: Bench) -> Draft:
    """One of two codes must take something off; whichever saves more."""
    _, draft = _order(bench, 2)
    draft.rule, draft.goal, draft.extras = "must", "cheapest", "none"
    makers = bench.rng.choice(((_working, _working), (_working, _dead), (_dead, _dead)))
    draft.codes = [maker(bench, draft) for maker in makers]
    bench.rng.shuffle(draft.codes)
    draft.no_discount_no_order = True
    return draft


def coupon_fallback(bench: Bench) -> Draft:
    """A code to try, and to buy at full price where it does not work."""
    _, draft = _order(bench, 2)
    draft.rule, draft.goal, draft.buy_anyway = "may", "cheapest", True
    draft.codes = [bench.rng.choice((_working, _dead, _unknown))(bench, draft)]
    draft.extras = "none"
    draft.accept = bought
    return draft


def coupon_forbidden(bench: Bench) -> Draft:
    """A code that works and that the customer does not want to be used."""
    _, draft = _order(bench, 2)
    draft.shunned = _working(bench, draft)
    draft.accept = bought
    return draft


def budget_coupon(bench: Bench) -> Draft:
    """A limit that holds after the discount: met to the dollar, or missed by one."""
    _, draft = _order(bench, 2)
    draft.rule = bench.rng.choice(("may", "must"))
    draft.goal, draft.extras = "cheapest", "none"
    draft.codes = [_working(bench, draft)]
    if draft.rule == "may":
        draft.codes.append(_working(bench, draft))
    return around(bench, draft, fits=chance(bench.rng, 50))


def bundle(bench: Bench) -> Draft:
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


def coupon_choice(bench: Bench) -> Draft:
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


def filler_pays(bench: Bench) -> Draft:
    """An addition that unlocks a coupon and makes the order cheaper."""
    draft, good, addition = _with_additions(bench)
    saving = addition.price + between(bench.rng, (1, 25))
    subtotal = _subtotal(bench, draft)
    if chance(bench.rng, 60):
        code = bench.coupon(amount=saving, requires={good.sku: 1, addition.sku: 1})
    else:
        least = subtotal + between(bench.rng, (1, min(addition.price, MOST_GAP)))
        code = bench.coupon(amount=saving, min_subtotal=least)
        draft.hints[code] = f"for orders from ${least}"
    draft.codes.append(code)
    bench.rng.shuffle(draft.codes)
    skus = {line.want.choices[0].sku for line in draft.lines}
    draft.accept = lambda answer: (
        discounted(answer)
        and all({sku for sku, _ in p.items} > skus for p in answer.purchases)
        and all(purchase.total > 0 for purchase in answer.purchases)
    )
    return draft


def filler_idle(bench: Bench) -> Draft:
    """Additions that unlock coupons and cost as much as they save, or more."""
    draft, good, addition = _with_additions(bench)
    saving = max(1, addition.price - between(bench.rng, (1, 5)))
    if chance(bench.rng, 60):
        needs = {good.sku: 1, addition.sku: 1}
        code = bench.coupon(amount=saving, requires=needs)
    else:
        least = _subtotal(bench, draft) + between(bench.rng, (saving, MOST_GAP + saving))
        code = bench.coupon(amount=saving, min_subtotal=least)
        draft.hints[code] = f"for orders from ${least}"
    draft.codes.append(code)
    bench.rng.shuffle(draft.codes)
    skus = {line.want.choices[0].sku for line in draft.lines}
    draft.accept = lambda answer: (
        bought(answer) and all({sku for sku, _ in p.items} == skus for p in answer.purchases)
    )
    return draft


def _with_additions(bench: Bench) -> tuple[Draft, Good, Good]:
    """A named product, a coupon or none on it, and a product that could be added."""
    bench.keep_small()
    goods, draft = _order(bench)
    draft.rule, draft.goal, draft.extras = "may", "cheapest", "allowed"
    kind = goods[0].kind
    assert kind is not None
    most = min(40, max(5, goods[0].price // 3))
    addition = bench.accessory(kind, between(bench.rng, (4, most)))
    if chance(bench.rng, 60):
        amount = between(bench.rng, (1, max(2, goods[0].price // 8)))
        draft.codes.append(bench.coupon(amount=amount, requires={goods[0].sku: 1}))
    return draft, goods[0], addition
