"""Numbers in a text, in digits and in words, as far as a value of a record can be meant by them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

import regex

from company_tools.words import words

_DIGITS = regex.compile(r"\d(?:[\d.,'’\u00a0\u202f ]{0,20}\d)?")
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
THOUSANDS = regex.compile(
    r"\s?(?:k\b|thousand|tausend|mille?\b|mila\b|grand\b|тыс|千|e3\b)", regex.I
)


def numbers(text: str) -> set[float]:
    """Every number that a text may mean; digits with separators are read in each way."""
    plain = unicodedata.normalize("NFKC", text)
    values = {float(IN_WORDS[word]) for word in words(plain) if word in IN_WORDS}
    for match in _DIGITS.finditer(plain):
        for number in _readings(match[0]):
            values.add(number)
            if THOUSANDS.match(plain, match.end()):
                values.add(round(number * 1000, 2))
    return values


def _readings(digits: str) -> Iterator[float]:
    """The numbers that digits with separators may be."""
    for part in regex.split(r"[ ’'\u00a0\u202f]", digits):
        yield from _values(part)
    yield from _values(regex.sub(r"[ ’'\u00a0\u202f]", "", digits))


def _values(digits: str) -> Iterator[float]:
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
