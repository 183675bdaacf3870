"""Baskets that hold a number of units: all of them, or those that matter of very many."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from operator import mul
from typing import NamedTuple

from core.ledger import ToolFault
from store_tools.basket import Content, Product

EXPLORED_AT_MOST = 120_000
TABLE_AT_MOST = 100_000
"""Packages times units: beyond it the packages that cost most for a unit are left out."""
TARGET_AT_MOST = 10_000
KEPT_AT_MOST = 120
DEMANDED_AT_MOST = 12
"""Pieces of one product that a coupon may ask for and still be thought of."""
NEVER = float("inf")

Counts = tuple[int, ...]


class Package(NamedTuple):
    """What has to be known of a product."""

    sku: str
    price: int
    available: int
    units: int


def mixes_for(
    products: Sequence[Product], target_units: int, most: int = KEPT_AT_MOST
) -> tuple[list[Content], str]:
    """All baskets with exactly ``target_units``, cheapest first, and why there is none.

    Where there are more than ``most``, those are kept that matter to a coupon: for every product,
    and every pair of products, the cheapest basket with at least that many of it; then the cheapest
    of the rest. The cheapest of all is always among them.

    Raises:
        ToolFault: the target is out of range.
    """
    if not 1 <= target_units <= TARGET_AT_MOST:
        raise ToolFault(f"units or pieces must be from 1 to {TARGET_AT_MOST}, not {target_units}")
    packages = [Package(p.sku, p.price, p.available, p.units or 1) for p in products]
    fitting = [o for o in packages if o.available > 0 and o.units <= target_units]
    fitting.sort(key=lambda o: o.price / o.units)
    usable = fitting[: TABLE_AT_MOST // target_units]
    usable.sort(key=lambda o: (-o.units, o.price))
    baskets = _explore(usable, target_units)
    prices = [package.price for package in usable]
    baskets.sort(key=lambda counts: (sum(map(mul, prices, counts)), counts))
    selected = baskets if len(baskets) <= most else _telling(baskets, most)
    stock = sum(max(p.available, 0) * p.units for p in packages)
    reason = ""
    if stock < target_units:
        reason = f"their stock is {stock} units, fewer than {target_units}"
    elif not baskets:
        sizes = sorted({p.units for p in packages})
        reason = f"no mix of packages of {sizes} units makes {target_units}"
    pairs = [zip(usable, counts, strict=True) for counts in selected]
    return [{package.sku: n for package, n in pair if n} for pair in pairs], reason


def _explore(packages: list[Package], target: int) -> list[Counts]:
    """Baskets in the order of their cost, as many as are found with bounded work.

    Best first with the true cost of what is left: no step is spent on a dead end, and what is cut
    off is never cheaper than what was found.
    """
    rest = _cheapest_rest(packages, target)
    baskets: list[Counts] = []
    heap: list[tuple[float, int, Counts, int, int, int]] = []  # by cost, deep ones first
    work = 0

    @cache
    def choices(index: int, left: int) -> list[tuple[float, int]]:
        """Pairs of cost (of this package and all after it) and count; dead ends are left out."""
        nonlocal work
        package, after = packages[index], rest[index + 1]
        most = min(package.available, left // package.units)
        work += most + 1
        costs = ((n * package.price + after[left - n * package.units], n) for n in range(most + 1))
        return sorted(c for c in costs if c[0] < NEVER)

    def push(cost: int, left: int, counts: Counts, rank: int) -> None:
        ranked = choices(len(counts), left) if len(counts) < len(packages) else []
        if rank < len(ranked):
            full_cost = cost + ranked[rank][0]
            heapq.heappush(heap, (full_cost, -len(counts), counts, rank, cost, left))

    push(0, target, (), 0)
    while heap and work < EXPLORED_AT_MOST:
        work += 1
        _, _, counts, rank, cost, left = heapq.heappop(heap)
        push(cost, left, counts, rank + 1)
        package = packages[len(counts)]
        n = choices(len(counts), left)[rank][1]
        counts = (*counts, n)
        if len(counts) == len(packages):
            baskets.append(counts)
        else:
            push(cost + n * package.price, left - n * package.units, counts, 0)
    return baskets


def _cheapest_rest(packages: list[Package], target: int) -> list[list[float]]:
    """For every package and number of units: the least cost with it and all packages after it."""
    table = [[NEVER] * (target + 1) for _ in range(len(packages) + 1)]
    table[-1][0] = 0
    for index in range(len(packages) - 1, -1, -1):
        package, after, row = packages[index], table[index + 1], table[index]
        for residue in range(min(package.units, target + 1)):
            # The least cost over a window of counts, kept in a queue of rising candidates.
            window: deque[tuple[float, int]] = deque()
            for n, units in enumerate(range(residue, target + 1, package.units)):
                candidate = after[units] - n * package.price
                while window and window[-1][0] >= candidate:
                    window.pop()
                window.append((candidate, n))
                if window[0][1] < n - package.available:
                    window.popleft()
                row[units] = window[0][0] + n * package.price
    return table


def _telling(baskets: list[Counts], bound: int) -> list[Counts]:
    """Of baskets sorted by cost, those that are cheapest for some demand of a coupon.

    First for so many pieces of one product, then for two products together, then the cheapest of
    what is left.
    """
    chosen: dict[int, None] = {0: None}
    for products in (1, 2):
        met: set[tuple[tuple[int, int], ...]] = set()
        for index, counts in enumerate(baskets):
            if len(chosen) >= bound:
                break
            pieces = [min(n, DEMANDED_AT_MOST) for n in counts]
            single = [(i, m) for i, most in enumerate(pieces) for m in range(1, most + 1)]
            demands = (d for d in combinations(single, products) if len(dict(d)) == products)
            if fresh := set(demands) - met:
                chosen[index] = None
                met |= fresh
    for index in range(len(baskets)):
        if len(chosen) >= bound:
            break
        chosen[index] = None
    return [baskets[i] for i in sorted(chosen)]
