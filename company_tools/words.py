"""Texts compared word by word: without case and diacritics, in every spelling that is usual."""

from __future__ import annotations

import math
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
_SMALL_WORDS = (
    "a an and the of for to in on at by with from that this which who whom whose what is are was "
    "do does did we our us my me i it its their his her project projects customer customers "
    "client company"
)
_STOP = frozenset(_SMALL_WORDS.split())


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


def telling(text: str) -> tuple[str, ...]:
    """The words of a phrase that tell something; all where none does."""
    every = tuple(dict.fromkeys(words(text)))
    return tuple(word for word in every if word not in _STOP) or every


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


def is_among(word: str, others: Iterable[str]) -> bool:
    """Whether a word is one of others, in any form of it."""
    return any(alike(word, other) >= SAME for other in others)


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


_DIGITS = regex.compile(r"\d(?:[\d.,'’\u00a0\u202f ]{0,20}\d)?")
_BLANKS = regex.compile(r"[ ’'\u00a0\u202f]")
_FRACTION = regex.compile(r"[.,]\d{1,2}$")
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve",
    "null ein zwei drei vier funf sechs sieben acht neun zehn elf zwolf",
    "zero un deux trois quatre cinq six sept huit neuf dix onze douze",
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici",
)
"""The numbers from 0 to 12 in the languages that users of the platform write most."""
IN_WORDS = {word: n for row in _SMALL for n, word in enumerate(row.split())} | {
    **dict.fromkeys(("eins", "eine", "einen", "une", "una", "once"), 1),
    **dict.fromkeys(("half", "halbe", "halben", "demi", "demie", "media", "mezza"), 0.5),
}
_PARTS = {"third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
"""Words for parts of something, or for days of a month."""
THOUSANDS = regex.compile(
    r"\s?(?:k\b|thousand|tausend|mille?\b|mila\b|grand\b|тыс|千|e3\b)", regex.I
)


def numbers(text: str) -> set[float]:
    """Every number that a text may mean; digits with separators are read in each way."""
    plain = unicodedata.normalize("NFKC", text)
    have = words(plain)
    values = {float(IN_WORDS[word]) for word in have if word in IN_WORDS}
    # "dreieinhalb", three and a half.
    halves = (word.removesuffix("einhalb") for word in have if word.endswith("einhalb"))
    values |= {IN_WORDS[word] + 0.5 for word in halves if word in IN_WORDS}
    shares = [_PARTS[word] for word in have if word in _PARTS]
    values |= {n for share in shares for n in (float(share), round(1 / share, 4))}
    for match in _DIGITS.finditer(plain):
        parts = (*_BLANKS.split(match[0]), _BLANKS.sub("", match[0]))
        for number in (number for part in parts for number in _values(part)):
            values.add(number)
            if THOUSANDS.match(plain, match.end()):
                values.add(round(number * 1000, 2))
    return values


def _values(digits: str) -> Iterator[float]:
    """The numbers that digits with points and commas may be."""
    whole = regex.sub(r"\D", "", digits)
    if whole and len(whole) < 16:
        yield float(whole)
    if cents := _FRACTION.search(digits):
        head = regex.sub(r"\D", "", digits[: cents.start()])
        if head and len(head) < 16:
            yield float(f"{head}.{cents[0][1:]}")
    for piece in regex.split(r"[.,]", digits):
        if piece and len(piece) < 16:
            yield float(piece)
