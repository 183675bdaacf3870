"""Words of shop texts, whatever the goods: tokens, plurals, measures and pack sizes."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path

import regex

from core.tools.folding import fold

_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
IRREGULAR_PLURALS: dict[str, str] = _WORDS["singulars"]
ABBREVIATIONS, CONTAINERS, STOPWORDS = (
    frozenset(_WORDS[kind].split()) for kind in ("abbreviations", "containers", "stopwords")
)
_MEASURE_NAMES = {way: short for short, ways in _WORDS["measures"].items() for way in ways.split()}
_NUMBER: dict[str, int] = _WORDS["numbers"]

_INCH = regex.compile(r"(?<=\d)\s*(?:\\?\"|″|”|“|''|′′|-?\s?inch(?:es)?\b)")
_MEASURE = regex.compile(
    r"(?<![\p{L}\d])(\d+(?:[.,]\d+)?)[\s-]?"
    r"(lbs?|pounds?|mg|milligrams?|tablets?|capsules?|pills?|caplets?|kgs?|kilos?|g|grams?|oz|ounces?|ml|cl|l|lit(?:er|re)s?|gal(?:lons?)?|mm|cm|m|met(?:er|re)s?|ft|feet|"
    r"tb|gb|mb|w|watts?|v|volts?|k|hz|mhz|ghz|p|mah|inch|qt|quarts?|persons?|people|seasons?|"
    r"years?|yr|sheets?|pages?|pieces?|pcs?|gallons?|speeds?|lumens?|rows?|doors?|seat(?:er)?s?)\b"
)
_N = r"(\d+|" + "|".join(_NUMBER) + r")"
_BOX = "|".join(sorted(CONTAINERS, key=len, reverse=True))
_PACKS = [
    regex.compile(rf"\b(?:{_BOX})e?s?\s+of\s+{_N}\b"),
    regex.compile(rf"\b{_N}[\s-]*(?:pks?|packs?|packets?|ct|cnt|counts?|-?piece set)\b(?!-\d)"),
    regex.compile(rf"\b{_N}-(?:{_BOX})\b"),
    regex.compile(r"\b(\d+)\s?[x×]\s?(?=\d+(?:[.,]\d+)?\s?(?:ml|cl|l|oz|g|kg)\b)"),
]
_TIMES = regex.compile(
    r"(?P<noun>\p{L}{2,}|\d\s?(?:ml|cl|l|oz|g|kg))\s*(?:(?:\s(?:x|×\s?))(?P<n>\d+)|\((?P<n>\d+)\))\s*$"
)
"""A number behind goods that come in numbers: "Tea Lights x24", "Cola 330 ml x6", "Pegs (10)".

A capital X, a name before it or more words behind it make it a model ("Spectre x360", "Board X45").
"""
_TIMES_CHARS = 80
"""At the end of a text: over all of a long one the pattern would take the square of its length."""
_YEARS = range(1900, 2101)
_COUNTED = regex.compile(r"\b(\d+)\s+(\p{L}{3,})\b")
_PIECES = frozenset({"pk", "unit"})
_COUNTABLE = CONTAINERS | {"sheet", "page", "capsule", "tablet", "piece"}
"""Nouns before which a number is no model: "6 Rolls", but not "Bose 700 Headphones"."""
_DOZEN = regex.compile(r"\b(half[\s-]?(?:a[\s-])?)?dozen\b")
_ORDINALS = {"first": "1st", "second": "2nd", "third": "3rd", "fourth": "4th", "fifth": "5th"}
_ORDINAL = regex.compile(rf"\b({'|'.join(_ORDINALS)})(?=\s+(?:edition|generation|gen|version)\b)")
_EXTENT = regex.compile(
    r"(?<=\d\s?(?:mm|cm|m|ft|in|inch|meters?|metres?))\s+(?:long|wide|high|tall|thick|deep)\b"
)
_NUMBERED = regex.compile(r"\b(\d+)-(\p{L}{3,})\b")
"""A spec like "2-step", whose noun says nothing of the kind."""
_NEGATED = regex.compile(r"\bnon[\s-]+(\p{L}+)")
_TOKEN = regex.compile(r"\d+/\d+|[\p{L}\p{N}]+(?:[.'’][\p{L}\p{N}]+)*")


@lru_cache(maxsize=4096)
def plain_text(text: str) -> str:
    """Casefolded text with marks, quotes and inch signs in one spelling."""
    folded = text.casefold()
    if not text.isascii():
        folded = fold(text).replace("’", "'")
    return _INCH.sub("inch", folded).replace("°", " degree ")


def pack_size(text: str, asked_words: frozenset[str] = frozenset()) -> int | None:
    """How many single units a product text names ("6-pack", "dozen", "5 pcs"), or None.

    A number needs a word of packs beside it: in a model's name it tells no size. A counted noun
    other than pieces ("4 Rolls") tells one only where it was asked for: a pad of 12 sheets is one.
    """
    folded = plain_text(text)
    noted = _noted_size(folded) or _times(text)
    if noted:
        return noted
    countable = _PIECES | (asked_words & _COUNTABLE)
    counted = [
        int(number)
        for number, noun in _COUNTED.findall(folded)
        if noun.endswith("s") and singular(_MEASURE_NAMES.get(noun, noun)) in countable
    ]
    return counted[0] if len(counted) == 1 and 0 < counted[0] <= 10_000 else None


def _noted_size(folded: str) -> int | None:
    """The size that a pack notation tells, without counted nouns."""
    for pattern in _PACKS:
        match = pattern.search(folded)
        if match:
            size = _NUMBER.get(match[1]) or (int(match[1]) if match[1].isdigit() else 0)
            if 0 < size <= 10_000:
                return size
    dozen = _DOZEN.search(folded)
    return (6 if dozen[1] else 12) if dozen else None


def _times(text: str) -> int:
    """The size in a trailing "x24" or "(10)" behind goods in the plural or a measure; 0 for none."""
    match = _TIMES.search(text[-_TIMES_CHARS:])
    if not match:
        return 0
    noun, number = match["noun"].casefold(), int(match["n"])
    several = noun[0].isdigit() or singular(noun) != noun or noun in CONTAINERS
    fits = 0 < number <= 10_000 and number not in _YEARS
    return number if several and fits else 0


def units_of(name: str, sku: str = "", asked_words: frozenset[str] = frozenset()) -> int:
    """Single units in one piece of a product: from its name, else from its SKU, else 1.

    ``asked``: the words of a request, whose nouns may be counted in the name.
    """
    return pack_size(name, asked_words) or pack_size(sku.replace("-", " ").replace("_", " ")) or 1


@lru_cache(maxsize=4096)
def words(text: str) -> tuple[str, ...]:
    """Tokens of a text in one form: singular, measures joined, packs as ``6pk``."""
    return tuple(singular(t) for t in tokens(plain_text(text)))


@lru_cache(maxsize=4096)
def tokens(folded: str) -> tuple[str, ...]:
    """Tokens of a :func:`plain_text`, measures joined and packs as ``6pk``, plurals as they are."""
    folded = _ORDINAL.sub(lambda m: _ORDINALS[m[1]], folded)
    folded = _EXTENT.sub(" ", folded)
    folded = _NEGATED.sub(r"non\1", folded)
    for pattern in _PACKS:
        folded = pattern.sub(lambda m: f" {_NUMBER.get(m[1], m[1])}pk ", folded)
    folded = _DOZEN.sub(lambda m: " 6pk " if m[1] else " 12pk ", folded)
    folded = _MEASURE.sub(lambda m: f" {m[1]}{_MEASURE_NAMES.get(m[2], m[2])} ", folded)
    folded = _NUMBERED.sub(r"\1\2", folded)
    return tuple(t.removesuffix("'s").replace("'", "") for t in _TOKEN.findall(folded))


@lru_cache(maxsize=8192)
def singular(token: str) -> str:
    """The singular of an English noun, by rule; other words pass unchanged."""
    if token in IRREGULAR_PLURALS:
        return IRREGULAR_PLURALS[token]
    if token[:-1] in ABBREVIATIONS and token.endswith("s"):
        return token[:-1]
    if token.endswith("ie") and len(token) > 4:
        return token[:-2] + "y"
    if len(token) < 4 or not token.endswith("s") or token.endswith(("ss", "us", "is")):
        return token
    if token.endswith("ies") and len(token) > 4:
        return token[:-3] + "y"
    if token.endswith(("sses", "xes", "zzes", "tzes", "ches", "shes")):
        return token[:-2]
    if token.endswith("oes"):
        return token[:-2]
    return token[:-1]


@lru_cache(maxsize=8192)
def is_spec(token: str) -> bool:
    """Whether a token is a number, size, measure or model code rather than a word."""
    return any(c.isdigit() for c in token) or len(token) == 1
