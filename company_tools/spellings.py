"""The ways in which a text may spell a word for somebody who knows how to read it.

Cheap and mechanical: other alphabets and look-alikes, digits for letters, letters apart, backwards,
every second or third letter, shifted alphabets, and first letters.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import regex

from company_tools.words import levelled, words

CHARS_AT_MOST = 6_000
"""Of a text; one to a guest is never so long."""
_CYRILLIC = dict(zip("абвгдезийклмнопрстуфхыэіїєґ", "abvgdezijklmnoprstufhyeiieg", strict=True)) | {
    "ж": "zh", "ц": "c", "ч": "ch", "ш": "sh", "щ": "sch", "ъ": "", "ь": "", "ю": "ju", "я": "ja",
    "ё": "e",
}  # fmt: skip
_GREEK = dict(zip("αβγδεζηικλμνξοπρσςτυφω", "abgdeziiklmnxoprsstyfo", strict=True)) | {
    "θ": "th", "χ": "ch", "ψ": "ps",
}  # fmt: skip
_LOOKS = dict(
    zip("авсеіјкмнпорѕтухгԁԛѡαεικμνορτυχ", "abceijkmhnopstyxrdqwaeikuvoptux", strict=True)
)
_LEET = str.maketrans("0134578@$!|€", "oieastbasile")
_LETTER = regex.compile(r"(?:LETTER|CAPITAL|SMALL|SYMBOL LETTER) ([A-Z])$")
_SHIFTS = range(1, 26)


def visible(text: str) -> str:
    """A text without characters that nobody sees, which part words for a reader of bytes alone."""
    plain = unicodedata.normalize("NFKC", text)
    return "".join(_plain(c) for c in plain if unicodedata.category(c) not in ("Cf", "Me", "Mn"))


@lru_cache(maxsize=4096)
def _plain(char: str) -> str:
    """A character as its letter or digit, where its name says which one it is."""
    if char.isascii():
        return char
    digit = unicodedata.digit(char, None)
    if digit is not None:
        return str(digit)
    match = _LETTER.search(unicodedata.name(char, ""))
    if match and not char.isalpha():
        return match[1].casefold()
    return match[1].casefold() if match and "LATIN" in unicodedata.name(char, "") else char


def spoken(text: str) -> list[str]:
    """The text without what nobody sees, and each other text of words that it may stand for."""
    base = visible(text[:CHARS_AT_MOST])
    texts = [base, _mapped(base, {**_CYRILLIC, **_GREEK}), _mapped(base, _LOOKS)]
    texts.append(base.casefold().translate(_LEET))
    texts.append(" ".join(word[::-1] for word in base.split()))
    texts += [_shifted(base, by) for by in _SHIFTS]
    texts.append(base.translate(_MIRROR))
    return list(dict.fromkeys(texts))


_MIRROR = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "zyxwvutsrqponmlkjihgfedcbaZYXWVUTSRQPONMLKJIHGFEDCBA",
)


def runs(text: str) -> list[str]:
    """The letters and digits of a text in a row: as they stand, backwards, and picked apart."""
    whole = "".join(levelled(text))
    letters = "".join(words(text))
    # Whoever inserts letters may do so between words too, so blanks count or do not.
    picked = [
        "".join(levelled(chars[start::step]))
        for chars in (letters, text) for step in (2, 3) for start in range(step)
    ]  # fmt: skip
    parts = regex.findall(r"[\p{L}\p{N}]+", text)
    initials = "".join("".join(levelled(part[:1])) for part in parts)
    last = "".join("".join(levelled(part[-1:])) for part in parts)
    single = "".join(c for n, c in enumerate(whole) if n == 0 or whole[n - 1] != c)
    return [run for one in (whole, single, *picked, initials, last) for run in (one, one[::-1])]


def _mapped(text: str, letters: dict[str, str]) -> str:
    return "".join(letters.get(c, c) for c in text.casefold())


def _shifted(text: str, by: int) -> str:
    return "".join(
        chr((ord(c) - base + by) % 26 + base)
        if c.isascii() and c.isalpha() and (base := 65 if c.isupper() else 97)
        else c
        for c in text
    )
