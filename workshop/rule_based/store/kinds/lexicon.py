"""General shop vocabulary: synonyms, and what kind of word a word is."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

import regex

from store_tools import words as plain

_WORDS: dict[str, Any] = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))


def _set(name: str) -> frozenset[str]:
    return frozenset(_WORDS[name].split())


WRITTEN: dict[str, list[str]] = {one: ways.split("|") for one, ways in _WORDS["written"].items()}
"""By one word the ways in which shops write it in several."""
_WAYS = "|".join(f"(?P<{one}>{'|'.join(ways)})" for one, ways in WRITTEN.items())
PHRASE = regex.compile(rf"\b(?:{_WAYS})(?:e?s)?\b".replace(" ", r"[\s-]?"))
"""Any of these ways, however its words are joined; the group's name is the one word for it."""

# A group's first word stands for all; groups of one say that a word is known.
_SEPARATE = _set("separate")
SYNONYMS: dict[str, str] = {
    word: group.split()[0]
    for line in _WORDS["synonyms"].strip().splitlines()
    for group in line.split("|")
    for word in group.split()
    if word not in _SEPARATE
}
SYNONYMS |= {"l": "large", "m": "medium", "s": "small", "crisps": "crisp"}

COLOURS = _set("colours")

MATERIALS = _set("materials")

VARIANTS = _set("variants")
"""Words that, next to a model name, make another model of it."""

QUALIFIERS = COLOURS | MATERIALS | _set("marks") | _set("qualifiers")
"""Words that may stand behind the noun of a product name without changing what it is."""

THINGS = _set("things")
"""Nouns that, at the end of a name, say what a product is: a laptop *bag* is no laptop."""

ACCESSORIES = _set("accessories")
"""Nouns of things that are mostly made for another thing: behind it they name no look of it."""

IMITATIONS = _set("imitations")
"""Words that make an imitation or a part of a thing, wherever they stand in its name."""

LOOSE_CONTAINERS = _set("loose_containers")
"""Containers at the end of a name that do not change what is inside: a protein bar *box*."""

GENERIC = _set("generic")
"""Nouns in a request that need not occur in the product's name."""

HYPERNYMS = _set("hypernyms")
"""Kinds that a model name implies, so that the name need not hold the word."""

NATURAL_PAIRS = _set("natural_pairs")
"""Things of which one is called a pair."""

MASS = _set("mass")
"""Goods without a plural that come in numbers all the same."""

TALK = _set("talk")
"""Words that talk about an order and name no goods."""

GOODS = plain.Goods(NATURAL_PAIRS, MASS)


@lru_cache(maxsize=2048)
def words(text: str) -> tuple[str, ...]:
    """The words of :func:`store_tools.words.words`, one for all that mean the same."""
    folded = PHRASE.sub(lambda match: match.lastgroup or "", plain.plain_text(text))
    singles = [(token, plain.singular(token)) for token in plain.tokens(folded)]
    return tuple(SYNONYMS.get(one) or SYNONYMS.get(token, one) for token, one in singles)
