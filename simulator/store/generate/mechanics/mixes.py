"""Mechanics of mixing: packs of several sizes and makers, lists of kinds, coupons on mixes."""

from __future__ import annotations

from simulator.store.generate.bench import Bench, Good
from simulator.store.generate.draft import Draft, Line, of_kind
from simulator.store.generate.level import between, chance
from simulator.store.generate.mechanics.choices import around, haunt_cheapest


def _shelf_of_packs(bench: Bench) -> tuple[list[Good], Draft]:
    """Packs of several sizes, at times of two makers, and so many pieces to buy."""
    kind = bench.kind(packs=True)
    goods: list[Good] = []
    for maker in [bench.maker() for _ in range(2 if chance(bench.rng, 35) else 1)]:
        number = min(len(kind.sizes), between(bench.rng, (2, 4)))
        for size in bench.rng.sample(kind.sizes, number):
            goods.append(bench.good(kind, maker=maker, size=size))
    least, most = min(g.units for g in goods), max(g.units for g in goods)
    number = between(bench.rng, (2, 6))
    quantity = bench.rng.choice((least * number, most + least, most * 2, most))
    for good in goods:
        bench.change(good, stock=between(bench.rng, (1, max(1, quantity // good.units) + 2)))
    goods = [bench.goods[good.sku] for good in goods]
    draft = Draft([of_kind(kind, goods, "units", quantity)], goal="cheapest")
    draft.not_more = chance(bench.rng, 60)
    return goods, draft


def packs(bench: Bench) -> Draft:
    """So many pieces from packs of several sizes with limited stock."""
    goods, draft = _shelf_of_packs(bench)
    if chance(bench.rng, bench.level.ghost_chance):
        haunt_cheapest(bench, goods)
    return draft


def packs_coupons(bench: Bench) -> Draft:
    """The same with coupons of several kinds on packs and mixes."""
    goods, draft = _shelf_of_packs(bench)
    quantity = draft.lines[0].quantity
    least = min(g.price for g in goods)
    rough = max(8, quantity * min(g.price * 100 // g.units for g in goods) // 100)
    for _ in range(between(bench.rng, bench.level.codes)):
        amount = max(1, rough * between(bench.rng, (5, 30)) // 100)
        one, other = bench.rng.sample(goods, 2)
        fit = max(1, min(one.stock, quantity // one.units))
        shapes = (
            ({one.sku: between(bench.rng, (1, fit))}, f"for {one.size}-packs"),
            ({one.sku: 1, other.sku: 1}, f"for {_a_pack(one)} with {_a_pack(other)}"),
        )
        case = bench.rng.randrange(6)
        needs, hint = shapes[case % 2]
        if case < 4:
            code = bench.coupon(amount=amount, requires=needs)
            draft.hints[code] = hint
        elif case == 4:
            code = bench.coupon(percent=between(bench.rng, (5, 25)), min_subtotal=rough + least)
        else:
            code = bench.coupon()
            draft.hints[code] = hint
        draft.codes.append(code)
    draft.rule = "may"
    if chance(bench.rng, bench.level.ghost_chance // 2):
        haunt_cheapest(bench, goods)
    return draft


def _a_pack(good: Good) -> str:
    article = "an" if good.size.startswith("8") or good.size in ("11", "18") else "a"
    return f"{article} {good.size}-pack"


def packs_budget(bench: Bench) -> Draft:
    """Packs, coupons and a limit after the discount that only the best mix keeps to, or none."""
    draft = around(bench, packs_coupons(bench), fits=chance(bench.rng, 50))
    # What may be spent says nothing of how many: only "exactly" leaves no doubt.
    draft.not_more = True
    return draft


def mixed_list(bench: Bench) -> Draft:
    """So many of one kind and so many of another as cheaply as possible, with coupons on mixes."""
    lines: list[Line] = []
    every: list[Good] = []
    rough = 0
    for _ in range(2):
        kind = bench.kind()
        quantity = between(bench.rng, (2, 4))
        goods = [
            bench.change(good, stock=between(bench.rng, (1, quantity)))
            for good in bench.family(kind, between(bench.rng, (2, 5)))
        ]
        lines.append(of_kind(kind, goods, "kind", quantity))
        rough += quantity * min(good.price for good in goods)
        every += goods
    draft = Draft(lines, goal="cheapest", rule="may")
    for _ in range(between(bench.rng, bench.level.codes)):
        one, other = bench.rng.sample(every, 2)
        amount = max(1, rough * between(bench.rng, (5, 30)) // 100)
        case = bench.rng.randrange(5)
        if case < 3:
            needs = {one.sku: 1} if case else {one.sku: 1, other.sku: 1}
            code = bench.coupon(amount=amount, requires=needs)
        elif case == 3:
            least = rough + between(bench.rng, (1, max(2, rough // 5)))
            code = bench.coupon(percent=between(bench.rng, (5, 30)), min_subtotal=least)
        else:
            code = bench.coupon()
        draft.codes.append(code)
    if chance(bench.rng, bench.level.ghost_chance):
        haunt_cheapest(bench, every)
    return draft
