"""Finding products by the wording of a query, for the API has no search.

Here only words are compared: plurals, measures and pack sizes in one form, words written apart or
as one, a letter or two misspelt. A query may give a word in several ways, "sofa|couch|day-bed", of
which one has to stand there. What kind of thing a product is, is judged by who asked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import regex
from rapidfuzz import fuzz
from rapidfuzz.distance import DamerauLevenshtein

from store_tools.basket import Product
from store_tools.words import STOPWORDS, is_spec, words

SURE, FITS, DOUBTFUL = 3, 2, 1
"""The name holds all words of the query and says nothing else but sizes, or what it names is the
last of them ("wool coat", no "coat hanger"); name and SKU hold them; a word of it stands there in
another spelling or within a longer word."""
SPELLING_LENGTH = 6
Ways = tuple[tuple[str, ...], ...]
_WAYS = regex.compile(r"[^\s|]+(?:\|[^\s|]+)+")
_BEHIND = regex.compile(r"[(\[]|\s(?:for|with|without|of|in|on|by|from|to|and|or)\s", regex.I)
"""What stands behind it in a name is no longer what is sold."""
_BREAKS = dict.fromkeys(map(ord, "-_/."), " ")


class Found(NamedTuple):
    """How a product answers a query; the larger, the better."""

    grade: int
    """SURE, FITS, DOUBTFUL, or 0: some of its words are missing."""
    share: float
    """Part of the query's words that it has."""
    ends: bool
    """Whether its name ends with one of them, sizes aside: a laptop bag is a bag."""
    likeness: float
    """Of query and name as texts, 0 to 100."""


class _Query(NamedTuple):
    words: tuple[Ways, ...]
    lasts: frozenset[str]
    """What is looked for: the last word, in each way that it was given."""
    chain: tuple[tuple[str, str], ...]
    """Neighbours among the words that are written in one way, for names that join them."""
    named: frozenset[str]
    text: str


class _Texts(NamedTuple):
    name: tuple[str, ...]
    sku: tuple[str, ...]
    joined: frozenset[str]
    """Words of the name, and neighbours written as one."""
    every: frozenset[str]
    """Words of name and SKU, and neighbours written as one."""
    rest: tuple[str, ...]
    """Words of the name that are neither sizes nor small words."""
    thing: str
    """What the name names: the last of them before a "for" or "with"; "" where none stands."""
    text: str


def search(query: str, products: Sequence[Product]) -> list[Found]:
    """Grade each product by a query, in the order of the products.

    "soda|cola|soft drink" is meant as whole phrases, "grey|gray sofa|couch" word by word. A query
    is read word by word first; where nothing fits, as phrases, and then no match is sure.
    """
    grades = _grades(query, products)
    phrases = [phrase for phrase in query.split("|") if phrase.strip()]
    if len(phrases) < 2 or any(grade.grade >= FITS for grade in grades):
        return grades
    by_phrase = zip(*(_grades(phrase, products) for phrase in phrases), strict=True)
    best = (max(of_product) for of_product in by_phrase)
    return [grade._replace(grade=min(grade.grade, FITS)) for grade in best]


def _grades(query: str, products: Sequence[Product]) -> list[Found]:
    parts = _parsed(query)
    return [_answer(parts, _texts(p.name, p.sku)) for p in products]


@lru_cache(maxsize=1024)
def _parsed(query: str) -> _Query:
    every = words(_WAYS.sub(" ", query))
    plain = tuple(dict.fromkeys(w for w in every if w not in STOPWORDS)) or every
    given = (match.replace("-", " ").split("|") for match in _WAYS.findall(query))
    parts: tuple[Ways, ...] = (
        *(((w,),) for w in plain),
        *(tuple(way for w in ways if (way := words(w))) for ways in given),
    )
    named = frozenset(w for ways in parts for way in ways for w in way)
    text = " ".join(" ".join(ways[0]) for ways in parts if ways)
    last = parts[-1] if parts else ()
    lasts = frozenset(next((w for w in reversed(way) if not is_spec(w)), "") for way in last)
    return _Query(parts, lasts - {""}, tuple(pairwise(plain)), named, text)


@lru_cache(maxsize=2048)
def _texts(name: str, sku: str) -> _Texts:
    chains = words(name), words(sku.translate(_BREAKS))
    of_name, of_sku = ({*chain, *(a + b for a, b in pairwise(chain))} for chain in chains)
    rest = tuple(w for w in chains[0] if w not in STOPWORDS and not is_spec(w))
    named = [w for w in words(_BEHIND.split(name, maxsplit=1)[0]) if not is_spec(w)]
    thing = named[-1] if named else ""
    every = frozenset(of_name | of_sku)
    return _Texts(*chains, frozenset(of_name), every, rest, thing, " ".join(chains[0]))


def _answer(query: _Query, texts: _Texts) -> Found:
    have = texts.every.union(*((a, b) for a, b in query.chain if a + b in texts.every))
    missing = [ways for ways in query.words if not _has(ways, have)]
    if not query.words:
        return Found(0, 0.0, False, 0.0)
    share = 1 - len(missing) / len(query.words)
    grade = 0
    if not missing:
        named = all(_has(ways, texts.name) for ways in query.words)
        says_it = texts.thing in query.lasts or query.named.issuperset(texts.rest)
        grade = SURE if (named and says_it) or _is_its_sku(query, texts) else FITS
    elif all(any(_alike(w, texts.every) for way in ways for w in way) for ways in missing):
        grade = DOUBTFUL
    ends = texts.rest[-1:] != () and texts.rest[-1] in query.named
    return Found(grade, share, ends, fuzz.token_sort_ratio(query.text, texts.text))


def _is_its_sku(query: _Query, texts: _Texts) -> bool:
    """Whether the SKU says the query, and else only sizes or models that the name has too.

    So a shop files what it names by its maker: "gpu-h100" for "NVIDIA H100". A name that says a
    word of the query otherwise ("laptop bag") is judged by its own words.
    """
    others = set(texts.sku) - query.named
    return (
        all(_has(ways, texts.sku) for ways in query.words)
        and all(is_spec(word) and word in texts.joined for word in others)
        and query.named.isdisjoint(texts.name)
    )


def _has(ways: Ways, have: Collection[str]) -> bool:
    """Whether one of the ways stands there; an inch mark is easily lost: 27 for 27"."""
    return any(
        all(w in have or (w.isdecimal() and f"{w}inch" in have) for w in way) for way in ways
    )


def _alike(word: str, have: Iterable[str]) -> bool:
    """Whether a word stands there misspelt, or at the end of a longer one (a saw in a hacksaw)."""
    allowed = 0 if len(word) < SPELLING_LENGTH else 1 if len(word) < 9 else 2
    for other in have:
        if is_spec(word) or is_spec(other):
            continue
        if len(word) >= 3 and len(other) >= len(word) + 3 and other.endswith(word):
            return True
        near = allowed and len(other) >= SPELLING_LENGTH and other[0] == word[0]
        if near and DamerauLevenshtein.distance(word, other, score_cutoff=allowed) <= allowed:
            return True
    return False
