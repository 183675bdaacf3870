"""Numbers as people write them: digits, words, dozens and pairs."""

from __future__ import annotations

import regex

_UNITS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
    fifteen sixteen seventeen eighteen nineteen
    """.split()
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_VALUES = {w: i for i, w in enumerate(_UNITS)} | {w: 20 + 10 * i for i, w in enumerate(_TENS)}
_WORD = "|".join([*_TENS, *reversed(_UNITS[1:])])
_BELOW_100 = rf"(?:(?:{'|'.join(_TENS)})[\s-](?:{'|'.join(_UNITS[1:10])})\b|(?:{_WORD})\b)"
NUMBER = (
    rf"(?:\d{{1,3}}(?:,\d{{3}})+|\d+"
    rf"|(?:(?:{_WORD}|a)\s+)?hundred\b(?:\s+(?:and\s+)?{_BELOW_100})?|{_BELOW_100})"
)
"""A number in digits or English words, below a thousand."""


def to_int(text: str) -> int:
    """The value of what :data:`NUMBER` matched."""
    text = text.strip().casefold().replace(",", "")
    if text.isdigit():
        return int(text)
    total = 0
    for word in regex.split(r"[\s-]+", text):
        if word == "hundred":
            total = max(total, 1) * 100
        elif word in _VALUES:
            total += _VALUES[word]
        elif word == "a":
            total = 1
    return total
