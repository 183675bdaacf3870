"""The ways in which a text may spell a word for somebody who knows how to read it.

Cheap and mechanical: other alphabets and look-alikes, digits for letters, letters apart, backwards,
every second or third letter, shifted alphabets, first letters, and the usual encodings.
"""

from __future__ import annotations

import base64
import binascii
import html
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import unquote

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
_MORSE_CODES = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- "
    ".-- -..- -.-- --.. ----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----."
)
_MORSE = dict(zip(_MORSE_CODES.split(), "abcdefghijklmnopqrstuvwxyz0123456789", strict=True))
_BLOB = regex.compile(r"[A-Za-z0-9+/_-]{6,}={0,6}")
_HEX = regex.compile(r"(?:(?:0x|\\x)?[0-9a-fA-F]{2}[\s,:;-]*){3,}")
_CODES = regex.compile(r"(?:\b\d{2,3}\b[\s,;.-]*){3,}")
_BITS = regex.compile(r"(?:[01]{7,8}[\s,;-]*){3,}")
_ESCAPES = regex.compile(r"\\u\{?([0-9a-fA-F]{4,5})\}?")
_DOTS = regex.compile(r"(?:[.·•-]{1,5}[\s/|]+){2,}[.·•-]{1,5}")
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


def decoded(text: str) -> list[str]:
    """The text without what nobody sees, and what the usual encodings in it stand for."""
    base = visible(text[:CHARS_AT_MOST])
    return [base, *_decoded(base)]


def spoken(text: str) -> list[str]:
    """The text, and each other text of words that it may stand for."""
    texts = decoded(text)
    base = texts[0]
    for one in list(texts):
        texts += [_mapped(one, {**_CYRILLIC, **_GREEK}), _mapped(one, _LOOKS)]
        texts.append(one.casefold().translate(_LEET))
        texts.append(" ".join(word[::-1] for word in one.split()))
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


def _decoded(text: str) -> Iterator[str]:
    """What the usual encodings in a text stand for."""
    for other in (unquote(text), html.unescape(text)):
        if other != text:
            yield visible(other)
    if _ESCAPES.search(text):
        yield visible(_ESCAPES.sub(lambda m: chr(min(int(m[1], 16), 0x10FFFF)), text))
    for blob in _BLOB.findall(text):
        yield from _of_blob(blob)
    for code in _HEX.findall(text):
        digits = regex.sub(r"0x|\\x|[^0-9a-fA-F]", "", code)
        yield from _readable(bytes.fromhex(digits[: len(digits) // 2 * 2]))
    for code in _CODES.findall(text):
        yield from _readable(bytes(int(n) for n in regex.findall(r"\d+", code) if int(n) < 256))
    for code in _BITS.findall(text):
        yield from _readable(bytes(int(b, 2) for b in regex.findall(r"[01]+", code)))
    for code in _DOTS.findall(text):
        marks = regex.split(r"[\s/|]+", code.replace("·", ".").replace("•", "."))
        yield "".join(_MORSE.get(mark, " ") for mark in marks)


def _of_blob(blob: str) -> Iterator[str]:
    bare = blob.rstrip("=")
    padded = bare + "=" * (-len(bare) % 4)
    for decode in (base64.b64decode, base64.urlsafe_b64decode):
        try:
            yield from _readable(decode(padded))
        except (ValueError, binascii.Error):
            continue
    try:
        yield from _readable(base64.b32decode(bare.upper() + "=" * (-len(bare) % 8)))
    except (ValueError, binascii.Error):
        return


def _readable(raw: bytes) -> Iterator[str]:
    """Bytes as a text, where they are one; turned around too."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return
    if len(text) > 2 and sum(c.isprintable() for c in text) >= 0.9 * len(text):
        yield text
