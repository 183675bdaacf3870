"""Data of training tasks in a prompt: found, so that it is refused; masked, where a model reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import regex

from core.tools.folding import fold
from workshop.generators.generating import Raw

STRETCH = 6
"""Words of a task in a row that are its own."""
COMMON = 3
"""A stretch that so many tasks have is a way of asking, and no task's own."""
NAME_CHARS = 60
"""A longer text of a scenario is no name."""
_WORD = regex.compile(r"\p{L}[\p{L}\p{M}\p{N}_@.-]*[\p{L}\p{M}\p{N}]|\p{L}|\d+(?:[.,-]\d+)*")
Rows = set[tuple[str, ...]]


class Secrets:
    """What only the training tasks contain: names, codes, numbers, and their own words in a row.

    Words of the built-in prompts are free, and so are 0, 1 and the numbers of a list.
    """

    def __init__(self, raws: Sequence[Raw], shipped: Iterable[str]) -> None:
        texts = [word for text in shipped for word, *_ in _words(text)]
        free, common = {*texts, "0", "1"}, set(_stretches(texts))
        self._rows: Rows = set()
        for leaf in (leaf for raw in raws for leaf in _leaves(raw)):
            row = [word for word, *_ in _words(str(leaf))]
            if isinstance(leaf, str) and len(leaf) <= NAME_CHARS:
                self._rows |= {tuple(row)} if len(row) < STRETCH else set()
                self._rows |= set(pairwise(row))
            self._rows |= {(word,) for word in row if any(map(str.isdigit, word))}
        self._rows = {row for row in self._rows if row and not free.issuperset(row)}
        counts: dict[tuple[str, ...], int] = {}
        for raw in raws:
            words = [word for word, *_ in _words(str(raw["task_text"]))]
            numbers = {(word,) for word in words if any(map(str.isdigit, word))}
            self._rows |= {row for row in numbers if not free.issuperset(row)}
            for stretch in {*_stretches(words)} - common:
                counts[stretch] = counts.get(stretch, 0) + 1
        self._own = {stretch for stretch, count in counts.items() if count < COMMON}

    def leaks(self, text: str) -> list[str]:
        """What the text says of a task, in order."""
        words = [word for word, *_ in _words(text)]
        own = [" ".join(stretch) for stretch in _stretches(words) if stretch in self._own]
        return [text[start:end] for start, end in self._places(text)] + own

    def masked(self, text: str) -> str:
        """The text with a mark in place of each name, code and number; the same for the same."""
        marks: dict[str, str] = {}
        parts, at = [], 0
        for start, end in self._places(text):
            times, letter = divmod(len(marks), 26)
            new = f"[data {chr(65 + letter) * (1 + times)}]"
            mark = marks.setdefault(fold(text[start:end]), new)
            parts += [text[at:start], mark]
            at = end
        return "".join([*parts, text[at:]])

    def _places(self, text: str) -> Iterator[tuple[int, int]]:
        words, at = _words(text), 0
        while at < len(words):
            for size in range(min(STRETCH, len(words) - at), 0, -1):
                some = words[at : at + size]
                is_listed = size == 1 and regex.match(r"\d{1,2}[.)]\s", text[some[0][1] :])
                if not is_listed and tuple(word for word, *_ in some) in self._rows:
                    yield some[0][1], some[-1][2]
                    at += size - 1
                    break
            at += 1


def _words(text: str) -> list[tuple[str, int, int]]:
    """Each word, folded, with its place; 1,299 is 1299."""
    return [
        (regex.sub(r"(?<=\d),(?=\d{3}\b)", "", fold(m[0])), m.start(), m.end())
        for m in _WORD.finditer(text)
    ]


def _stretches(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return (tuple(words[at : at + STRETCH]) for at in range(len(words) - STRETCH + 1))


def _leaves(value: object) -> Iterator[object]:
    """The texts and numbers of a scenario, and the names of its fields that are data."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if not name.replace("_", "").isalpha() or not name.islower():
                yield name
            if name not in ("task_text", "mechanics", "tags", "oracle", "proof"):
                yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
    elif isinstance(value, str):
        yield value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield json.dumps(value)
