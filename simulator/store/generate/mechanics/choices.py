"""Mechanics of choice: cheapest, dearest, split stock, budgets."""

from __future__ import annotations

from typing import Literal

from simulator.store.generate.bench import Bench, Good, Retry
from simulator.store.generate.draft import Draft, as_many, named, of_kind
from simulator.store.generate.level import between, chance
from simulator.store.generate.mechanics.goods import bought, refused, rivals, siblings
from simulator.store.oracle.demand import Limit
from simulator.store.oracle.exhaustive import baskets
from simulator.store.oracle.market import Market
from simulator.store.oracle.solve import solve


def haunt_cheapest(bench: Bench, goods: list[Good]) -> None:
    """Let checkout find fewer of the cheapest ones."""
    by_price = sorted((bench.goods[g.sku] for g in goods), key=lambda g: g.price)
    for good in by_price[: between(bench.rng, bench.level.ghosts)]:
        if good.stock > 0:
            bench.haunt(good, between(bench.rng, (0, good.stock - 1)))


def cheapest(bench: Bench) -> Draft:
    """The cheapest of a kind; cheaper ones may be sold out or gone at checkout."""
    return _extreme(bench, "cheapest")


def dearest(bench: Bench) -> Draft:
    """The most expensive of a kind in stock."""
    return _extreme(bench, "dearest")


def _extreme(bench: Bench, goal: Literal["cheapest", "dearest"]) -> Draft:
    kind = bench.kind()
    goods = rivals(bench, kind)
    if len(goods) < 2:
        raise Retry("no choice")
    bench.near(kind)
    by_price = sorted(goods, key=lambda g: g.price if goal == "cheapest" else -g.price)
    if chance(bench.rng, 40):
        bench.change(by_price[0], stock=0)
    elif goal == "cheapest" and chance(bench.rng, bench.level.ghost_chance):
        bench.change(by_price[0], stock=between(bench.rng, (1, 3)))
        bench.haunt(bench.goods[by_price[0].sku], 0)
    return Draft([of_kind(kind, goods, goal)], goal=goal, accept=bought)


def split_stock(bench: Bench) -> Draft:
    """So many of a kind as cheaply as possible, from several products with little stock."""
    kind = bench.kind()
    goods = rivals(bench, kind)
    if len(goods) < 2:
        raise Retry("no choice")
    quantity = between(bench.rng, (3, bench.level.pieces[1] + 4))
    for good in goods:
        bench.change(good, stock=between(bench.rng, (1, quantity)))
    if chance(bench.rng, bench.level.ghost_chance):
        haunt_cheapest(bench, goods)
    if chance(bench.rng, 50):
        bench.near(kind)
    return Draft([of_kind(kind, goods, "kind", quantity)], goal="cheapest")


def around(bench: Bench, draft: Draft, *, fits: bool) -> Draft:
    """Set a limit at the best total, met to the dollar or missed by one."""
    demand = draft.demand(bench.goods)
    raw = [good.as_json() for good in bench.goods.values()]
    market = Market.of_scenario(raw, bench.coupons)
    if baskets(demand, market) > bench.level.most_baskets:
        raise Retry("too many baskets")
    answer = solve(demand, market)
    if not answer.purchases:
        raise Retry("nothing to buy")
    total = min(purchase.total for purchase in answer.purchases)
    inclusive = chance(bench.rng, 60)
    dollars = total + (0 if inclusive else 1) - (0 if fits else 1)
    draft.limit = Limit(dollars, inclusive)
    draft.accept = bought if fits else refused
    return draft


def budget(bench: Bench) -> Draft:
    """Named products and a limit that is met to the dollar or missed by one."""
    lines = []
    for _ in range(between(bench.rng, (1, 3))):
        good = bench.good(bench.kind())
        lines.append(named(good, between(bench.rng, bench.level.pieces)))
        if chance(bench.rng, 50):
            siblings(bench, good)
    return around(bench, Draft(lines), fits=chance(bench.rng, 50))


def budget_kind(bench: Bench) -> Draft:
    """One of a kind under a limit that few products or none keep to."""
    kind = bench.kind()
    goods = rivals(bench, kind)
    bench.near(kind)
    draft = around(bench, Draft([of_kind(kind, goods, "one")], "cheapest"), fits=False)
    if chance(bench.rng, 50):
        assert draft.limit is not None
        draft.limit = Limit(draft.limit.dollars + between(bench.rng, (1, 5)), True)
        draft.accept = bought
    draft.goal = "any"
    return draft


def budget_split(bench: Bench) -> Draft:
    """So many of a kind for a limit that only the cheapest mix keeps to, or none."""
    return around(bench, split_stock(bench), fits=chance(bench.rng, 50))


def most_for_money(bench: Bench) -> Draft:
    """As many of a product as a limit allows."""
    good = bench.good(bench.kind())
    siblings(bench, good)
    number = between(bench.rng, (1, bench.level.pieces[1]))
    spare = between(bench.rng, (0, good.price - 1))
    draft = Draft([as_many(good, None)], accept=bought)
    draft.limit = Limit(number * good.price + spare, True)
    if chance(bench.rng, 30):
        bench.change(good, stock=between(bench.rng, (1, number)))
    return draft
