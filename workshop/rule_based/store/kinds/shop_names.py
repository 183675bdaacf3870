"""Telling a kind of thing from what only goes with it, by how a shop names its products.

No dictionary knows every good and every accessory. But a shop names its goods alike: with a maker
before or behind the kind, with sizes and colours, at the prices of their kind; and what goes with
them otherwise: "Milk Churn Cleaner" beside six churns with makers and sizes. Where a phrase
stands whole in a name, the words around it are read and compared with those of the other products
that have it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, Literal

from store_tools.words import is_spec
from workshop.rule_based.store.kinds.kind_score import FULL, KINDS, RELATED, match_score
from workshop.rule_based.store.kinds.lexicon import IMITATIONS, LOOSE_CONTAINERS, words
from workshop.rule_based.store.kinds.name_parts import Place, counted_nouns, find, kind_phrase

Verdict = Literal["it", "doubt", "other", "open"]
"""Of the kind, perhaps, something else, or nothing that the name tells."""
OTHER = 0.3
LIKELY = 0.9
"""Score of a product that is named as its kind is in this shop."""
FOUL_PRICE = 0.2
"""A thing named by another noun that costs less than this part of its kind goes with it only."""
FAIR_PRICE = 0.75
"""From this part on its name is that of a look, even with a noun like "case"."""
LONG_NAMES = 0.7
"""Part of long names from which on a shop counts as one that names maker, model or size."""
LONG = 4


def rank(query: str, products: Sequence[Mapping[str, Any]]) -> list[float]:
    """How well each product of a catalog answers a query, 0 to 1, as :func:`match_score`.

    A product is a mapping with name, sku and price in whole dollars.
    """
    scores = [match_score(query, p["name"], p["sku"]) for p in products]
    for noun, number in counted_nouns(query).items():
        for index, product in enumerate(products):
            if counted_nouns(product["name"]).get(noun, number) != number:
                scores[index] = min(OTHER, scores[index])
    phrase = kind_phrase(query)
    if not phrase:
        return scores
    found = {i: place for i, p in enumerate(products) if (place := find(phrase, p["name"]))}
    if not found:
        return scores
    places = {i: p for i, p in found.items() if isinstance(p, Place)}
    shop = _Shop(products, places, scores)
    verdicts = {i: shop.verdict(i) if i in places else "other" for i in found}
    for index, verdict in verdicts.items():
        scores[index] = _score(verdict, scores[index])
    return scores


def _score(verdict: Verdict, base: float) -> float:
    if verdict == "it":
        return max(LIKELY, base)
    if verdict == "doubt":
        return RELATED
    return base if verdict == "open" else min(OTHER, base)


class _Shop:
    """The products of a shop whose names hold a phrase, compared with one another."""

    def __init__(
        self,
        products: Sequence[Mapping[str, Any]],
        places: Mapping[int, Place],
        scores: Sequence[float],
    ) -> None:
        self._prices = [p["price"] for p in products]
        self._places, self._scores = places, scores
        self._named = {i: p for i, p in places.items() if not p.short}
        """Those named with a maker, a model or a measure."""
        # Of a kind that is sold in packs only, a maker and a pack size are a full name.
        goods = [p for p in self._named.values() if not p.known]
        packs = len(goods) > 1 and all(p.packed for p in goods)
        self._sure = {
            i: p
            for i, p in self._named.items()
            if p.bare or p.modelled or (packs and p.packed and not p.known)
        }
        short = {i for i, p in places.items() if p.short}
        self._long = _long_names([p["name"] for i, p in enumerate(products) if i not in short])

    def verdict(self, index: int) -> Verdict:
        """What the product at an index of the catalog is."""
        place = self._places[index]
        if any(w in IMITATIONS for w in (*place.before, *place.tail)):
            return "open"
        if place.short:
            return self._short(index, place)
        if place.bare:
            return "it"
        if not self._long:
            return "open"
        if place.known:
            return self._by_another_noun(index, place)
        return "it" if index in self._sure else "open"

    def _short(self, index: int, place: Place) -> Verdict:
        """A name like "Kettle Descaler": an odd one out among names with makers and sizes."""
        if place.known:
            return "other"
        if place.bare or place.tail[-1] in LOOSE_CONTAINERS:
            return self._plain(place)
        if self._scores[index] < FULL or not self._long:
            return "open"
        if not self._sure:
            return "doubt"
        packed = all(p.packed for p in self._sure.values())
        cheap = self._prices[index] <= min(self._prices[i] for i in self._sure)
        return "other" if packed or cheap else "doubt"

    def _plain(self, place: Place) -> Verdict:
        """A name of the phrase and describing words: "Clock Silver", but what is a "Clock Tin"?"""
        if not any(w in KINDS or w in LOOSE_CONTAINERS for w in place.tail):
            return "it"
        return "doubt" if self._long else "open"

    def _by_another_noun(self, index: int, place: Place) -> Verdict:
        """A name with a maker and another noun: a look of the kind, or a thing that goes with it.

        It is a look where it stands in a name of the same build as the others, at prices of the
        kind.
        """
        if not place.modelled:
            return "other" if not place.before else "open"
        usual = [self._prices[i] for i, p in self._sure.items() if not p.known]
        if not usual:
            return "doubt"
        share = self._prices[index] / max(1, median(usual))
        if share < FOUL_PRICE:
            return "other" if place.goes_with else "doubt"
        alike = any(p.build == place.build and not p.known for p in self._sure.values())
        return "it" if alike and (not place.goes_with or share >= FAIR_PRICE) else "doubt"


def _long_names(names: Sequence[str]) -> bool:
    """Whether most of these names hold several words or a number besides a kind."""
    long = sum(1 for n in names if len(t := words(n)) >= LONG or any(is_spec(w) for w in t))
    return bool(names) and long >= LONG_NAMES * len(names)
