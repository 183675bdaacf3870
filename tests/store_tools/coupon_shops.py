"""The coupon search best-first against all baskets with all codes, on shops drawn from a seed.

In process, without HTTP. A third of the shops each: baskets around one wish with small additions,
alternatives of their own, some of them out of stock.
"""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

from store_tools.basket import Content
from store_tools.coupon_search import try_coupons
from store_tools.coupon_trial import Trial, key_of
from store_tools.store_session import StoreSession
from tests.store_tools.conftest import Direct

KINDS = ("additions", "alternatives", "out of stock")


class Compared(NamedTuple):
    """One shop both ways: requests, and whether best-first came out worse."""

    seed: int
    all: int
    best_first: int
    worse: bool


def drawn(dice: Random, kind: str) -> tuple[dict[str, Any], list[Content], list[str]]:
    """A shop, baskets to try there, and codes."""
    skus = [f"s{n}" for n in range(dice.randint(3, 12))]
    stock = {sku: dice.randint(4, 40) for sku in skus}
    if kind == "out of stock":
        stock = {sku: dice.randint(1, 4) for sku in skus}
    codes = [f"C{n}" for n in range(dice.randint(1, 4))]

    def content(most: int) -> Content:
        chosen = dice.sample(skus, dice.randint(1, most))
        return {sku: dice.randint(1, 3) for sku in chosen}

    def rule(code: str) -> dict[str, Any]:
        gives = ({"amount": dice.randint(1, 60)}, {"percent": dice.randint(1, 40)}, None)
        least = {"min_subtotal": dice.randint(20, 300)} if dice.random() < 0.4 else {}
        asks = content(2) if dice.random() < 0.6 else {}
        return {"code": code, "discount": dice.choice(gives), "requires": asks, **least}

    base = content(2)
    baskets = [content(3) for _ in range(dice.randint(5, 60))]
    if kind == "additions":
        one = [{**base, sku: base.get(sku, 0) + n} for sku in skus for n in (1, 2, 3)]
        two = [
            {**base, a: base.get(a, 0) + 1, b: base.get(b, 0) + 1}
            for a in skus
            for b in skus
            if a < b
        ]
        baskets = [base, *one, *two]
        stock = {sku: n + 10 for sku, n in stock.items()}
    products = [
        {"sku": s, "name": s, "price": dice.randint(1, 60), "available": stock[s]} for s in skus
    ]
    asked = [*codes, "GONE"] if dice.random() < 0.3 else codes
    return {"products": products, "coupons": [rule(c) for c in codes]}, baskets, asked


def tried(client: Any, baskets: list[Content], codes: list[str], *, every: bool = True) -> Trial:
    """A coupon search on a shop, done."""
    trial = Trial(StoreSession(client), baskets, codes)
    try_coupons(trial, every=every)
    return trial


def compare(seed: int) -> Compared:
    """Search one shop both ways."""
    shop, baskets, codes = drawn(Random(seed), KINDS[seed % len(KINDS)])
    best, sent = [], []
    for every in (True, False):
        client = Direct(shop)
        best.append(
            min(map(key_of, tried(client, baskets, codes, every=every).results), default=None)
        )
        sent.append(len(client.sent))
    return Compared(seed, sent[0], sent[1], worse=best[0] != best[1])
