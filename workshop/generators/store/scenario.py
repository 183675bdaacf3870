"""One scenario from a seed and a number: a shop, a task and its certificate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from random import Random
from typing import Any

from workshop.generators.store.bench import Retry, TaskBuilder
from workshop.generators.store.draft import Draft
from workshop.generators.store.level import LEVELS, Difficulty
from workshop.generators.store.mechanics import MECHANICS
from workshop.generators.store.oracle.answer import Answer, TooManyAnswers
from workshop.generators.store.oracle.certificate import certificate
from workshop.generators.store.oracle.demand import Demand
from workshop.generators.store.oracle.exhaustive import baskets
from workshop.generators.store.oracle.market import Market
from workshop.generators.store.oracle.solve import MOST_BASKETS, solve
from workshop.generators.store.wording import Wording, text_of

PAGE_LIMITS = (1, 2, 3, 4, 5, 5, 5, 5, 8, 10, 10, 20, 50)
"""Page limits as they are drawn where none are asked for."""
LARGE = 300
"""Catalogs from here on are never listed by pages of less than `LEAST_PAGE`, unless asked for."""
LEAST_PAGE = 10
MOST_ANSWERS = 6
MOST_TRIES = 500
MOST_OVERSHOOT = 24
"""With packs larger than this the text says "exactly" and nobody asks what more would cost."""


class NoScenario(Exception):
    """No shop could be drawn; the text says for which mechanic."""


@dataclass(frozen=True, slots=True)
class Options:
    """What scenarios are drawn; `page_limits` None means all sorts."""

    mechanics: tuple[str, ...] = tuple(MECHANICS)
    difficulty: Difficulty = "normal"
    wording: Wording = "standard"
    page_limits: tuple[int, ...] | None = None


def draws(seed: str, index: int, purpose: str) -> Random:
    """Random numbers that depend on nothing but these."""
    digest = sha256(f"{seed}\0{index}\0{purpose}".encode()).digest()
    return Random(int.from_bytes(digest, "big"))


def make_scenario(seed: str, index: int, options: Options) -> dict[str, Any]:
    """Scenario number `index` of a seed, as a pack file has it, with its certificate.

    The shop does not depend on the wording: the same seed and number with another wording ask the
    same in other words. Raises `NoScenario`, and `cpsat.SolverMissing` on level hard.
    """
    rng = draws(seed, index, "shop")
    mechanic = rng.choice(options.mechanics)
    for _ in range(MOST_TRIES):
        made = _try(mechanic, rng, options)
        if made:
            bench, draft, demand, answer = made
            break
    else:
        raise NoScenario(f"no shop for mechanic {mechanic!r} in {MOST_TRIES} tries (seed {seed})")
    page_limits = options.page_limits or PAGE_LIMITS
    page_limit = draws(seed, index, "page").choice(page_limits)
    if options.page_limits is None and len(bench.goods) >= LARGE:
        page_limit = max(page_limit, LEAST_PAGE)
    return {
        "spec_id": f"gen-{seed}-{index}-{mechanic}",
        "task_text": text_of(draft, options.wording, draws(seed, index, "text")),
        "page_limit": page_limit,
        "products": [good.as_json() for good in bench.goods.values()],
        "coupons": bench.coupons,
        "expect": answer.expect(),
        "mechanics": list(dict.fromkeys((mechanic, *bench.tags))),
        "wording": options.wording,
        "difficulty": options.difficulty,
        "oracle": certificate(demand, answer),
    }


def _try(
    mechanic: str, rng: Random, options: Options
) -> tuple[TaskBuilder, Draft, Demand, Answer] | None:
    """A draw, None where it leads nowhere: too many answers, or not what the mechanic is about."""
    level = LEVELS[options.difficulty]
    bench = TaskBuilder(rng, level)
    try:
        draft = MECHANICS[mechanic](bench)
        bench.finish()
        demand = draft.demand(bench.goods)
        products = [good.as_json() for good in bench.goods.values()]
        market = Market.of_scenario(products, bench.coupons)
        if baskets(demand, market) > level.most_baskets:
            return None
        answer = solve(demand, market)
        if len(answer.purchases) > MOST_ANSWERS or not draft.accept(answer):
            return None
        draft.not_more = draft.not_more or _more_would_do(demand, market, answer)
    except (Retry, TooManyAnswers):
        return None
    return bench, draft, demand, answer


def _more_would_do(demand: Demand, market: Market, answer: Answer) -> bool:
    """Whether more pieces than asked for could be had for no more money, or it is not known."""
    want = demand.wants[0]
    largest = max((choice.units for choice in want.choices), default=1)
    if not answer.purchases or want.quantity is None or largest > MOST_OVERSHOOT:
        return True
    for more in range(1, largest):
        larger = replace(demand, wants=(replace(want, quantity=want.quantity + more),))
        if baskets(larger, market) > MOST_BASKETS:
            return True
        found = solve(larger, market).purchases
        if found and found[0].total <= answer.purchases[0].total:
            return True
    return False
