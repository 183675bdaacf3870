"""Scenarios from a seed and a number: a shop, a task and its certificate; and packs of them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from pydantic import ValidationInfo, field_validator

from core.options import option
from core.runs.errors import CannotRun
from core.text import instead
from workshop.generators.generating import Generator, PackOptions, Raw, bounds, draws
from workshop.generators.store.builder import Retry, ShopBuilder
from workshop.generators.store.draft import Draft
from workshop.generators.store.mechanics import MECHANICS
from workshop.generators.store.oracle.demand import Demand
from workshop.generators.store.oracle.market import Market
from workshop.generators.store.oracle.solve import (
    BestPurchases,
    TooManyAnswers,
    expects_the_best,
    has_more_baskets,
    solve,
)
from workshop.generators.store.wording import write_text

PAGE_LIMITS = (1, 2, 3, 4, 5, 5, 5, 5, 8, 10, 10, 20, 50)
"""Page limits as they are drawn where none are asked for."""
LARGEST_PAGE = 50
LARGE = 300
"""Catalogs from here on are never listed by pages of less than `LEAST_PAGE`, unless asked for."""
LEAST_PAGE = 10
MOST_ANSWERS = 6
MOST_TRIES = 500
MOST_BASKETS = 1_500
"""With more baskets nobody asks what more pieces would cost."""
MOST_OVERSHOOT = 24
"""With packs larger than this the text says "exactly" and nobody asks what more would cost."""


@dataclass(frozen=True, slots=True)
class Options:
    """What scenarios are drawn; `page_limits` None means all sorts."""

    mechanics: tuple[str, ...] = tuple(MECHANICS)
    page_limits: tuple[int, ...] | None = None


class StoreOptions(PackOptions):
    """A pack of shops."""

    mechanics: str = option(
        f"Store: only tasks about these, with commas [all]: {', '.join(MECHANICS)}.", ""
    )
    page_limits: str = option(
        f"Store: page limits, 1 to {LARGEST_PAGE}, such as 5,10 or 1-8 [all sorts].",
        "",
    )

    @field_validator("mechanics", "page_limits")
    @classmethod
    def _listed(cls, text: str, info: ValidationInfo) -> str:
        (_mechanics if info.field_name == "mechanics" else _page_limits)(text)
        return text

    @property
    def shops(self) -> Options:
        """What is drawn."""
        limits = _page_limits(self.page_limits) or None
        mechanics = _mechanics(self.mechanics) or tuple(MECHANICS)
        return Options(mechanics, limits)


def _mechanics(text: str) -> tuple[str, ...]:
    """Names, each once. Raises ValueError."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(","))) if text else ()
    if unknown := [name for name in names if name not in MECHANICS]:
        hint = instead(unknown[0], list(MECHANICS), most=len(MECHANICS))
        raise ValueError(f"unknown mechanic {unknown[0]!r}; {hint}")
    return names


def _page_limits(text: str) -> tuple[int, ...]:
    """Every limit once. Raises ValueError."""
    ends = [bounds(part, 1, LARGEST_PAGE, "5,10 or 1-8") for part in text.split(",") if text]
    return tuple(dict.fromkeys(limit for low, high in ends for limit in range(low, high + 1)))


def make_scenario(seed: str, index: int, options: Options) -> dict[str, Any]:
    """Scenario number `index` of a seed, as a pack file has it, with its certificate.

    Raises `CannotRun`.
    """
    rng = draws(seed, str(index), "shop")
    mechanic = rng.choice(options.mechanics)
    for _ in range(MOST_TRIES):
        with suppress(Retry, TooManyAnswers):
            builder, draft, demand, answer = _draw(mechanic, rng)
            break
    else:
        raise CannotRun(f"no shop for mechanic {mechanic!r} in {MOST_TRIES} tries (seed {seed})")
    page_limits = options.page_limits or PAGE_LIMITS
    page_limit = draws(seed, str(index), "page").choice(page_limits)
    if options.page_limits is None and len(builder.goods) >= LARGE:
        page_limit = max(page_limit, LEAST_PAGE)
    return {
        "spec_id": f"gen-{seed}-{index}-{mechanic}",
        "task_text": write_text(draft, draws(seed, str(index), "text")),
        "page_limit": page_limit,
        "products": [good.as_json() for good in builder.goods.values()],
        "coupons": builder.coupons,
        "expect": answer.expect(),
        "mechanics": list(dict.fromkeys((mechanic, *builder.tags))),
        "oracle": {
            "demand": demand.to_json(),
            "method": "exhaustive",
            "candidates": answer.candidates,
            "chosen": answer.chosen,
            "best_total": answer.purchases[0].total if answer.purchases else None,
            "answers": len(answer.purchases),
        },
    }


def _draw(mechanic: str, rng: Random) -> tuple[ShopBuilder, Draft, Demand, BestPurchases]:
    """A shop with its task; raises `Retry` or `TooManyAnswers` where this draw leads nowhere."""
    builder = ShopBuilder(rng)
    draft = MECHANICS[mechanic](builder)
    builder.finish()
    demand, market, answer = draft.solve(builder)
    if len(answer.purchases) > MOST_ANSWERS or not draft.accept(answer):
        raise Retry("too many answers, or not what the mechanic is about")
    draft.not_more = draft.not_more or _more_would_do(demand, market, answer)
    return builder, draft, demand, answer


def _more_would_do(demand: Demand, market: Market, answer: BestPurchases) -> bool:
    """Whether more pieces than asked for could be had for no more money, or it is not known."""
    want = demand.wants[0]
    largest = max(want.choices.values(), default=1)
    if not answer.purchases or want.quantity is None or largest > MOST_OVERSHOOT:
        return True
    for more in range(1, largest):
        larger = replace(demand, wants=(replace(want, quantity=want.quantity + more),))
        if has_more_baskets(MOST_BASKETS, larger, market):
            return True
        purchases = solve(larger, market).purchases
        if purchases and purchases[0].total <= answer.purchases[0].total:
            return True
    return False


def _proven(raw: Raw) -> bool:
    try:
        return not raw.get("oracle") or expects_the_best(raw)
    except (TooManyAnswers, TypeError):
        return False


GENERATOR = Generator(
    StoreOptions, lambda asked, number: make_scenario(asked.seed, number, asked.shops), _proven
)
