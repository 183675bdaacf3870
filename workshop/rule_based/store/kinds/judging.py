"""Which of the products that were found answer a phrase: the tools go by wording, this by kind.

No dictionary knows every good and every accessory. But a shop names its goods alike: with a maker
before or behind the kind, with sizes and colours, at the prices of their kind; and what goes with
them otherwise: "Milk Churn Cleaner" beside six churns with makers and sizes. Where a phrase
stands whole in a name, the words around it are read and compared with those of the other products
that have it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from statistics import median
from typing import Literal

import regex

from store_tools import words as plain
from store_tools.combo_products import FOUND_AT_MOST
from store_tools.words import STOPWORDS, is_spec, plain_text, singular
from workshop.rule_based.store.facts import Facts, Product, QueryResult
from workshop.rule_based.store.kinds.kind_score import (
    ASIDE,
    FULL,
    KINDS,
    NAME_WORDS,
    RELATED,
    match_score,
    read_query,
)
from workshop.rule_based.store.kinds.lexicon import (
    ACCESSORIES,
    GENERIC,
    GOODS,
    IMITATIONS,
    LOOSE_CONTAINERS,
    QUALIFIERS,
    SYNONYMS,
    VARIANTS,
    WRITTEN,
    words,
)

NEAR_AT_MOST = 4
_ALIKE: defaultdict[str, list[str]] = defaultdict(list)
for _word, _one in SYNONYMS.items():
    _ALIKE[_one].append(_word)
_FOR = regex.compile(r"\b(?:for|with|without|featuring|incl(?:uding|\.)?|from|by)\b")
_CUTS = regex.compile(r"[,;()\[\]{}<>|/]|\s[-–—]\s")
_NUMBERS = {
    word: number
    for number, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve".split(), 1
    )
}
_NUMBERED = regex.compile(rf"\b(\d+|{'|'.join(_NUMBERS)})[\s-]+(\p{{L}}{{3,}})")
_CODE = regex.compile(r"\p{L}+\d+")
_PACK = regex.compile(r"\d+pk")
_MEASURED = regex.compile(r"\d+\p{L}+|\d+/\d+")
DETAIL = QUALIFIERS | GENERIC | LOOSE_CONTAINERS | VARIANTS | STOPWORDS
"""Words that describe a thing; those that are KINDS too may also name one ("glass")."""


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


@lru_cache(maxsize=1024)
def wording(phrase: str) -> str:
    """The query that finds all that may answer a phrase: with the synonyms of its words."""
    needed = read_query(phrase).needed
    written = [
        "|".join(
            dict.fromkeys(
                way.replace(" ", "-") for way in (word, *WRITTEN.get(word, ()), *_ALIKE[word])
            )
        )
        for word in needed
    ]
    # As it is said where that comes to the same: people and models read it.
    as_said = set(written) == set(plain.words(phrase)) - STOPWORDS
    return phrase if as_said or not needed else " ".join(written)


def judged(phrases: Iterable[str], facts: Facts) -> Facts:
    """Facts in which each phrase has the products that answer it, out of all that was seen."""
    listed = (p for one in facts.by_query.values() for p in (*one.matches, *one.near))
    seen = {p.sku: p for p in listed} | {p.sku: p for p in facts.catalog}
    if not seen:
        return facts
    shop = tuple(seen.values())
    by_query = {}
    for phrase in phrases:
        products = _answers(phrase, shop)
        matches = tuple(p for p in products if p.score >= FULL)
        near = tuple(products[len(matches) :][:NEAR_AT_MOST])
        cut = len(facts.found(wording(phrase)).matches) >= FOUND_AT_MOST
        by_query[phrase] = QueryResult(matches=matches, near=near, cut=cut)
    return facts.model_copy(update={"by_query": by_query})


@lru_cache(maxsize=8)
def _answers(phrase: str, shop: tuple[Product, ...]) -> list[Product]:
    """The products that answer a phrase at all, best first.

    Every later turn of a task asks for the same again.
    """
    asked = frozenset(words(phrase))
    scored = sorted(zip(rank(phrase, shop), shop, strict=True), key=itemgetter(0), reverse=True)
    return [
        p.model_copy(update={"score": score, "units": plain.units_of(p.name, p.sku, asked, GOODS)})
        for score, p in scored
        if score > 0
    ]


@dataclass(frozen=True)
class Place:
    """Where a phrase stands in a name, and what stands around it."""

    before: tuple[str, ...]
    tail: tuple[str, ...]
    """Words behind the phrase up to the next comma or bracket."""
    measured: bool
    """Whether the tail, or what follows it, holds a number or a measure."""
    packed: bool
    known: bool
    """Whether the tail holds a noun that is known to be a thing of its own."""
    goes_with: bool
    """Whether that is a thing that goes with others: a strap, a stand."""
    makers: tuple[str, ...]
    """Words of the tail that may be a maker or a model."""
    bare: bool
    """Nothing but the phrase and describing words."""

    @property
    def short(self) -> bool:
        """Named by the phrase and another word or two: no maker, no model, no measure."""
        return not self.before and not self.measured and 0 < len(self.tail) <= 2

    @property
    def modelled(self) -> bool:
        """Whether it is named with a maker in front, or a maker and a model behind."""
        return any(w not in DETAIL for w in self.before) or len(self.makers) > 1


def rank(query: str, products: Sequence[Product]) -> list[float]:
    """How well each product of a catalog answers a query, 0 to 1, as :func:`match_score`."""
    scores = [match_score(query, p.name, p.sku) for p in products]
    for noun, number in counted_nouns(query).items():
        for index, product in enumerate(products):
            if counted_nouns(product.name).get(noun, number) != number:
                scores[index] = min(OTHER, scores[index])
    phrase = kind_phrase(query)
    if not phrase:
        return scores
    found = {i: place for i, p in enumerate(products) if (place := find(phrase, p.name))}
    shop = _Shop(products, {i: p for i, p in found.items() if isinstance(p, Place)}, scores)
    ranked = list(scores)
    for index, place in found.items():
        verdict = "other" if place == "behind" else shop.verdict(index)
        if verdict == "it":
            ranked[index] = max(LIKELY, scores[index])
        elif verdict == "doubt":
            ranked[index] = RELATED
        elif verdict == "other":
            ranked[index] = min(OTHER, scores[index])
    return ranked


def kind_phrase(query: str) -> tuple[str, ...]:
    """The words of a query that names a kind and nothing else, () for any other query."""
    folded = plain_text(query)
    tokens = _tokens(folded)
    details = _FOR.search(folded) or any(is_spec(w) for w in tokens)
    return () if details or len(tokens) > 4 else tokens


@lru_cache(maxsize=2048)
def counted_nouns(text: str) -> dict[str, int]:
    """Nouns with the number before them: a lamp with one light is none with two lights."""
    pairs = _NUMBERED.findall(plain_text(text))
    return {singular(noun): _NUMBERS.get(number) or int(number) for number, noun in pairs}


@lru_cache(maxsize=2048)
def find(phrase: tuple[str, ...], name: str) -> Place | Literal["behind"] | None:
    """Where a phrase stands whole in a name: "behind" a "for", or None for nowhere."""
    folded = plain_text(ASIDE.sub(" ", name))
    preposition = _FOR.search(folded)
    main = folded[: preposition.start()] if preposition else folded
    texts = _CUTS.split(main)
    parts = [_tokens(part) for part in texts]
    if sum(len(p) for p in parts) > NAME_WORDS:
        return None
    for number, part in enumerate(parts):
        at = _index(phrase, part)
        if at >= 0:
            before = (*(w for p in parts[:number] for w in p), *part[:at])
            behind = [w for p in parts[number + 1 :] for w in p]
            return _place(before, part[at + len(phrase) :], texts[number], behind)
    rest = _tokens(folded[preposition.end() :]) if preposition else ()
    return "behind" if main.strip() and _index(phrase, rest) >= 0 else None


def _tokens(text: str) -> tuple[str, ...]:
    return tuple(w for w in words(text) if w not in STOPWORDS)


def _index(phrase: tuple[str, ...], tokens: tuple[str, ...]) -> int:
    for at in range(len(tokens) - len(phrase) + 1):
        if tokens[at : at + len(phrase)] == phrase:
            return at
    return -1


def _place(
    before: tuple[str, ...], tail: tuple[str, ...], text: str, behind: Sequence[str]
) -> Place:
    """``text`` is that of the part of the name, ``behind`` the words of the parts after it."""
    # What follows the first measure only describes.
    counted = {w for _, noun in _NUMBERED.findall(text) for w in words(noun)}
    measures = (i for i, w in enumerate(tail) if _MEASURED.fullmatch(w) or w in counted)
    end = next(measures, len(tail))
    nouns = _nouns(tail[:end])
    return Place(
        before=before,
        tail=tail,
        measured=end < len(tail) or any(is_spec(w) for w in (*tail, *behind)),
        packed=any(_PACK.fullmatch(w) for w in (*before, *tail, *behind)),
        known=any(w in KINDS and w not in DETAIL for w in nouns),
        goes_with=any(w in ACCESSORIES for w in nouns),
        makers=tuple(
            w for w in tail[:end] if _CODE.fullmatch(w) or (w in nouns and w not in KINDS)
        ),
        bare=not nouns,
    )


def _nouns(tail: Sequence[str]) -> list[str]:
    """Words that may name a thing, the descriptions at the end left out."""
    head = [w for w in tail if not is_spec(w)]
    while head and head[-1] in DETAIL and head[-1] not in KINDS:
        head.pop()
    return [w for w in head if w not in DETAIL or w in KINDS]


class _Shop:
    """The products of a shop whose names hold a phrase, compared with one another."""

    def __init__(
        self, products: Sequence[Product], places: Mapping[int, Place], scores: Sequence[float]
    ) -> None:
        self._prices = [p.price for p in products]
        self._places, self._scores = places, scores
        # Named with a maker, a model or a measure.
        named = {i: p for i, p in places.items() if not p.short}
        # Of a kind that is sold in packs only, a maker and a pack size are a full name.
        goods = [p for p in named.values() if not p.known]
        packs = len(goods) > 1 and all(p.packed for p in goods)
        self._sure = {
            i: p
            for i, p in named.items()
            if p.bare or p.modelled or (packs and p.packed and not p.known)
        }
        others = [p.name for i, p in enumerate(products) if i not in places or i in named]
        self._long = _are_long(others)

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
            # The phrase and describing words: "Clock Silver", but what is a "Clock Tin"?
            if not any(w in KINDS or w in LOOSE_CONTAINERS for w in place.tail):
                return "it"
            return "doubt" if self._long else "open"
        if self._scores[index] < FULL or not self._long:
            return "open"
        if not self._sure:
            return "doubt"
        packed = all(p.packed for p in self._sure.values())
        cheap = self._prices[index] <= min(self._prices[i] for i in self._sure)
        return "other" if packed or cheap else "doubt"

    def _by_another_noun(self, index: int, place: Place) -> Verdict:
        """A name with a maker and another noun: a look of the kind, or a thing that goes with it.

        It is a look where it stands in a name of the same build as the others, at prices of the
        kind.
        """
        if not place.modelled:
            return "other" if not place.before else "open"
        goods = {i: p for i, p in self._sure.items() if not p.known}
        if not goods:
            return "doubt"
        share = self._prices[index] / max(1, median(self._prices[i] for i in goods))
        if share < FOUL_PRICE:
            return "other" if place.goes_with else "doubt"
        build = len(place.before), len(place.tail)
        alike = any((len(p.before), len(p.tail)) == build for p in goods.values())
        return "it" if alike and (not place.goes_with or share >= FAIR_PRICE) else "doubt"


def _are_long(names: Sequence[str]) -> bool:
    """Whether most of these names hold several words or a number besides a kind."""
    long = sum(1 for n in names if len(t := words(n)) >= LONG or any(is_spec(w) for w in t))
    return bool(names) and long >= LONG_NAMES * len(names)
