"""Finds and masks data of training tasks that a prompt must not contain.

These are names of things and people, codes and ids, numbers, and sequences of a task's words.
Case, accents, punctuation and a plural's s are ignored. Words of the built-in prompts
are allowed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import regex

from core.tools.folding import fold

STRETCH = 6
"""Words of a task in a row that are its own."""
COMMON = 3
"""A stretch that so many tasks have is a way of asking, and no task's own."""
LONGEST_NAME = 6
HARMLESS = frozenset({"0", "1"})
"""Numbers that tell nothing of a task."""
_WORD = regex.compile(r"\[[a-z]+ [A-Z]+\]|\p{L}[\p{L}\p{M}]*|\d+(?:[.,]\d+)*")
"""A mark in place of data is one word, which no data has."""
_LISTED = regex.compile(r"^[ \t>*-]*(\d{1,2})[.)][ \t]", regex.MULTILINE)


class Facts(NamedTuple):
    """The data of a scenario, from the benchmark's adapter."""

    names: frozenset[str] = frozenset()
    """Of things: two of their words in a row are the name."""
    people: frozenset[str] = frozenset()
    """Each word of a person's name is the name."""
    codes: frozenset[str] = frozenset()
    """Ids, codes, addresses."""
    texts: tuple[str, ...] = ()
    """The task's own words, and all that holds numbers."""


class Leak(NamedTuple):
    """A place in a text that tells something of a task."""

    start: int
    end: int
    kind: str
    """name, person, code, number, words."""
    what: str


class Word(NamedTuple):
    """A word or number, folded, and its place in the text."""

    text: str
    start: int
    end: int


def words(text: str) -> list[Word]:
    """The words of a text."""
    return [Word(_folded(m[0]), m.start(), m.end()) for m in _WORD.finditer(text)]


def _folded(word: str) -> str:
    """1,299 is 1299, 12.50 is 12.5, 007 is 7; a word is its singular without accents."""
    if word[0].isdigit():
        whole, _, rest = regex.sub(r",(?=\d{3}\b)", "", word).replace(",", ".").partition(".")
        rest = rest.rstrip("0")
        return f"{whole.lstrip('0') or '0'}{f'.{rest}' if rest else ''}"
    plain = fold(word)
    return plain[:-1] if len(plain) > 3 and plain.endswith("s") and plain[-2] != "s" else plain


class Secrets:
    """Data of tasks that the built-in prompts do not contain."""

    def __init__(self, tasks: Iterable[Facts], shipped: Iterable[str]) -> None:
        shipped_words = [word.text for text in shipped for word in words(text)]
        free = frozenset(shipped_words) | HARMLESS
        common = frozenset(_stretches(shipped_words, STRETCH))
        self._rows: dict[tuple[str, ...], str] = {}
        """The kind of data by its words in a row."""
        stretches: Counter[tuple[str, ...]] = Counter()
        for facts in tasks:
            self._add(facts, free)
            own = {s for text in facts.texts[:1] for s in _stretches(_texts(text), STRETCH)}
            stretches.update(own - common)
        self._stretches = {stretch for stretch, count in stretches.items() if count < COMMON}

    def _add(self, facts: Facts, free: frozenset[str]) -> None:
        rows: dict[tuple[str, ...], str] = {}
        for text in facts.texts:
            rows |= {(word,): "number" for word in _texts(text) if word[0].isdigit()}
        for name in facts.names:
            row = tuple(_texts(name))
            rows |= {pair: "name" for pair in pairwise(row)} | (
                {row: "name"} if len(row) == 1 else {}
            )
        for person in facts.people:
            rows |= {(word,): "person" for word in _texts(person) if len(word) > 1}
        rows |= {tuple(_texts(code)): "code" for code in facts.codes}
        known = {row: kind for row, kind in rows.items() if row and not free.issuperset(row)}
        self._rows |= known

    def leaks(self, text: str) -> list[Leak]:
        """The places that tell of a task, in order; none overlaps another but stretches."""
        matches, marks = words(text), _list_marks(text)
        leaks = list(self._known(matches, marks))
        for at, stretch in enumerate(_stretches([word.text for word in matches], STRETCH)):
            if stretch in self._stretches:
                end = matches[at + STRETCH - 1].end
                leaks.append(Leak(matches[at].start, end, "words", " ".join(stretch)))
        return sorted(leaks)

    def _known(self, matches: Sequence[Word], marks: frozenset[int]) -> Iterator[Leak]:
        at = 0
        while at < len(matches):
            for size in range(min(LONGEST_NAME, len(matches) - at), 0, -1):
                some = matches[at : at + size]
                row = tuple(word.text for word in some)
                kind = self._rows.get(row)
                if kind and some[0].start not in marks:
                    yield Leak(some[0].start, some[-1].end, kind, " ".join(row))
                    at += size - 1
                    break
            at += 1


def masked(text: str, secrets: Secrets) -> str:
    """The text with marks such as [name A] for all data of its task, the same by the same mark.

    The way in which a task asks stays: it is no data.
    """
    marks: dict[tuple[str, str], str] = {}
    for leak in reversed([one for one in secrets.leaks(text) if one.kind != "words"]):
        times, letter = divmod(sum(kind == leak.kind for kind, _ in marks), 26)
        new = f"[{leak.kind} {chr(65 + letter) * (1 + times)}]"
        mark = marks.setdefault((leak.kind, leak.what), new)
        text = f"{text[: leak.start]}{mark}{text[leak.end :]}"
    return text


def _texts(text: str) -> list[str]:
    return [word.text for word in words(text)]


def _stretches(rows: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    return (tuple(rows[at : at + size]) for at in range(len(rows) - size + 1))


def _list_marks(text: str) -> frozenset[int]:
    """Positions of the numbers of a list that counts up from 1."""
    marks = [(int(m[1]), m.start(1)) for m in _LISTED.finditer(text)]
    counts = all(after in (before + 1, 1) for (before, _), (after, _) in pairwise(marks))
    return (
        frozenset(at for _, at in marks) if marks and marks[0][0] == 1 and counts else frozenset()
    )
