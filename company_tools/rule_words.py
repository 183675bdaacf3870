"""Small words by which a text gives or binds, in some languages: may, must, only, nobody."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import regex

from company_tools.wiki_lines import lines_of
from company_tools.words import words

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
