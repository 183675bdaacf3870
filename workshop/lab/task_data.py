"""Data of tasks in a text: names, codes and numbers that only their scenarios contain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import regex

from workshop.generators.generating import Raw

NAME_CHARS = 60
"""A longer text of a scenario is no name."""
LEAST_CHARS = 2
"""A shorter name or number is everybody's."""
NO_NAMES = frozenset({"task_text", "mechanics", "tags", "oracle", "proof"})
"""Fields of a scenario without names."""
_NUMBER = regex.compile(r"(?<![\w-])[^\W\d]*+(?:-[^\W\d]*+)*+\d[\w-]*+")


class TaskData:
    """Finds the data of some tasks in a text; what ``free_text`` has as well is none."""

    def __init__(self, raws: Sequence[Raw], free_text: str) -> None:
        data = {one.casefold() for raw in raws for one in _data_in(raw) if len(one) >= LEAST_CHARS}
        data |= {code for raw in raws for code in _NUMBER.findall(str(raw["task_text"]).casefold())}
        free = " ".join(regex.findall(r"\w+", free_text.casefold()))
        data = {one for one in data if not regex.search(rf"\b{regex.escape(one)}\b", free)}
        longest_first = "|".join(map(regex.escape, sorted(data, key=len, reverse=True)))
        self._data = regex.compile(rf"(?<!\w)(?:{longest_first or '(?!)'})(?!\w)", regex.IGNORECASE)

    def found_in(self, text: str) -> list[str]:
        """The data that a text holds, in order."""
        return [match[0] for match in self._data.finditer(text)]

    def masked(self, text: str) -> str:
        """The text with a mark in place of each name, code and number; the same for the same."""
        marks: dict[str, str] = {}

        def mark(match: regex.Match[str]) -> str:
            times, letter = divmod(len(marks), 26)
            new = f"[data {chr(65 + letter) * (1 + times)}]"
            return marks.setdefault(match[0].casefold(), new)

        return self._data.sub(mark, text)


def _data_in(value: object) -> Iterator[str]:
    """Short texts of a scenario, every two words of them in a row, and what has a digit."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name not in NO_NAMES:
                yield from _data_in(inner)
            if not name.replace("_", "").isalpha() or not name.islower():
                yield name
    elif isinstance(value, list):
        for inner in value:
            yield from _data_in(inner)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        text = str(value)
        yield from _NUMBER.findall(text)
        if isinstance(value, str) and len(text) <= NAME_CHARS:
            yield text
            yield from map(" ".join, pairwise(text.split()))
