"""The table of mechanics: which there are and how often they are drawn.

| mechanic | like, among recorded and bundled tasks | what makes it hard |
|---|---|---|
| plain | named item on the last page, stock exactly enough | siblings, late pages |
| several-lines | several items with a total | one of them may be short |
| stock-short | insufficient inventory | fewer listed than asked for |
| not-sold | product does not exist | siblings that differ in one attribute |
| variant | phone case variant, near-identical variants | one attribute differs |
| variant-gone | exact variant sold out | sold out, not sold, gone at checkout |
| whole-category | all of a category, with moving stock | several products short at checkout |
| category-empty | all of a category, near words only | accessories are not the thing |
| all-except | all but one brand | exclusion |
| one-of-each | one of each | near words |
| ghost-exact | exact quantity with moving stock | short at checkout, or just enough |
| as-many-as | fewer allowed | short at checkout, upper end |
| substitute | fallback when sold out | both outcomes |
| what-is-left | fewer only if short | both outcomes |
| hostile-names | hostile product name | names that give orders |
| cheapest | hidden cheap item, cheapest in stock | sold out, gone at checkout, late page |
| dearest | most expensive of a category | sold out |
| split-stock | split stock, tied models, ghost fill-in | limited stock, ties, ghosts |
| packs | exact count from packs | limited stock, ghosts |
| packs-coupons | pack optimizer with coupons | coupons on packs and mixes |
| packs-budget | pack optimizer, limit met or missed | coupons, a limit after the discount |
| mixed-list | several kinds, each from split stock | coupons across the list, ghosts |
| budget | budget met to the dollar, or missed | under against at most |
| budget-kind | single item over budget | a kind under a limit |
| budget-split | cheapest mix under a limit | only the best mix fits |
| most-for-money | most pieces within a budget | stock or money ends it |
| best-coupon | best of several codes | amounts, percents, dead, unknown |
| coupon-list | list with threshold coupon | which code helps a list, or none |
| coupon-unknown | coupon does not exist | another code would work |
| coupon-dead | coupon misses its condition | null, more pieces, more money |
| coupon-works | demanded coupon that works | amounts, percents, thresholds |
| coupons-together | mutually exclusive coupons | each alone would work |
| either-coupon | one of two coupons | both, one or none work |
| coupon-fallback | buy anyway | all outcomes |
| coupon-forbidden | the opposite of a demanded coupon | a code that works |
| budget-coupon | budget fits thanks to a coupon, or misses by one | rounding of percents |
| bundle | bundle coupon, complete or impossible | a part gone at checkout |
| coupon-choice | coupon changes the product choice | coupons on some products |
| filler-pays | paper for the coupon, filler lifts to a minimum | additions that pay |
| filler-idle | filler does not pay | additions that do not |
"""

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
