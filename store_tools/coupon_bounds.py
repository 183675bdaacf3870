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
UNBOUNDED = 10**12


class Bounds:
    """What is known of baskets by index, each with every code and with none (``""``)."""

    def __init__(self, contents: Sequence[Content], codes: Iterable[str]) -> None:
        self.contents = contents
        self.prices: dict[str, int] = {}
        self.sound = True
        """Whether nothing seen contradicts what the bounds rest on."""
        self._most = {code: [UNBOUNDED] * len(contents) for code in codes}
        self._most[""] = [0] * len(contents)
        self._open = {(i, code) for i in range(len(contents)) for code in self._most}

    def learn(self, content: Content, discounts: Mapping[str, int], basket: Basket) -> None:
        """Take over what a basket showed with some codes; of its products the prices."""
        for item in basket["items"]:
            known = self.prices.setdefault(item["sku"], item["price"])
            self.sound &= known == item["price"]
        for code, discount in discounts.items():
            most = self._most[code]
            for i, held in enumerate(self.contents):
                if discount > most[i] and _within(content, held):
                    self.sound = False
                if _within(held, content):
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

    def left(self, best: Key | None) -> list[tuple[Key, int, str]]:
        """Baskets with codes that can be better than ``best``, the most hopeful first.

        A code without a discount is never better than none.
        """
        return sorted(found for pair in self._open for found in self._hope(*pair, best))

    def hopes(self, index: int, best: Key | None) -> list[str]:
        """The codes that can make one basket better than ``best``, the most hopeful first."""
        pairs = ((index, code) for code in self._most if (index, code) in self._open)
        return [code for *_, code in sorted(f for pair in pairs for f in self._hope(*pair, best))]

    def _hope(self, index: int, code: str, best: Key | None) -> list[tuple[Key, int, str]]:
        if code and not self._most[code][index]:
            return []
        key = self._key(index, code)
        return [(key, index, code)] if best is None or key < best else []

    def _key(self, index: int, code: str) -> Key:
        content = self.contents[index]
        subtotal = sum(n * self.prices.get(sku, 0) for sku, n in content.items())
        least = subtotal - min(self._most[code][index], subtotal)
        return least, code != "", len(content)


def union(contents: Iterable[Content]) -> Content:
    """The smallest basket that holds each of these."""
    whole: Content = {}
    for content in contents:
        for sku, quantity in content.items():
            whole[sku] = max(quantity, whole.get(sku, 0))
    return whole


def _within(small: Content, large: Content) -> bool:
    return all(quantity <= large.get(sku, 0) for sku, quantity in small.items())
