"""Texts compared word by word: without case and diacritics, in every spelling that is usual."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import regex
from rapidfuzz import fuzz

from core.tools.folding import fold

SAME = 0.8
"""Words that are at least so much alike are one, inflected or misspelt."""
ALIKE = 84
"""Of 100: words that are so much alike are the same one, inflected or misspelt."""
_WORD = regex.compile(r"[\p{L}\p{N}]+")
_WRITTEN_OUT = regex.compile(r"(?<=[aou])e|(?<=a)a|(?<=d)j")
"""What ASCII spellings add to a letter: ue for ü, aa for å, dj for đ."""


@lru_cache(maxsize=2048)
def words(text: str) -> tuple[str, ...]:
    """The words of a text, folded, in their order."""
    return tuple(_WORD.findall(fold(text)))


def levelled(text: str) -> tuple[str, ...]:
    """The words of a text, equal for all spellings of a letter: Müller, Mueller and Muller."""
    found: list[str] = []
    for word in words(text):
        while (shorter := _WRITTEN_OUT.sub("", word)) != word:
            word = shorter
        found.append(word)
    return tuple(found)


def within(part: str, text: str) -> bool:
    """Whether the words of a part stand in a text, in their order and without others between."""
    wanted, have = words(part[:2000]), words(text[:200_000])
    return bool(wanted) and f" {' '.join(wanted)} " in f" {' '.join(have)} "


@lru_cache(maxsize=16384)
def alike(one: str, other: str) -> float:
    """How far two words are the same, from 0 to 1: equal, inflected, or misspelt."""
    if one == other:
        return 1.0
    short, long = sorted((one, other), key=len)
    if len(short) >= 4 and long.startswith(short):
        return 0.92 if len(long) - len(short) <= 3 else 0.75
    shared = next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(short)
    )
    if shared >= 5 and len(long) - shared <= 4:
        return 0.8
    ratio = fuzz.ratio(one, other)
    return ratio / 100 * 0.95 if min(len(short), 5) >= 4 and ratio >= ALIKE else 0.0


def telling_weights(asked: Iterable[str], texts: Sequence[Iterable[str]]) -> dict[str, float]:
    """How much each word tells, by how few of the texts have it in any form.

    One that none has tells as little as one that all have.
    """
    sets = [frozenset(text) for text in texts]

    def weight(word: str) -> float:
        having = sum(any(alike(word, other) for other in text) for text in sets)
        return math.log(1 + len(sets) / (having or len(sets)))

    return {word: weight(word) if sets else 1.0 for word in asked}


def phrase_score(
    asked: Sequence[str], fields: Mapping[str, Sequence[str]], weights: Mapping[str, float]
) -> tuple[int, str]:
    """How far a record's fields have the words of a phrase, 0 to 100, and which fields had them.

    ``weights``: how much each asked word tells.
    """
    total = sum(weights[word] for word in asked)
    got = 0.0
    shares: defaultdict[str, float] = defaultdict(float)
    for word in asked:
        best = {
            field: max((alike(word, other) for other in have), default=0.0)
            for field, have in fields.items()
        }
        field = max(best, key=lambda name: best[name])
        if best[field]:
            got += weights[word] * best[field]
            shares[field] += weights[word] * best[field]
    matched = ", ".join(name for name in sorted(shares, key=lambda f: -shares[f]))
    return round(100 * got / total) if total else 0, matched
