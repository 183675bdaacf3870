"""Parts of pages: what a search finds, and what of them is computed once for a version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import regex

from company_tools.words import alike, bare, words

if TYPE_CHECKING:
    from bm25s import BM25

CHUNK_CHARS = 700
"""A part of a page is a paragraph with its heading, or what of it is so long."""
SAME_WORD = 0.8
"""Words that are at least so much alike are one, inflected or misspelt."""
_HEADING = regex.compile(r"\s*#{1,6}\s+(.+)")


class Chunk(NamedTuple):
    """A part of a page."""

    page: str
    line: int
    """Where it begins, from 1."""
    heading: str
    text: str

    @property
    def whole(self) -> str:
        """All that is searched: name of the page, heading, text."""
        return f"{' '.join(stem(self.page))}\n{self.heading}\n{self.text}"


def stem(path: str) -> tuple[str, ...]:
    """The words of a page's name."""
    return words(path.casefold().removesuffix(".md").removesuffix(".txt"))


class Index:
    """The parts of all pages of a version, ready to be searched."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        self.chunks = [chunk for path, text in pages.items() for chunk in chunks_of(path, text)]
        self.bare = [bare(chunk.whole) for chunk in self.chunks]
        self._tokens = [words(chunk.whole) for chunk in self.chunks]
        self._vocabulary: dict[str, list[str]] = {}
        """Words by their first letter, which hardly anybody mistypes."""
        for word in sorted({word for tokens in self._tokens for word in tokens}):
            self._vocabulary.setdefault(word[0], []).append(word)

    def keyword_scores(self, asked: Sequence[str]) -> Sequence[float]:
        """How far each part has the words, in any form of them, by BM25."""
        found = [
            word
            for one in asked
            for word in self._vocabulary.get(one[0], ())
            if alike(one, word) >= SAME_WORD
        ]
        if not found:
            return [0.0] * len(self.chunks)
        scores: Sequence[float] = self._ranker.get_scores(found).tolist()
        return scores

    @cached_property
    def _ranker(self) -> BM25:
        from bm25s import BM25  # a fourth of a second, and not every task searches

        ranker = BM25()
        ranker.index([list(tokens) for tokens in self._tokens], show_progress=False)
        return ranker

    @property
    def by_page(self) -> list[list[str]]:
        """What is searched of the parts, those of one page together."""
        found: dict[str, list[str]] = {}
        for chunk in self.chunks:
            found.setdefault(chunk.page, []).append(chunk.whole)
        return list(found.values())


def index_of(pages: Mapping[str, str]) -> Index:
    """The index of a version's pages, made once."""
    return _index(tuple(pages.items()))


@lru_cache(maxsize=16)
def _index(pages: tuple[tuple[str, str], ...]) -> Index:
    return Index(dict(pages))


def told(chunk: Chunk) -> dict[str, Any]:
    """A part of a page as tools tell it."""
    return {"page": chunk.page, "line": chunk.line, "heading": chunk.heading, "text": chunk.text}


def chunks_of(path: str, text: str) -> Iterator[Chunk]:
    """The paragraphs of a page, those under one heading together as far as they are short."""
    heading, start, held = "", 1, ""
    for number, line in enumerate([*text.splitlines(), "# "], start=1):
        titled = _HEADING.fullmatch(line) or (line == "# ")
        ends = titled or (not line.strip() and len(held) > CHUNK_CHARS / 2)
        if ends or len(held) + len(line) > CHUNK_CHARS:
            if held.strip():
                yield Chunk(path, start, heading, held.strip())
            start, held = number, ""
        if isinstance(titled, regex.Match):
            heading = titled[1].strip()
        held += f"{line}\n"
