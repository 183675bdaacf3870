"""Words of shop texts with their synonyms folded, and units where the goods decide them."""

from __future__ import annotations

from functools import lru_cache

import regex

from store_tools import words as plain
from workshop.rule_based.store.kinds.lexicon import MASS, NATURAL_PAIRS, PHRASES, SYNONYMS

_ANY_PHRASE = regex.compile("|".join(phrase.pattern for phrase, _ in PHRASES))
"""Most names hold none, and looking for each takes long."""
_GOODS = plain.Goods(NATURAL_PAIRS, MASS)


@lru_cache(maxsize=2048)
def words(text: str) -> tuple[str, ...]:
    """The words of :func:`store_tools.words.words`, one for all that mean the same."""
    folded = plain.plain_text(text)
    if _ANY_PHRASE.search(folded):
        for phrase, one in PHRASES:
            folded = phrase.sub(one, folded)
    return tuple(_one_form(t) for t in plain.tokens(folded))


def _one_form(token: str) -> str:
    single = plain.singular(token)
    return SYNONYMS.get(single, SYNONYMS.get(token, single))


def units_of(name: str, sku: str = "", asked: str = "") -> int:
    """Single units in one piece of a product, whose nouns may be counted where they are asked."""
    return plain.units_of(name, sku, frozenset(words(asked)), _GOODS)
