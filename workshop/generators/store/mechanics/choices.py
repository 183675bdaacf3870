"""Mechanics of choice: cheapest, dearest, split stock, packs and other mixes, budgets."""

from __future__ import annotations

from typing import Literal

from workshop.generators.store.builder import (
    CODES,
    GHOST_CHANCE,
    GHOSTS,
    MOST_PIECES,
    Good,
    Retry,
    ShopBuilder,
)
from workshop.generators.store.draft import Draft, WantedLine, as_many, of_kind
from workshop.generators.store.mechanics.goods import (
    bought,
    one_of_many,
    refused,
    rivals,
    shopping_list,
)
from workshop.generators.store.oracle.demand import Limit


def haunt_cheapest(builder: ShopBuilder, goods: list[Good], percent: int) -> None:
    """Let checkout at times find fewer of the cheapest ones."""
    if not builder.chance(percent):
        return
    by_price = sorted((builder.goods[g.sku] for g in goods), key=lambda g: g.price)
    for good in by_price[: builder.between(*GHOSTS)]:
        if good.stock > 0:
            builder.haunt(good, builder.between(0, good.stock - 1))


def around(builder: ShopBuilder, draft: Draft, *, fits: bool) -> Draft:
    """Set a limit at the best total, met to the dollar or missed by one."""
    _, _, answer = draft.solve(builder)
    if not answer.purchases:
        raise Retry("nothing to buy")
    total = min(purchase.total for purchase in answer.purchases)
    inclusive = builder.chance(60)
    dollars = total + (0 if inclusive else 1) - (0 if fits else 1)
    draft.limit = Limit(dollars, inclusive)
    draft.accept = bought if fits else refused
    return draft


def cheapest(builder: ShopBuilder) -> Draft:
    """The cheapest of a kind; cheaper ones may be sold out or gone at checkout."""
    return _extreme(builder, "cheapest")


def dearest(builder: ShopBuilder) -> Draft:
    """The most expensive of a kind in stock."""
    return _extreme(builder, "dearest")


def _extreme(builder: ShopBuilder, goal: Literal["cheapest", "dearest"]) -> Draft:
    kind, goods = rivals(builder, least=2)
    builder.near(kind)
    by_price = sorted(goods, key=lambda g: g.price if goal == "cheapest" else -g.price)
    if builder.chance(40):
        builder.change(by_price[0], stock=0)
    elif goal == "cheapest" and builder.chance(GHOST_CHANCE):
        builder.change(by_price[0], stock=builder.between(1, 3))
        builder.haunt(by_price[0], 0)
    return Draft([of_kind(kind, goods, goal)], goal=goal, accept=bought)


def split_stock(builder: ShopBuilder) -> Draft:
    """So many of a kind as cheaply as possible, from several products with little stock."""
    kind, goods = rivals(builder, least=2)
    quantity = builder.between(3, MOST_PIECES + 4)
    for good in goods:
        builder.change(good, stock=builder.between(1, quantity))
    haunt_cheapest(builder, goods, GHOST_CHANCE)
    if builder.chance(50):
        builder.near(kind)
    return Draft([of_kind(kind, goods, "kind", quantity)], goal="cheapest")


def _shelf_of_packs(builder: ShopBuilder) -> tuple[list[Good], Draft]:
    """Packs of several sizes, at times of two makers, and so many pieces to buy."""
    kind = builder.kind(packs=True)
    goods: list[Good] = []
    for maker in [builder.maker() for _ in range(2 if builder.chance(35) else 1)]:
        number = min(len(kind.sizes), builder.between(2, 4))
        for size in builder.rng.sample(kind.sizes, number):
            goods.append(builder.good(kind, maker=maker, size=size))
    least, most = min(g.units for g in goods), max(g.units for g in goods)
    number = builder.between(2, 6)
    quantity = builder.rng.choice((least * number, most + least, most * 2, most))
    for good in goods:
        builder.change(good, stock=builder.between(1, max(1, quantity // good.units) + 2))
    goods = [builder.goods[good.sku] for good in goods]
    draft = Draft([of_kind(kind, goods, "units", quantity)], goal="cheapest")
    draft.not_more = builder.chance(60)
    return goods, draft


def packs(builder: ShopBuilder) -> Draft:
    """So many pieces from packs of several sizes with limited stock."""
    goods, draft = _shelf_of_packs(builder)
    haunt_cheapest(builder, goods, GHOST_CHANCE)
    return draft


def packs_coupons(builder: ShopBuilder) -> Draft:
    """The same with coupons of several kinds on packs and mixes."""
    goods, draft = _shelf_of_packs(builder)
    quantity = draft.lines[0].quantity
    least = min(g.price for g in goods)
    rough = max(8, quantity * min(g.price * 100 // g.units for g in goods) // 100)
    for _ in range(builder.between(*CODES)):
        amount = max(1, rough * builder.between(5, 30) // 100)
        one, other = builder.rng.sample(goods, 2)
        fit = max(1, min(one.stock, quantity // one.units))
        shapes = (
            ({one.sku: builder.between(1, fit)}, f"for {one.size}-packs"),
            ({one.sku: 1, other.sku: 1}, f"for {_a_pack(one)} with {_a_pack(other)}"),
        )
        case = builder.rng.randrange(6)
        needs, hint = shapes[case % 2]
        if case < 4:
            code = builder.coupon(amount=amount, requires=needs)
            draft.hints[code] = hint
        elif case == 4:
            code = builder.coupon(percent=builder.between(5, 25), min_subtotal=rough + least)
        else:
            code = builder.coupon()
            draft.hints[code] = hint
        draft.codes.append(code)
    draft.rule = "may"
    haunt_cheapest(builder, goods, GHOST_CHANCE // 2)
    return draft


def _a_pack(good: Good) -> str:
    article = "an" if good.size.startswith("8") or good.size in ("11", "18") else "a"
    return f"{article} {good.size}-pack"


def packs_budget(builder: ShopBuilder) -> Draft:
    """Packs, coupons and a limit after the discount that only the best mix keeps to, or none."""
    draft = around(builder, packs_coupons(builder), fits=builder.chance(50))
    # What may be spent says nothing of how many: only "exactly" leaves no doubt.
    draft.not_more = True
    return draft


def mixed_list(builder: ShopBuilder) -> Draft:
    """So many of one kind and so many of another as cheaply as possible, with coupons on mixes."""
    lines: list[WantedLine] = []
    every: list[Good] = []
    rough = 0
    for _ in range(2):
        kind = builder.kind()
        quantity = builder.between(2, 4)
        goods = [
            builder.change(good, stock=builder.between(1, quantity))
            for good in builder.family(kind, builder.between(2, 5))
        ]
        lines.append(of_kind(kind, goods, "kind", quantity))
        rough += quantity * min(good.price for good in goods)
        every += goods
    draft = Draft(lines, goal="cheapest", rule="may")
    for _ in range(builder.between(*CODES)):
        one, other = builder.rng.sample(every, 2)
        amount = max(1, rough * builder.between(5, 30) // 100)
        case = builder.rng.randrange(5)
        if case < 3:
            needs = {one.sku: 1} if case else {one.sku: 1, other.sku: 1}
            code = builder.coupon(amount=amount, requires=needs)
        elif case == 3:
            least = rough + builder.between(1, max(2, rough // 5))
            code = builder.coupon(percent=builder.between(5, 30), min_subtotal=least)
        else:
            code = builder.coupon()
        draft.codes.append(code)
    haunt_cheapest(builder, every, GHOST_CHANCE)
    return draft


def budget(builder: ShopBuilder) -> Draft:
    """Named products and a limit that is met to the dollar or missed by one."""
    lines = shopping_list(builder, builder.between(1, 3), (1, MOST_PIECES), 50)
    return around(builder, Draft(lines), fits=builder.chance(50))


def budget_kind(builder: ShopBuilder) -> Draft:
    """One of a kind under a limit that few products or none keep to."""
    kind, goods = rivals(builder)
    builder.near(kind)
    draft = around(builder, Draft([of_kind(kind, goods, "one")], "cheapest"), fits=False)
    if builder.chance(50):
        assert draft.limit is not None
        draft.limit = Limit(draft.limit.dollars + builder.between(1, 5), True)
        draft.accept = bought
    draft.goal = "any"
    return draft


def budget_split(builder: ShopBuilder) -> Draft:
    """So many of a kind for a limit that only the cheapest mix keeps to, or none."""
    return around(builder, split_stock(builder), fits=builder.chance(50))


def most_for_money(builder: ShopBuilder) -> Draft:
    """As many of a product as a limit allows."""
    good = one_of_many(builder)
    number = builder.between(1, MOST_PIECES)
    spare = builder.between(0, good.price - 1)
    draft = Draft([as_many(good, None)], accept=bought)
    draft.limit = Limit(number * good.price + spare, True)
    if builder.chance(30):
        builder.change(good, stock=builder.between(1, number))
    return draft
