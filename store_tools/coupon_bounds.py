"""How cheap a basket can still come with a coupon, by what was seen on baskets that hold it.

A coupon asks for pieces and for a subtotal, and is reckoned on what lies in the basket: on less it
never gives more. So the discount seen on one basket bounds that of every basket within it, and one
look at many baskets laid together can rule all of them out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from store_tools.basket import Basket, Content

Key = tuple[int, bool, int]
"""What makes a row better, least first: total, whether it needs a code, lines."""
Hope = tuple[Key, int, str]
"""The best that a basket, by its index, can come to with a code."""
UNBOUNDED = 10**12


class Bounds:
    """What is known of baskets by index, each with every code and with none (``""``)."""

    def __init__(self, contents: Sequence[Content], codes: Iterable[str]) -> None:
        self.contents = contents
        self.prices: dict[str, int] = {}
        self.sound = True
        """Whether nothing seen contradicts what the bounds rest on."""
        self._subtotals: dict[int, int] = {}
        """Of baskets by index, as far as prices are known."""
        self._fits: set[int] = set()
        """Baskets that the shop has let be filled, by themselves or within others."""
        self._paid: dict[str, list[tuple[int, int]]] = {}
        """By code, subtotal and discount of baskets on which it gave one."""
        self._most = {code: [UNBOUNDED] * len(contents) for code in codes}
        self._most[""] = [0] * len(contents)
        self._open = {(i, code) for i in range(len(contents)) for code in self._most}

    def learn(self, content: Content, discounts: Mapping[str, int], basket: Basket) -> None:
        """Take over what a basket showed with some codes; of its products the prices."""
        for item in basket["items"]:
            if item["sku"] not in self.prices:
                self._subtotals.clear()
            known = self.prices.setdefault(item["sku"], item["price"])
            self.sound &= known == item["price"]
        within = {i for i, held in enumerate(self.contents) if _within(held, content)}
        self._fits |= within
        for code, discount in discounts.items():
            if discount:
                self._paid.setdefault(code, []).append((basket["subtotal"], discount))
            most = self._most[code]
            for i, held in enumerate(self.contents):
                if discount > most[i] and _within(content, held):
                    self.sound = False
                if i in within:
                    most[i] = min(most[i], discount)

    def close(self, index: int, codes: Iterable[str]) -> None:
        """These were tried on this basket."""
        self._open -= {(index, code) for code in codes}

    def drop(self, code: str) -> None:
        """The shop does not take this code."""
        self._open -= {(i, code) for i in range(len(self.contents))}

    def refuse(self, index: int) -> None:
        """The shop does not let this basket be filled."""
        self.close(index, self._most)

    def left(self, best: Key | None) -> list[Hope]:
        """Baskets with codes that can be better than ``best``, the most hopeful first.

        A code without a discount is never better than none.
        """
        return sorted(found for pair in self._open for found in self._hope(*pair, best))

    def hopes(self, index: int, best: Key | None) -> list[str]:
        """The codes that can make one basket better than ``best``, the most hopeful first."""
        pairs = ((index, code) for code in self._most if (index, code) in self._open)
        return [code for *_, code in sorted(f for pair in pairs for f in self._hope(*pair, best))]

    def barest(self) -> tuple[Key, int] | None:
        """The cheapest basket without a code, of those not tried that the shop lets be filled."""
        return min(
            ((self._key(i, ""), i) for i in self._fits if (i, "") in self._open), default=None
        )

    def foreseen(self, indexes: Sequence[int], code: str, best: Key | None) -> int:
        """How many would still hope after a look at all of them as one, if nothing surprises.

        A code that gave the same percentage so far is taken to give it there too; one that gave
        amounts, the same. No basket is ruled out by this: it only says which look may pay.
        """
        paid = self._paid.get(code, [])
        rates = [p for p in range(1, 101) if all(s * p // 100 == d for s, d in paid)]
        if not paid or not rates or best is None:
            return len(indexes)
        discount = self._subtotal(union(self.contents[i] for i in indexes)) * rates[0] // 100
        return sum(self._key(i, code, discount) < best for i in indexes)

    def _subtotal(self, content: Content) -> int:
        return sum(n * self.prices.get(sku, 0) for sku, n in content.items())

    def _hope(self, index: int, code: str, best: Key | None) -> list[Hope]:
        if code and not self._most[code][index]:
            return []
        key = self._key(index, code)
        return [(key, index, code)] if best is None or key < best else []

    def _key(self, index: int, code: str, at_most: int = UNBOUNDED) -> Key:
        subtotal = self._subtotals.get(index)
        if subtotal is None:
            subtotal = self._subtotals[index] = self._subtotal(self.contents[index])
        least = subtotal - min(self._most[code][index], at_most, subtotal)
        return least, code != "", len(self.contents[index])


def union(contents: Iterable[Content]) -> Content:
    """The smallest basket that holds each of these."""
    whole: Content = {}
    for content in contents:
        for sku, quantity in content.items():
            whole[sku] = max(quantity, whole.get(sku, 0))
    return whole


def _within(small: Content, large: Content) -> bool:
    return all(quantity <= large.get(sku, 0) for sku, quantity in small.items())
