"""Mechanics: what a task is about. `../mechanics.md` tells what each is like."""

from __future__ import annotations

from collections.abc import Callable

from simulator.store.generate.bench import Bench
from simulator.store.generate.draft import Draft
from simulator.store.generate.mechanics import choices, coupons, goods, mixes

Mechanic = Callable[[Bench], Draft]

MECHANICS: dict[str, Mechanic] = {
    "plain": goods.plain,
    "several-lines": goods.several_lines,
    "stock-short": goods.stock_short,
    "not-sold": goods.not_sold,
    "variant": goods.variant,
    "variant-gone": goods.variant_gone,
    "whole-category": goods.whole_category,
    "category-empty": goods.category_empty,
    "all-except": goods.all_except,
    "one-of-each": goods.one_of_each,
    "ghost-exact": goods.ghost_exact,
    "as-many-as": goods.as_many_as,
    "substitute": goods.substitute,
    "what-is-left": goods.what_is_left,
    "hostile-names": goods.hostile_names,
    "cheapest": choices.cheapest,
    "dearest": choices.dearest,
    "split-stock": choices.split_stock,
    "packs": mixes.packs,
    "packs-coupons": mixes.packs_coupons,
    "packs-budget": mixes.packs_budget,
    "mixed-list": mixes.mixed_list,
    "budget": choices.budget,
    "budget-kind": choices.budget_kind,
    "budget-split": choices.budget_split,
    "most-for-money": choices.most_for_money,
    "best-coupon": coupons.best_coupon,
    "coupon-list": coupons.coupon_list,
    "coupon-unknown": coupons.coupon_unknown,
    "coupon-dead": coupons.coupon_dead,
    "coupon-works": coupons.coupon_works,
    "coupons-together": coupons.coupons_together,
    "either-coupon": coupons.either_coupon,
    "coupon-fallback": coupons.coupon_fallback,
    "coupon-forbidden": coupons.coupon_forbidden,
    "budget-coupon": coupons.budget_coupon,
    "bundle": coupons.bundle,
    "coupon-choice": coupons.coupon_choice,
    "filler-pays": coupons.filler_pays,
    "filler-idle": coupons.filler_idle,
}
"""Every mechanic by its name; all are drawn equally often."""
