"""Text as words that are the same however they are spelled, each with its place in the original."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

import regex

_WORD = regex.compile(r"[^\W_\d]+|\d+(?:[.,]\d+)*")
_LOOKALIKES = str.maketrans("авекмнорстухіјѕԁоαβενικορτυχ", "abekmhopctyxijsdoabevikoptux")
"""Letters of other scripts that look like ours."""
_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
SPOKEN = {word: number for number, word in enumerate(_UNITS.split())} | {
    word: 10 * number for number, word in enumerate(_TENS.split(), 2)
}
SPOKEN |= {"dozen": 12, "hundred": 100, "thousand": 1000}


class Word(NamedTuple):
    """A word or number, and where it stands."""

    text: str
    """Folded: case, accents, look-alikes, signs without width, a plural's s; of a number its
    shortest spelling."""
    start: int
    end: int

    @property
    def is_number(self) -> bool:
        """Whether it is made of digits, or says a number."""
        return self.text[0].isdigit()


def words(text: str) -> list[Word]:
    """The words of a text; letters that stand alone in a row are one word."""
    folded, places = _folded(text)
    found = [
        Word(_plain(m[0]), places[m.start()], places[m.end() - 1] + 1)
        for m in _WORD.finditer(folded)
    ]
    return _joined(_said(found))


def _folded(text: str) -> tuple[str, list[int]]:
    """The text sign by sign, and the place of each sign in the original."""
    signs: list[str] = []
    places: list[int] = []
    for place, sign in enumerate(text):
        for part in unicodedata.normalize("NFKD", sign).casefold().translate(_LOOKALIKES):
            if unicodedata.category(part) not in ("Mn", "Cf"):
                signs.append(part)
                places.append(place)
    return "".join(signs), places


def _plain(word: str) -> str:
    if word[0].isdigit():
        return _number(word)
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _number(text: str) -> str:
    """1,299 is 1299, 12.50 is 12.5, 007 is 7."""
    whole, _, rest = regex.sub(r",(?=\d{3}\b)", "", text).replace(",", ".").partition(".")
    rest = rest.rstrip("0")
    digits = "".join(str(unicodedata.digit(sign, 0)) for sign in whole).lstrip("0") or "0"
    return f"{digits}.{rest}" if rest else digits


def _said(found: list[Word]) -> list[Word]:
    """Numbers in words as digits: twenty-four is 24."""
    said: list[Word] = []
    for word in found:
        number = SPOKEN.get(word.text, SPOKEN.get(f"{word.text}s"))
        if number is None:
            said.append(word)
            continue
        before = said[-1] if said else None
        tens = before and before.text.isdecimal() and 20 <= int(before.text) < 100
        if before and tens and int(before.text) % 10 == 0 and 0 < number < 10:
            said[-1] = Word(str(int(before.text) + number), before.start, word.end)
        else:
            said.append(Word(str(number), word.start, word.end))
    return said


def _joined(found: list[Word]) -> list[Word]:
    joined: list[Word] = []
    row: list[Word] = []

    def end() -> None:
        if len(row) > 2:
            joined.append(Word("".join(w.text for w in row), row[0].start, row[-1].end))
        else:
            joined.extend(row)
        row.clear()

    for word in found:
        if len(word.text) == 1 and not word.is_number:
            row.append(word)
            continue
        end()
        joined.append(word)
    end()
    return joined
