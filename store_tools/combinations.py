"""Every basket that holds a number of units, within a bound that says when it cut."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ledger import ToolFault

EXPLORED_AT_MOST = 200_000
KEPT_AT_MOST = 1000


class Offer(BaseModel):
    """What the generator needs to know of a product."""

    model_config = ConfigDict(extra="ignore")

    sku: str
    price: int = Field(ge=0)
    available: int
    units: int = Field(default=1, ge=1)


def combinations_for(
    products: list[dict[str, Any]], target_units: int, max_combinations: int = 120
) -> dict[str, Any]:
    """All ways to reach exactly ``target_units``, cheapest first.

    Where there are more than ``max_combinations``, those are kept that matter to a coupon: for
    every product, and every pair of products, the cheapest basket with at least that many of it;
    then the cheapest of the rest.

    Raises:
        ToolFault: a product lacks sku, price or available, or the target is not positive.
    """
    if target_units < 1:
        raise ToolFault(f"target_units must be at least 1, not {target_units}")
    try:
        offers = [Offer.model_validate(p) for p in products]
    except ValidationError:
        raise ToolFault("each product needs sku, price, available and units") from None
    offers = sorted((o for o in offers if o.available > 0), key=lambda o: (-o.units, o.price))
    found, cut = _explore(offers, target_units)
    found.sort(key=lambda counts: (_cost(offers, counts), counts))
    bound = max(1, min(max_combinations, KEPT_AT_MOST))
    kept = found if len(found) <= bound else _telling(found, bound)
    return {
        "combinations": [_row(offers, counts) for counts in kept],
        "total_found": len(found),
        "cut": cut or len(kept) < len(found),
    }


def _explore(offers: list[Offer], target: int) -> tuple[list[tuple[int, ...]], bool]:
    reach = [0] * (len(offers) + 1)
    for i in range(len(offers) - 1, -1, -1):
        reach[i] = reach[i + 1] + offers[i].units * offers[i].available
    found: list[tuple[int, ...]] = []
    stack: list[tuple[tuple[int, ...], int]] = [((), target)]
    steps = 0
    while stack:
        steps += 1
        if steps > EXPLORED_AT_MOST:
            return found, True
        counts, left = stack.pop()
        depth = len(counts)
        if left == 0:
            found.append(counts + (0,) * (len(offers) - depth))
            continue
        if depth == len(offers) or reach[depth] < left:
            continue
        offer = offers[depth]
        most = min(offer.available, left // offer.units)
        stack.extend(((*counts, n), left - n * offer.units) for n in range(most + 1))
    return found, False


def _cost(offers: list[Offer], counts: tuple[int, ...]) -> int:
    return sum(n * o.price for n, o in zip(counts, offers, strict=True))


def _telling(found: list[tuple[int, ...]], bound: int) -> list[tuple[int, ...]]:
    """Of baskets sorted by cost, those that are cheapest for some demand of a coupon."""
    seen: set[tuple[int, ...]] = set()
    kept: list[int] = []
    for index, counts in enumerate(found):
        demands = [(i, n) for i, n in enumerate(counts) if n]
        keys = [(i, n) for i, n in demands]
        keys += [(*a, *b) for k, a in enumerate(demands) for b in demands[k + 1 :]]
        if any(key not in seen for key in keys):
            kept.append(index)
            for i, n in demands:
                seen.update((i, m) for m in range(1, n + 1))
                seen.update(
                    (i, m, j, q)
                    for j, most in demands
                    if j > i
                    for m in range(1, n + 1)
                    for q in range(1, most + 1)
                )
        if len(kept) >= bound:
            break
    chosen = set(kept[:bound])
    for index in range(len(found)):
        if len(chosen) >= bound:
            break
        chosen.add(index)
    return [found[i] for i in sorted(chosen)]


def _row(offers: list[Offer], counts: tuple[int, ...]) -> dict[str, Any]:
    pairs = [(o, n) for o, n in zip(offers, counts, strict=True) if n]
    return {
        "items": [{"sku": o.sku, "quantity": n} for o, n in pairs],
        "units": sum(o.units * n for o, n in pairs),
        "subtotal": sum(o.price * n for o, n in pairs),
    }
