"""Drawn tasks with the right play and a wrong one, from what their scenarios expect."""

from __future__ import annotations

import json
from typing import Any

from workshop.environments.drawn import open_world
from workshop.generators.store.scenario import Options
from workshop.generators.store.scenario import make_scenario as draw_shop
from workshop.simulator.company.plays import right_play, spoilt
from workshop.simulator.open_world import Answer, Call

SEED = "conformance"
NUMBERS = (0, 1, 2)
"""Of the shops the last one has nothing to buy."""
BENCHMARKS = ("store", "company")


def _buy(items: list[dict[str, Any]], coupon: str | None = None) -> list[Call]:
    adds = [Call("/basket/add", {"sku": i["sku"], "quantity": i["quantity"]}) for i in items]
    applied = [Call("/coupon/apply", {"coupon": coupon})] if coupon else []
    return [*adds, *applied, Call("/basket/checkout", {})]


def store_plays(number: int) -> dict[str, list[Call]]:
    """The wrong one buys where nothing is to be bought, and the other way round."""
    shop = draw_shop(SEED, number, Options())
    expected = shop["expect"].get("any_of")
    # A page of so many is refused: that answer has to come through as well.
    look = [
        Call("/products/list", {"offset": 0, "limit": 1}),
        Call("/products/list", {"limit": 99}),
    ]
    in_stock = next(p for p in shop["products"] if p.get("stock_at_checkout", p["available"]))
    if not expected:
        return {"right": look, "wrong": look + _buy([{"sku": in_stock["sku"], "quantity": 1}])}
    return {"right": look + _buy(expected[0]["items"], expected[0].get("coupon")), "wrong": look}


def company_plays(number: int) -> dict[str, list[Call]]:
    scenario: Any = open_world("company", SEED, number).scenario
    found = {}
    for name, play in (("right", right_play(scenario)), ("wrong", next(spoilt(scenario))[1])):
        world = open_world("company", SEED, number)
        world.ask("/whoami")
        play.run(world.ask)
        found[name] = [Call(path, json.loads(json.dumps(body))) for path, body in world.calls]
    return found


def plays(benchmark: str, number: int) -> dict[str, list[Call]]:
    return {"store": store_plays, "company": company_plays}[benchmark](number)


def native(benchmark: str, number: int, calls: list[Call]) -> tuple[float, list[Answer]]:
    """The score of the calls in a world of this process, and its answers."""
    world = open_world(benchmark, SEED, number)
    answers = [world.call(*call) for call in calls]
    return world.score().score, answers
