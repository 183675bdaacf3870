"""The words of the generated shops: trades, kinds of product, brands, codes, and phrases."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from random import Random
from typing import Any


@dataclass(frozen=True)
class ProductKind:
    """A kind of product: what it is called, costs, comes in, and what only sounds like it.

    `low` and `high` are dollars, for kinds sold in packs cents for one piece. `sizes` of a kind
    in packs are the numbers of pieces, and it has no `looks`.
    """

    noun: str
    plural: str
    low: int
    high: int
    sizes: tuple[str, ...]
    looks: tuple[str, ...]
    near: tuple[str, ...]
    words: frozenset[str]
    """All words of its products' names but brand and model, as `stems` gives them."""

    @cached_property
    def stems(self) -> frozenset[str]:
        """The words that it is called by."""
        return stems(f"{self.noun} {self.plural}")

    @property
    def in_packs(self) -> bool:
        """Whether it is sold by packs of pieces."""
        return not self.looks


@dataclass(frozen=True, slots=True)
class Trade:
    """What one sort of shop sells."""

    kinds: tuple[ProductKind, ...]
    packs: tuple[ProductKind, ...]
    kits: tuple[tuple[str, tuple[ProductKind, ...]], ...]
    """Things that are bought together: the name of the set, and its kinds."""


def stems(text: str) -> frozenset[str]:
    """The words of a text, in lower case and without a plural's s, for telling names apart."""
    return frozenset(word.casefold().strip("(),").removesuffix("s") for word in text.split())


@cache
def trades() -> tuple[Trade, ...]:
    """All trades, in the order of the file."""
    every = []
    for entry in _raw("trades")["trade"]:
        kinds = tuple(_kind(line) for line in entry["kinds"])
        packs = tuple(_kind(line) for line in entry["packs"])
        by_noun = {kind.noun: kind for kind in kinds}
        kits = []
        for line in entry["kits"]:
            name, parts = line.split(":")
            kits.append((name, tuple(by_noun[part] for part in _list(parts, ","))))
        every.append(Trade(kinds, packs, tuple(kits)))
    return tuple(every)


def phrases(name: str) -> tuple[str, ...]:
    """Phrases with the same meaning."""
    return tuple(_raw("phrases")["ways"][name])


def hostile_name(rng: Random) -> str:
    """A product name that gives orders or breaks markup; a careful reader takes it for a name."""
    number, names = rng.randrange(10, 100), _raw("phrases")["hostile"]
    if rng.randrange(2):
        order = rng.choice(names["wishes"]).format(n=number)
        return str(rng.choice(names["orders"]).format(order=order))
    return str(rng.choice(names["odd"]).format(n=number))


@cache
def _raw(name: str) -> dict[str, Any]:
    path = Path(__file__).with_name(f"{name}.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def words(name: str) -> tuple[str, ...]:
    """A list of words: heads and tails of brands, models, codes."""
    return tuple(_raw("trades")["words"][name].split())


def _list(text: str, separator: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(separator))


def _kind(line: str) -> ProductKind:
    """A kind of one line of the file; one that is sold by packs has no looks."""
    names, prices, sizes, *looks, near = _list(line, "|")
    noun, _, plural = names.partition("/")
    plural = plural or f"{noun}s"
    low, high = prices.split("-")
    words = (noun, plural, *(f"{sizes},{looks[0]}".split(",") if looks else ()))
    kinds = _list(sizes, ","), _list(looks[0], ",") if looks else (), _list(near, ";")
    return ProductKind(noun, plural, int(low), int(high), *kinds, stems(" ".join(words)))


def titled(text: str) -> str:
    """A noun or a look as product names have it; measures stay as they are."""
    if any(sign.isdigit() for sign in text):
        return text
    return " ".join(word[:1].upper() + word[1:] for word in text.split(" "))
