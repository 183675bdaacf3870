"""A product's name around the phrase that it is looked for by: maker, model, measures, nouns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import regex

from store_tools.words import STOPWORDS, is_spec, plain_text, singular
from workshop.rule_based.store.kinds.kind_score import KINDS, NAME_WORDS, cut_aside
from workshop.rule_based.store.kinds.lexicon import (
    ACCESSORIES,
    GENERIC,
    LOOSE_CONTAINERS,
    QUALIFIERS,
    VARIANTS,
    words,
)

_FOR = regex.compile(r"\b(?:for|with|without|featuring|incl(?:uding|\.)?|from|by)\b")
_CUTS = regex.compile(r"[,;()\[\]{}<>|/]|\s[-–—]\s")
_NUMBERS = {
    word: number
    for number, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve".split(), 1
    )
}
_NUMBERED = regex.compile(rf"\b(\d+|{'|'.join(_NUMBERS)})[\s-]+(\p{{L}}{{3,}})")
_CODE = regex.compile(r"\p{L}+\d+")
_PACK = regex.compile(r"\d+pk")
_MEASURED = regex.compile(r"\d+\p{L}+|\d+/\d+")
DETAIL = QUALIFIERS | GENERIC | LOOSE_CONTAINERS | VARIANTS | STOPWORDS
"""Words that describe a thing; those that are KINDS too may also name one ("glass")."""


@dataclass(frozen=True)
class Place:
    """Where a phrase stands in a name, and what stands around it."""

    before: tuple[str, ...]
    tail: tuple[str, ...]
    """Words behind the phrase up to the next comma or bracket."""
    measured: bool
    """Whether the tail, or what follows it, holds a number or a measure."""
    packed: bool
    known: bool
    """Whether the tail holds a noun that is known to be a thing of its own."""
    goes_with: bool
    """Whether that is a thing that goes with others: a strap, a stand."""
    makers: tuple[str, ...]
    """Words of the tail that may be a maker or a model."""
    bare: bool
    """Nothing but the phrase and describing words."""

    @property
    def short(self) -> bool:
        """Named by the phrase and another word or two: no maker, no model, no measure."""
        return not self.before and not self.measured and 0 < len(self.tail) <= 2

    @property
    def modelled(self) -> bool:
        """Whether it is named with a maker in front, or a maker and a model behind."""
        return any(w not in DETAIL for w in self.before) or len(self.makers) > 1

    @property
    def build(self) -> tuple[int, int]:
        """Number of words before and behind the phrase."""
        return len(self.before), len(self.tail)


@lru_cache(maxsize=1024)
def kind_phrase(query: str) -> tuple[str, ...]:
    """The words of a query that names a kind and nothing else, () for any other query."""
    folded = plain_text(query)
    said = _tokens(folded)
    plain = _FOR.search(folded) is None and not any(is_spec(w) for w in said)
    return said if plain and len(said) <= 4 else ()


@lru_cache(maxsize=2048)
def counted_nouns(text: str) -> dict[str, int]:
    """Nouns with the number before them: a lamp with one light is none with two lights."""
    found = _NUMBERED.findall(plain_text(text))
    return {singular(noun): _NUMBERS.get(number) or int(number) for number, noun in found}


@lru_cache(maxsize=2048)
def find(phrase: tuple[str, ...], name: str) -> Place | Literal["behind"] | None:
    """Where a phrase stands whole in a name: "behind" a "for", or None for nowhere."""
    folded = plain_text(cut_aside(name))
    found = _FOR.search(folded)
    main, rest = (folded[: found.start()], folded[found.end() :]) if found else (folded, "")
    parts = [_tokens(part) for part in _CUTS.split(main)]
    if sum(len(p) for p in parts) > NAME_WORDS:
        return None
    for number, part in enumerate(parts):
        at = _index(phrase, part)
        if at >= 0:
            before = (*(w for p in parts[:number] for w in p), *part[:at])
            text = _CUTS.split(main)[number]
            behind = [w for p in parts[number + 1 :] for w in p]
            return _place(phrase, before, part[at + len(phrase) :], text, behind)
    return "behind" if main.strip() and _index(phrase, _tokens(rest)) >= 0 else None


def _tokens(text: str) -> tuple[str, ...]:
    return tuple(w for w in words(text) if w not in STOPWORDS)


def _index(phrase: tuple[str, ...], tokens: Sequence[str]) -> int:
    size = len(phrase)
    for at in range(len(tokens) - size + 1):
        if tuple(tokens[at : at + size]) == phrase:
            return at
    return -1


def _place(
    phrase: tuple[str, ...], before: tuple[str, ...], tail: tuple[str, ...], text: str,
    behind: Sequence[str],
) -> Place:  # fmt: skip
    counted = {w for _, noun in _NUMBERED.findall(text) for w in words(noun)}
    # A measure ends what a noun phrase names: what follows it only describes.
    ends = [i for i, w in enumerate(tail) if _MEASURED.fullmatch(w) or w in counted]
    head = [w for w in tail[: min(ends, default=len(tail))] if not is_spec(w)]
    while head and head[-1] in DETAIL and head[-1] not in KINDS:
        head.pop()
    nouns = [w for w in head if w not in DETAIL or w in KINDS]
    return Place(
        before=before,
        tail=tail,
        measured=bool(ends) or any(is_spec(w) for w in (*tail, *behind)),
        packed=any(_PACK.fullmatch(w) for w in (*before, *tail, *behind)),
        known=any(w in KINDS and w not in DETAIL for w in nouns),
        goes_with=any(w in ACCESSORIES for w in nouns),
        makers=tuple(
            w
            for w in tail[: min(ends, default=len(tail))]
            if _CODE.fullmatch(w) or (w in nouns and w not in KINDS)
        ),
        bare=not nouns,
    )
