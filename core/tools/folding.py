"""Text as it is compared: without case and without marks on letters."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_LETTERS = str.maketrans(
    {"ø": "o", "đ": "d", "ł": "l", "æ": "ae", "ß": "ss", "ı": "i", "œ": "oe", "þ": "th", "ð": "d"}
)
"""Letters that are no others with a mark."""


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """The text in small letters, without diacritics: Müller is muller, Đorđe is dorde."""
    parts = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    plain = "".join(c for c in parts if not unicodedata.combining(c))
    return plain.casefold().translate(_LETTERS)
