"""Phrases: politeness, purposes and talk about the order taken off the goods that are named."""

from __future__ import annotations

from functools import lru_cache

import regex

from workshop.rule_based.store.grammar.patterns import Patterns
from workshop.rule_based.store.kinds.lexicon import TALK

PATTERNS = Patterns("phrases")


def cut(text: str, match: regex.Match[str]) -> str:
    """Text without a clause that was read; a comma stands where it was."""
    return f"{text[: match.start()]} , {text[match.end() :]}"


@lru_cache(maxsize=4096)
def clean(text: str) -> str:
    """A phrase without politeness, purposes and stray punctuation."""
    previous = ""
    while previous != text:
        previous = text
        text = PATTERNS["purpose"].sub(" ", text)
        text = PATTERNS["noise"].sub(" ", text)
        text = PATTERNS["stray_signs"].sub("", text)
        text = PATTERNS["stray_words"].sub("", text)
    return PATTERNS["gap"].sub(" ", text).strip()


def is_meta(text: str) -> bool:
    """Whether a phrase names no goods but only talks about the order."""
    tokens = PATTERNS["word"].findall(text.casefold())
    return all(w in TALK or (w.isalpha() and PATTERNS["number"].fullmatch(w)) for w in tokens)
