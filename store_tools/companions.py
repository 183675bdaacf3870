"""Cheap additions that make a code work which the shop accepts and which gives nothing by itself.

A code may ask for a second product that the task does not name. That shows in one way, whatever the
code is called: the shop takes it, the discount is 0, and with one more product it is not. So the
cheapest other products are laid into the basket all at once; where that brings a discount, halves
are taken out until it is known which of them it needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from store_tools.basket import Basket, Content

TRIED_AT_MOST = 8
"""Cheapest products that are tried as additions."""
TRIED_BESIDE = 4
"""The same where another code gives a discount already: each costs two requests."""


class Trial(Protocol):
    """Where baskets are tried; every method raises ToolFault where the shop is lost."""

    def look(self, content: Content, codes: list[str]) -> list[Basket] | None:
        """The basket with each code that the shop takes, at least once; None: it is refused."""

    def forget(self, content: Content) -> None:
        """A basket that was refused is no error of the search."""


def companions(
    trial: Trial,
    base: Content,
    codes: Sequence[str],
    catalog: Sequence[dict[str, Any]],
    most: int = TRIED_AT_MOST,
) -> list[dict[str, Any]]:
    """A row for each code that one more product makes work, the cheapest such product known.

    ``base``: the basket without additions, on which no code gives a discount. Raises ToolFault.
    """
    spare = [p for p in catalog if p["sku"] not in base and p["available"] > 0]
    cheap = [p["sku"] for p in sorted(spare, key=lambda p: p["price"])[:most]]
    working = _working(trial, base, cheap, codes) if cheap else {}
    rows = []
    for code in working:
        found = _narrowed(trial, base, cheap, code)
        if found:
            sku, basket = found
            priced = {k: basket[k] for k in ("coupon", "subtotal", "discount", "total")}
            rows.append({"added": sku, **priced})
    return rows


def _narrowed(trial: Trial, base: Content, skus: list[str], code: str) -> tuple[str, Basket] | None:
    """The one product among these that the code needs; None where it needs several."""
    while len(skus) > 1:
        half = len(skus) // 2
        parts = (skus[:half], skus[half:])
        skus = next((p for p in parts if _working(trial, base, p, [code])), [])
    shown = _working(trial, base, skus, [code]) if skus else {}
    return (skus[0], shown[code]) if shown else None


def _working(
    trial: Trial, base: Content, skus: Sequence[str], codes: Sequence[str]
) -> dict[str, Basket]:
    """The basket with a piece of each of these products, by each code that gives a discount."""
    content = {**base, **dict.fromkeys(skus, 1)}
    seen = trial.look(content, list(codes))
    if seen is None:
        trial.forget(content)
    return {b["coupon"]: b for b in seen or () if b["coupon"] in codes and b["discount"]}
