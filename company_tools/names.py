"""How well a person is meant by what a text calls them."""

from __future__ import annotations

from typing import NamedTuple

from rapidfuzz import fuzz

from company_tools.words import levelled, words

SURE = 95
"""From this score on a name, id or mail is whole."""
LIKELY = 74
"""Of 100: names that are less alike are others."""


class Match(NamedTuple):
    """How well a name fits, and what of the record it fits."""

    score: int
    field: str


def match_person(asked: str, id: str, name: str, email: str) -> Match:
    """How well a person is meant by ``asked``: an id, a mail, a name in any order, a part of it."""
    text = asked.strip().casefold()
    if text == id.casefold() and id:
        return Match(100, "id")
    if text == email.casefold() and email:
        return Match(100, "email")
    best = _match_names(words(asked), words(name))
    other = _match_names(levelled(asked), levelled(name))
    if other.score > best.score + 1:
        best = Match(other.score - 1, other.field)
    tokens = set(levelled(id.replace("_", " ")))
    if best.score < SURE and len(tokens) > 1 and tokens == set(levelled(asked)):
        best = Match(SURE, "id")
    return best


def _match_names(asked: tuple[str, ...], parts: tuple[str, ...]) -> Match:
    if not asked or not parts:
        return Match(0, "")
    if asked == parts:
        return Match(100, "name")
    if sorted(asked) == sorted(parts):
        return Match(100, "name (last first)")
    if len(asked) > 1 and set(asked) <= set(parts):
        return Match(97, "name (in part)")
    if len(asked) == 1 and asked[0] in parts:
        return Match(90, "first name" if parts[0] == asked[0] else "last name")
    if len(parts) > 1 and set(parts) <= set(asked):
        return Match(93, "name (with more words)")
    want, have = " ".join(asked), " ".join(parts)
    like = fuzz.token_sort_ratio(want, have)
    if len(asked) == 1:
        like = max(fuzz.ratio(want, part) for part in parts) - 8
    elif set(asked) & set(parts) and like < LIKELY:
        return Match(round(like * 0.6), "name (one word)")
    return Match(round(like * 0.92), "name (alike)") if like >= LIKELY else Match(0, "")
