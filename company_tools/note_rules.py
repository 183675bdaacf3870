"""Notes of records that decide something, where a page of the wiki makes them the place of it."""

from __future__ import annotations

from collections.abc import Mapping

import regex

from company_tools.figures import numbers
from company_tools.subjects import SUBJECTS
from company_tools.words import levelled, telling

LEAST_SIGNS = 2
"""A note that decides has so many words of the rule that says what decides."""
_REFUSES = regex.compile(r"\b(?:not|never|no|none|nobody)\b", regex.I)
_STATEMENT = regex.compile(r"(?<=[.!?])\s+|\n+")
_COMMON = "pay salary salaries raise raises note notes amount record person year employee"
_NO_SIGN = frozenset(_COMMON.split())
"""What every rule on pay and notes speaks of."""


def decides(note: str, amount: float, wiki: Mapping[str, str]) -> bool:
    """Whether a record's note has an amount, in the words of a page that says such notes decide."""
    if amount not in numbers(note):
        return False
    have = {word for word in levelled(note) if word not in _NO_SIGN and not word.isdigit()}
    for text in wiki.values():
        for part in text.split("\n\n"):
            rule = " ".join(s for s in _STATEMENT.split(part) if not _REFUSES.search(s))
            speaks = SUBJECTS["notes"].search(rule) and SUBJECTS["pay"].search(part)
            if speaks and len(_signs(rule, have)) >= LEAST_SIGNS:
                return True
    return False


def _signs(rule: str, have: set[str]) -> set[str]:
    """The words of a rule that a note has too, inflected or not."""
    beginnings = {word[:5] for word in have if len(word) > 3}
    return {
        word
        for word in levelled(" ".join(telling(rule)))
        if word not in _NO_SIGN and len(word) > 3 and word[:5] in beginnings
    }
