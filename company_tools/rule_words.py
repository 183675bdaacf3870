"""Small words by which a text gives or binds, in some languages: may, must, only, nobody."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import regex

from company_tools.subjects import SUBJECTS
from company_tools.wiki_lines import lines_of
from company_tools.words import levelled, numbers, telling, words

_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_MAY, _MUST = (frozenset(words(_WORDS[name])) for name in ("may", "must"))
_MAY_ROW, _MUST_ROW = (regex.compile(_WORDS[f"{name}_in_row"]) for name in ("may", "must"))


ID = regex.compile(r"(?<![\p{L}\p{N}])\p{L}[\p{L}\p{N}]*_[\p{L}\p{N}_]+")
"""What looks like the id of a record, whose parts are no words."""


class Modal(NamedTuple):
    """How many words of a text give, and how many bind."""

    may: int
    must: int


@lru_cache(maxsize=16384)
def modal(text: str) -> Modal:
    """The words of a text that give or bind."""
    have = words(ID.sub(" ", text))
    return Modal(
        sum(word in _MAY for word in have) + len(_MAY_ROW.findall(text)),
        sum(word in _MUST for word in have) + len(_MUST_ROW.findall(text)),
    )


@lru_cache(maxsize=1024)
def ruling(page: str) -> int:
    """How many lines of a page have such words."""
    return sum(any(modal(line.text)) for line in lines_of(page))


@lru_cache(maxsize=1024)
def giving(page: str) -> int:
    """How many lines of a page give something, by themselves or by what opens their list."""
    lines = lines_of(page)
    gives = {line.number for line in lines if line.kind != "heading" and modal(line.text).may > 0}
    return sum(not gives.isdisjoint(line.needs) for line in lines)


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
