"""Finding products by the wording of a query, for the API has no search.

Names are data: texts are compared letter by letter, in any language. What kind of thing a product
is, and which of several is meant, is judged by who asked. A query may give a word in several ways,
"sofa|couch|day-bed", of which one has to stand there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import regex
from rapidfuzz import fuzz
from rapidfuzz.distance import DamerauLevenshtein

from core.tools.folding import fold
from store_tools.basket import Product

FITS, NEAR = 2, 1
"""Every word of the query stands there; or each that does not, stands there in another spelling or
within a longer word."""
ENDING = 3
"""Letters in which two forms of a word may differ at the end."""
STEM = 3
"""Letters that they share at least; where both have an ending of their own, one more."""
SPELLING_LENGTH = 6
"""From so many letters on one may be wrong, from nine on two."""
_TOKEN = regex.compile(r"\p{L}[\p{L}\p{M}'’]*|\d+(?:[.,]\d+)?")
_WAYS = regex.compile(r"[^\s|]+(?:\|[^\s|]+)+")
_PACK = regex.compile(
    r"(?<![\p{L}\d.,])(?:(?P<n>\d{1,5})[\s_-]?(?:pk|pack|ct|pcs?)|pack of (?P<n>\d{1,5}))\b",
    regex.IGNORECASE,
)
"""Marks of the trade for the pieces in a package: 6pk, 12-pack, 100ct, 5 pcs, pack of 10."""
LARGEST_PACK = 10_000

Word = tuple[str, ...]
"""What was written as one word: "h100" is a letter and a number."""


class Found(NamedTuple):
    """How a product answers a query; the larger, the better."""

    grade: int
    """FITS, NEAR, or 0: some of its words are missing."""
    share: float
    """Part of the query's words that it has."""
    likeness: float
    """Of query and name as texts, 0 to 100."""


class _Query(NamedTuple):
    words: tuple[tuple[Word, ...], ...]
    """Each word in each way that it was given."""
    text: str


class _Texts(NamedTuple):
    tokens: frozenset[str]
    """Of name and SKU, and neighbours written as one."""
    text: str


def units_of(name: str, sku: str) -> int:
    """Pieces in one package by the mark of its SKU, else of its name; 1 where neither has one."""
    for text in (sku, name):
        sizes = [int(mark["n"]) for mark in _PACK.finditer(text)]
        if len(sizes) == 1 and 0 < sizes[0] <= LARGEST_PACK:
            return sizes[0]
    return 1


def search(query: str, products: Sequence[Product]) -> list[Found]:
    """Grade each product by a query, in the order of the products.

    "soda|cola|soft drink" is meant as whole phrases, "grey|gray sofa|couch" word by word. A query
    is read word by word first; where nothing fits, as phrases.
    """
    grades = _grades(query, products)
    phrases = [phrase for phrase in query.split("|") if phrase.strip()]
    if len(phrases) < 2 or any(grade.grade >= FITS for grade in grades):
        return grades
    by_phrase = zip(*(_grades(phrase, products) for phrase in phrases), strict=True)
    return [max(of_product) for of_product in by_phrase]


def _grades(query: str, products: Sequence[Product]) -> list[Found]:
    parts = _parsed(query)
    return [_answer(parts, _texts(p.name, p.sku)) for p in products]


def _tokens(text: str) -> tuple[str, ...]:
    return tuple(t.replace("'", "").replace("’", "") for t in _TOKEN.findall(fold(text)))


@lru_cache(maxsize=1024)
def _parsed(query: str) -> _Query:
    plain = [((token,),) for token in dict.fromkeys(_tokens(_WAYS.sub(" ", query)))]
    given = [tuple(filter(None, map(_tokens, m.split("|")))) for m in _WAYS.findall(query)]
    words = (*plain, *filter(None, given))
    return _Query(words, " ".join(" ".join(ways[0]) for ways in words))


@lru_cache(maxsize=2048)
def _texts(name: str, sku: str) -> _Texts:
    chains = _tokens(name), _tokens(sku)
    joined = (a + b for chain in chains for a, b in pairwise(chain))
    return _Texts(frozenset({*chains[0], *chains[1], *joined}), " ".join(chains[0]))


def _answer(query: _Query, texts: _Texts) -> Found:
    if not query.words:
        return Found(0, 0.0, 0.0)
    written = [way for ways in query.words for way in ways[:1]]
    flat = [token for word in written for token in word]
    # A name may write as one word what the query writes as two.
    split = {t for a, b in pairwise(flat) if a + b in texts.tokens for t in (a, b)}
    have = texts.tokens | split
    missing = [w for w in query.words if not any(all(_stands(t, have) for t in way) for way in w)]
    share = 1 - len(missing) / len(query.words)
    grade = 0
    if not missing:
        grade = FITS
    elif all(any(_resembles(t, have) for way in w for t in way) for w in missing):
        grade = NEAR
    return Found(grade, share, fuzz.token_sort_ratio(query.text, texts.text))


def _stands(token: str, have: frozenset[str]) -> bool:
    """Whether a word stands there, in this form or with another ending."""
    return token in have or any(_inflected(token, other) for other in have)


@lru_cache(maxsize=65_536)
def _inflected(one: str, other: str) -> bool:
    if not (one.isalpha() and other.isalpha()):
        return False
    stem = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if stem is None:
        stem = min(len(one), len(other))
        return stem >= STEM and max(len(one), len(other)) - stem < ENDING
    return stem > STEM and max(len(one), len(other)) - stem <= ENDING


def _resembles(token: str, have: Iterable[str]) -> bool:
    """Whether a word stands there misspelt, or at the end of a longer one (a saw in a hacksaw)."""
    allowed = 0 if len(token) < SPELLING_LENGTH else 1 if len(token) < 9 else 2
    for other in have:
        if not (token.isalpha() and other.isalpha()):
            continue
        if len(token) >= STEM and len(other) >= len(token) + STEM and other.endswith(token):
            return True
        near = allowed and len(other) >= SPELLING_LENGTH and other[0] == token[0]
        if near and DamerauLevenshtein.distance(token, other, score_cutoff=allowed) <= allowed:
            return True
    return False
