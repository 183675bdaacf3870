"""In which language a text is, as far as script and small words tell for certain."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

import regex

_SCRIPTS = {
    "han": r"\p{Han}", "kana": r"[\p{Hiragana}\p{Katakana}]", "hangul": r"\p{Hangul}",
    "cyrillic": r"\p{Cyrillic}", "greek": r"\p{Greek}", "arabic": r"\p{Arabic}",
    "hebrew": r"\p{Hebrew}", "devanagari": r"\p{Devanagari}", "thai": r"\p{Thai}",
}  # fmt: skip
_WORDS = {
    name: frozenset(words.split())
    for name, words in tomllib.loads(
        Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    ).items()
}
SMALL_WORDS = frozenset[str]().union(*_WORDS.values())
"""Of all languages that are told by them."""
_WORD = regex.compile(r"\p{L}+")
LEAST, AHEAD = 3, 2
"""Small words of a language that a text has, and how many more than of any other."""
SHARE = 0.3
"""Of the letters: a text in another script has at least so many of it."""


def language(text: str) -> str:
    """The name of the language, or of the script where that is enough; "" where it is open."""
    letters = len(regex.findall(r"\p{L}", text))
    for name, pattern in _SCRIPTS.items():
        if letters and len(regex.findall(pattern, text)) >= SHARE * letters:
            return name
    words = Counter(word.casefold() for word in _WORD.findall(text))
    counts = {name: sum(words[word] for word in small) for name, small in _WORDS.items()}
    (best, most), (_, second) = sorted(counts.items(), key=lambda pair: -pair[1])[:2]
    return best if most >= LEAST and most - second >= AHEAD else ""
