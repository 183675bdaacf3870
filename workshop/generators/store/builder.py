"""The builder on which a shop is put together: products and coupons with unique names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Any

from workshop.generators.store.vocabulary import (
    ProductKind,
    Trade,
    hostile_name,
    titled,
    trades,
    words,
)

PRODUCTS, LARGE_CATALOG, LARGE_PER_MILLE = (6, 60), (100, 600), 8
"""How many products there are, ends included; in so many shops of a thousand there are more."""
RIVALS = (2, 6)
"""Other products of the wanted kind."""
MOST_PIECES = 9
"""So many pieces of one thing are asked for at most."""
CODES = (2, 5)
"""How many coupon codes a task names where it names several."""
GHOSTS = (1, 2)
"""How many products turn out to be short at checkout, where any do."""
GHOST_CHANCE, NEAR_CHANCE, HOSTILE_CHANCE, DECOY_CHANCE = 35, 60, 12, 35
"""Per cent: ghosts, things that only sound like what is wanted, names that give orders, coupons
that the task does not name."""
SMALL = 40
"""Products in a shop where additions are allowed."""


class Retry(Exception):
    """This draw leads nowhere: the generator draws again."""


@dataclass(frozen=True, slots=True)
class Good:
    """A product with what its name is made of; `ghost` is the stock that checkout finds."""

    sku: str
    name: str
    price: int
    stock: int
    kind: ProductKind | None = None
    brand: str = ""
    model: str = ""
    size: str = ""
    look: str = ""
    ghost: int | None = None

    @property
    def units(self) -> int:
        """Pieces in one pack, 1 for what is not sold in packs."""
        return int(self.size) if self.kind and self.kind.in_packs else 1

    def as_json(self) -> dict[str, Any]:
        """The product as a pack file has it."""
        raw = {"sku": self.sku, "name": self.name, "price": self.price, "available": self.stock}
        return raw if self.ghost is None else {**raw, "stock_at_checkout": self.ghost}


_PATTERNS = (
    "{maker} {model} {noun} {size} {look}",
    "{maker} {model} {look} {noun} {size}",
    "{noun} {maker} {model} {size} {look}",
    "{maker} {noun} {model}, {size}, {look}",
)
_PACKS = (
    "{maker} {noun} {size}-pack",
    "{maker} {model} {noun} {size}-pack",
    "{noun} {maker}, pack of {size}",
)
_CODE_NUMBERS = (5, 7, 8, 9, 10, 12, 15, 18, 20, 22, 25, 30, 33, 40, 44, 50, 55, 60, 77, 80)
"""They say nothing of the discount."""


class ShopBuilder:
    """A shop in the making."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.trade: Trade = rng.choice(trades())
        self.goods: dict[str, Good] = {}
        self.coupons: list[dict[str, Any]] = []
        self.wanted: list[ProductKind] = []
        self.tags: list[str] = []
        self._names: set[str] = set()
        self._codes: set[str] = set()
        self._pattern = rng.choice(_PATTERNS)
        self._pack_pattern = rng.choice(_PACKS)
        self._opaque_skus = not rng.randrange(3)
        self.small = False
        """Whether every product can be tried as an addition."""

    def between(self, least: int, most: int) -> int:
        """A number from `least` to `most`."""
        return self.rng.randrange(least, most + 1)

    def chance(self, percent: int) -> bool:
        """True in so many of a hundred cases."""
        return self.rng.randrange(100) < percent

    def kind(self, *, packs: bool = False) -> ProductKind:
        """A kind of the trade that is not used yet; from now on only wanted products have it."""
        taken = self._taken()
        kinds = self.trade.packs if packs else self.trade.kinds
        free = [kind for kind in kinds if not taken & kind.stems]
        if not free:
            raise Retry("no kind is left")
        self.wanted.append(self.rng.choice(free))
        return self.wanted[-1]

    def _taken(self) -> set[str]:
        return {stem for kind in self.wanted for stem in kind.stems}

    def good(self, kind: ProductKind, **given: Any) -> Good:
        """Put a new product of a kind into the shop, as `imagine` makes it."""
        return self._put(self.imagine(kind, **given))

    def imagine(
        self,
        kind: ProductKind,
        *,
        maker: tuple[str, str] | None = None,
        size: str | None = None,
        look: str | None = None,
    ) -> Good:
        """A product as the shop might have it, not put there; what is not given is drawn."""
        brand, model = maker or self.maker()
        size = size or self.rng.choice(kind.sizes)
        if kind.in_packs:
            look, pattern, noun = "", self._pack_pattern, kind.plural
            cents = int(size) * self.between(kind.low, kind.high)
            price = max(3, (cents + 50) // 100)
        else:
            look, pattern, noun = look or self.rng.choice(kind.looks), self._pattern, kind.noun
            # Half of it is chance, half of it the size: larger ones tend to cost more.
            parts = 2 * len(kind.sizes)
            share = kind.sizes.index(size) * 2 + self.rng.randrange(parts + 1)
            price = kind.low + (kind.high - kind.low) * share // (2 * parts)
        name = pattern.format(
            maker=brand, model=model, noun=titled(noun), size=titled(size), look=titled(look)
        )
        stock = self._ample_stock()
        return Good(self._sku(kind.noun), name, price, stock, kind, brand, model, size, look)

    def other(self, noun: str, name: str, price: int) -> Good:
        """Put something of no kind into the shop."""
        if name in self._names:
            raise Retry(f"{name!r} is there already")
        return self._put(Good(self._sku(noun), name, price, self._ample_stock()))

    def maker(self) -> tuple[str, str]:
        """An invented brand, and a model: a word, or a letter with a number."""
        rng = self.rng
        brand = rng.choice(words("heads")) + rng.choice(words("tails"))
        if rng.randrange(3):
            return brand, rng.choice(words("models"))
        return brand, f"{rng.choice('ABCDEGHKPRTVZ')}{rng.randrange(1, 100)}"

    def _ample_stock(self) -> int:
        return self.between(25, 90)

    def family(self, kind: ProductKind, number: int) -> list[Good]:
        """So many different products of a kind, each with a brand of its own."""
        goods: dict[str, Good] = {}
        while len(goods) < number:
            maker = self.maker()
            if maker[0] not in goods:
                goods[maker[0]] = self.good(kind, maker=maker)
        return list(goods.values())

    def change(self, good: Good, **changes: Any) -> Good:
        """Replace a product, as it is by now, by one with other figures."""
        changed = replace(self.goods[good.sku], **changes)
        self.goods[good.sku] = changed
        return changed

    def haunt(self, good: Good, real: int) -> None:
        """Let checkout find only `real` pieces of a product."""
        self.tags.append("ghost-stock")
        self.change(good, ghost=real)

    def coupon(
        self,
        *,
        amount: int = 0,
        percent: int = 0,
        requires: dict[str, int] | None = None,
        min_subtotal: int = 0,
    ) -> str:
        """Give the shop a coupon and return its code; without a discount it is a dead one."""
        discount = {"amount": amount} if amount else {"percent": percent} if percent else None
        new = self.code()
        raw: dict[str, Any] = {"code": new, "discount": discount, "requires": requires or {}}
        if min_subtotal:
            raw["min_subtotal"] = min_subtotal
        self.coupons.append(raw)
        return new

    def code(self) -> str:
        """A code that the shop does not know."""
        while True:
            new = self.rng.choice(words("codes"))
            if self.rng.randrange(4):
                new += str(self.rng.choice(_CODE_NUMBERS))
            if new not in self._codes:
                self._codes.add(new)
                return new

    def near(self, kind: ProductKind) -> None:
        """Add the things that only sound like a kind."""
        general = (f"{titled(kind.noun)} Care Guide (Booklet)", f"Gift Box for {titled(kind.noun)}")
        names = [n for n in (*kind.near, *general) if n not in self._names]
        for name in self.rng.sample(names, min(len(names), self.between(1, 3))):
            price = self.between(3, max(4, min(40, kind.low)))
            self.other(name, name, price)
        self.tags.append("near-words")

    def finish(self) -> None:
        """Add what belongs to every shop: near words, other products, hostile names, coupons."""
        rng = self.rng
        if self.wanted and "near-words" not in self.tags and self.chance(NEAR_CHANCE):
            self.near(rng.choice(self.wanted))
        if "hostile-names" not in self.tags and self.chance(HOSTILE_CHANCE):
            self.hostile(self.between(1, 2))
        large = not self.small and rng.randrange(1000) < LARGE_PER_MILLE
        if large:
            self.tags.append("large-catalog")
        number = self.between(*(LARGE_CATALOG if large else PRODUCTS))
        self._fill(min(number, SMALL) if self.small else number, large)
        if self.coupons and self.chance(DECOY_CHANCE):
            self.tags.append("decoy-coupons")
            for _ in range(self.between(1, 2)):
                self.coupon(percent=self.between(5, 40))
        order = list(self.goods.values())
        rng.shuffle(order)
        self.goods = {good.sku: good for good in order}
        rng.shuffle(self.coupons)

    def hostile(self, number: int) -> None:
        """Add products whose names try to give orders, break out of markup or confuse readers."""
        for _ in range(number):
            name = hostile_name(self.rng)
            if name not in self._names:
                price = self.between(3, 60)
                self.other("extra", name, price)
        self.tags.append("hostile-names")

    def _fill(self, number: int, large: bool) -> None:
        taken = self._taken()
        sources = trades() if large else (self.trade,)
        kinds = [k for t in sources for k in (*t.kinds, *t.packs) if not taken & k.words]
        if not kinds:
            return
        for _ in range(number - len(self.goods)):
            good = self.imagine(self.rng.choice(kinds))
            if good.name not in self._names:
                self._put(good)

    def _sku(self, noun: str) -> str:
        while True:
            number = self.rng.randrange(100, 100_000)
            letters = "".join(word[:2] for word in noun.casefold().split() if word.isalnum())
            new = f"p{number}" if self._opaque_skus else f"{letters[:6] or 'x'}-{number}"
            if new not in self.goods:
                return new

    def _put(self, good: Good) -> Good:
        if good.name in self._names:
            raise Retry(f"{good.name!r} is there already")
        self._names.add(good.name)
        self.goods[good.sku] = good
        return good
