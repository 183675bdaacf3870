"""Whether a basket, as the shop shows it, is what the instruction authorises to buy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import regex

from store_tools.authority import (
    FLAGS,
    Authority,
    forbids,
    line_of,
    names,
    numbers_in,
    ordered,
    quantities,
)
from store_tools.basket import Basket, Content, content_in

HELP = (
    "What authorises it: its total, or a line of its own, `CHECKOUT: items SKU×N, SKU×N; coupon "
    "CODE` (or `no coupon`; or with `total at most N`), or `CHECKOUT: cheapest found` after a "
    "search. A total that was read or computed here is no expectation: report the basket with its "
    "total as the answer; the purchase is ordered after that"
)
_COUPONS = regex.compile(
    r"(?<!\bno |\bwithout |\bwithout a |\bwithout any )\b(?:coupons?|codes?|discounts?)\b", FLAGS
)


@dataclass(frozen=True)
class Priced:
    """Baskets that one call has priced in an instruction."""

    rows: Sequence[tuple[Content, str, int]]
    """Content, coupon and total."""
    target: int | None
    """Units that each of them holds; None: nobody but the worker's code says what they are for."""
    codes: int
    """How many coupons were tried."""
    by_shop: bool
    """Priced by the shop, not from its listing."""
    query: str | None = None
    """The search whose matches they are made of, each of them sure; None: there is none."""


@dataclass(frozen=True)
class Order:
    """An instruction with what is known about its words and its searches."""

    instruction: str
    catalog: dict[str, str]
    """Names by SKU, as far as the shop was listed."""
    priced: Sequence[Priced]

    def refuses(self, basket: Basket) -> str | None:
        """Why a basket is not authorised; None where it is."""
        authority = line_of(self.instruction)
        if authority is None:
            if forbids(self.instruction):
                return "the instruction says not to buy now"
            named = ordered(self.instruction, basket["total"])
            return None if named else f"the instruction names no total of {basket['total']}"
        if not authority.says:
            return authority.unread or "the CHECKOUT line names no items, total or search"
        flaws = (
            self._other_items(authority, basket),
            self._other_coupon(authority, basket),
            _other_total(authority, basket),
            self._not_cheapest(authority, basket) if authority.cheapest else None,
        )
        return next((flaw for flaw in flaws if flaw), None)

    def _other_items(self, authority: Authority, basket: Basket) -> str | None:
        held = content_in(basket)
        if authority.items is not None:
            if held == authority.items:
                return None
            return f"the basket holds {held}, the instruction says {authority.items}"
        if authority.total is not None:
            return None
        named = {sku for sku in {*self.catalog, *held} if self._named(sku)}
        strange = sorted(held.keys() - named)
        if strange and (named or not authority.cheapest):
            return f"the instruction does not name {', '.join(strange)}"
        if not authority.cheapest:
            for sku in sorted(named):
                stated = quantities(self.instruction, sku)
                if stated and stated != {held.get(sku, 0)}:
                    return f"the basket holds {held.get(sku, 0)} of {sku}, not {sorted(stated)}"
        return None

    def _named(self, sku: str) -> bool:
        return names(self.instruction, sku) or names(self.instruction, self.catalog.get(sku, ""))

    def _other_coupon(self, authority: Authority, basket: Basket) -> str | None:
        code = basket["coupon"]
        if authority.coupon is not None:
            if code == authority.coupon:
                return None
            return f"the basket's coupon is {code!r}, the instruction says {authority.coupon!r}"
        if authority.total is not None:
            return None
        open_ = authority.items is None or authority.cheapest
        if code and not (open_ and names(self.instruction, code)):
            return f"the instruction does not say that coupon {code!r} is used"
        if not code and not authority.cheapest and _COUPONS.search(self.instruction):
            return "the instruction speaks of coupons and the basket has none"
        return None

    def _not_cheapest(self, authority: Authority, basket: Basket) -> str | None:
        by_shop = [p for p in self.priced if p.by_shop]
        searches = by_shop or list(self.priced)
        if not searches:
            return "no search has priced any basket"
        if (
            _COUPONS.search(self.instruction)
            and authority.coupon != ""
            and not any(p.codes for p in searches)
        ):
            return "the instruction speaks of coupons and none was tried"
        rows = [row for p in searches for row in p.rows]
        if authority.items is not None:
            rows = [row for row in rows if row[0] == authority.items]
        elif flaw := self._unbound(searches):
            return flaw
        if not rows:
            return "no search has priced such baskets"
        unnamed = authority.items is None and not all(map(self._named, content_in(basket)))
        if unnamed and not all(p.query and names(self.instruction, p.query) for p in searches):
            return "not every match of a search that the instruction words is sure: name the SKUs"
        least = min(total for *_, total in rows)
        if (content_in(basket), basket["coupon"], basket["total"]) not in rows:
            return "the search has not priced this basket with this coupon"
        if basket["total"] != least:
            return f"the search found a basket for {least}"
        return None

    def _unbound(self, searches: Sequence[Priced]) -> str | None:
        """Why the baskets of the searches may be other than what the instruction asks for."""
        targets = {p.target for p in searches}
        if len(targets) != 1 or None in targets:
            return "the baskets that were priced are not those generated for one number of units"
        stated = numbers_in(self.instruction)
        if stated and not targets <= stated:
            return f"the instruction does not ask for {targets.pop()} units"
        return None


def _other_total(authority: Authority, basket: Basket) -> str | None:
    total = basket["total"]
    if authority.total is not None and total != authority.total:
        return f"the instruction names no total of {total}"
    if authority.at_most is not None and total > authority.at_most:
        return f"the total of {total} is more than {authority.at_most}"
    return None
