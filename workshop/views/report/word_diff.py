"""What is another text in a prompt, section by section and word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby, zip_longest
from operator import attrgetter
from typing import Literal

Kind = Literal["same", "del", "ins"]
Words = tuple[tuple[Kind, str], ...]
"""Pieces of a line."""
CONTEXT = 1
"""Equal lines that are shown before and behind a change."""
LEAST_ALIKE = 0.35
"""Lines less alike are not one line that was changed."""
_WORDS = re.compile(r"\w+\s*|[^\w\s]\s*|\s+")
_HEADING = re.compile(r"#{1,6} +\S.*|[A-Z][A-Za-z' ()-]{2,48}")
"""A heading of Markdown, or a short line without the signs of a sentence, a list or a name."""


@dataclass(frozen=True)
class Line:
    """One line of both texts as one; "" for the gap in place of equal ones."""

    section: str
    words: Words
    skipped: int = 0
    """How many equal lines are left out here."""

    @property
    def changed(self) -> bool:
        """Whether it is not the same in both."""
        return any(kind != "same" for kind, _ in self.words)


@dataclass(frozen=True)
class Section:
    """A part of a prompt in which something is another text."""

    title: str
    """"" before the first heading."""
    lines: tuple[Line, ...]


def diff_sections(was: str, now: str) -> tuple[Section, ...]:
    """The sections in which two texts differ, each with its changed lines and some around them."""
    lines = list(_shortened(list(_lines(was.splitlines(), now.splitlines()))))
    parts = [(title, tuple(some)) for title, some in groupby(lines, key=attrgetter("section"))]
    return tuple(Section(title, some) for title, some in parts if any(x.changed for x in some))


def count_words(sections: Sequence[Section], kind: Kind) -> int:
    """So many words that are only in one of the texts."""
    words = (text for part in sections for x in part.lines for k, text in x.words if k == kind)
    return sum(len(text.split()) for text in words)


def _lines(was: list[str], now: list[str]) -> Iterator[Line]:
    section = ""
    matcher = SequenceMatcher(None, was, now, autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        both = (
            zip(was[a:b], now[c:d], strict=True) if kind == "equal" else _paired(was[a:b], now[c:d])
        )
        for old, new in both:
            text = old if new is None else new
            if text is not None and _HEADING.fullmatch(text.strip()):
                section = text.strip().lstrip("# ")
            yield Line(section, _words(old, new))


def _paired(was: list[str], now: list[str]) -> Iterator[tuple[str | None, str | None]]:
    """Lines that were changed beside what they became; others alone."""
    for old, new in zip_longest(was, now):
        if old is None or new is None or SequenceMatcher(None, old, new).ratio() >= LEAST_ALIKE:
            yield old, new
        else:
            yield old, None
            yield None, new


def _words(old: str | None, new: str | None) -> Words:
    if old == new:
        return (("same", old or ""),)
    if old is None or new is None:
        return (("ins", new or ""),) if old is None else (("del", old),)
    a, b = _WORDS.findall(old), _WORDS.findall(new)
    pieces: list[tuple[Kind, str]] = []
    for kind, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if kind == "equal":
            pieces.append(("same", "".join(a[i:j])))
            continue
        pieces += [("del", "".join(a[i:j]))] if j > i else []
        pieces += [("ins", "".join(b[k:m]))] if m > k else []
    return tuple(pieces)


def _shortened(lines: list[Line]) -> Iterator[Line]:
    """Equal lines far from any change become one gap in each section."""
    near = {
        place + by
        for place, line in enumerate(lines)
        if line.changed
        for by in range(-CONTEXT, CONTEXT + 1)
    }
    for (far, section), some in groupby(
        enumerate(lines), key=lambda one: (one[0] not in near, one[1].section)
    ):
        if far:
            yield Line(section, (), skipped=sum(1 for _ in some))
        else:
            yield from (line for _, line in some)
