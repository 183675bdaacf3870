"""The grammar's patterns, data beside the readers that use them, and what all readers do with text.

Of ``amounts.toml`` the patterns under ``any_case`` pass over case, those under ``as_written`` do
not. Lines are joined as they stand, and ``{{name}}`` is the part of that name: one of the file's
own ``parts`` or of ``parts.toml``, which all readers share.
"""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

import regex

from workshop.rule_based.store.kinds.lexicon import TALK

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
_FLAGS = {"any_case": regex.IGNORECASE, "as_written": 0}
_REFERENCE = regex.compile(r"\{\{(\w+)\}\}")


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))


def _whole(text: str, parts: dict[str, str]) -> str:
    return _REFERENCE.sub(lambda match: parts[match[1]], text.replace("\n", ""))


_SHARED = {"number": NUMBER}
for _name, _text in _read("parts").items():
    _SHARED[_name] = _whole(_text, _SHARED)


class Patterns(dict[str, regex.Pattern[str]]):
    """The patterns of one reader, by name; those that are tried one after the other in ``lists``."""

    def __init__(self, reader: str) -> None:
        super().__init__()
        self.lists: dict[str, list[regex.Pattern[str]]] = {}
        sections = _read(reader)
        parts = dict(_SHARED)
        for name, text in sections.get("parts", {}).items():
            parts[name] = _whole(text, parts)
        for section, flags in _FLAGS.items():
            for name, text in sections.get(section, {}).items():
                if isinstance(text, list):
                    self.lists[name] = [regex.compile(_whole(t, parts), flags) for t in text]
                else:
                    self[name] = regex.compile(_whole(text, parts), flags)


PHRASES = Patterns("phrases")


def cut(text: str, match: regex.Match[str]) -> str:
    """Text without a clause that was read; a comma stands where it was."""
    return f"{text[: match.start()]} , {text[match.end() :]}"


@lru_cache(maxsize=4096)
def clean(text: str) -> str:
    """A phrase without politeness, purposes and stray punctuation."""
    previous = ""
    while previous != text:
        previous = text
        text = PHRASES["purpose"].sub(" ", text)
        text = PHRASES["noise"].sub(" ", text)
        text = PHRASES["stray_signs"].sub("", text)
        text = PHRASES["stray_words"].sub("", text)
    return PHRASES["gap"].sub(" ", text).strip()


def is_meta(text: str) -> bool:
    """Whether a phrase names no goods but only talks about the order."""
    tokens = PHRASES["word"].findall(text.casefold())
    return all(w in TALK or (w.isalpha() and PHRASES["number"].fullmatch(w)) for w in tokens)


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
