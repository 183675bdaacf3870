"""Searches a wiki: parts of pages by their words (BM25) and by patterns."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import regex

from company_tools.reading_session import ReadingSession
from company_tools.wiki_pages import stem, wiki_pages
from company_tools.wiki_store import Pages, WikiStore
from company_tools.words import alike, words
from core.ledger import ToolFault

CHUNK_CHARS = 700
"""A part of a page is a paragraph with its heading, or what of it is so long."""
SAME_WORD = 0.8
"""Words that are at least so much alike are one, inflected or misspelt."""
PATTERN_SECONDS = 0.5
"""Of searching all pages for one pattern; patterns come from models."""
_HEADING = regex.compile(r"\s*#{1,6}\s+(.+)")
_PATTERN = regex.compile(r"[\\\[\]^$|*+?{}]|\.\*|\(\?")


class Chunk(NamedTuple):
    """A part of a page."""

    page: str
    line: int
    """Where it begins, from 1."""
    heading: str
    text: str


class Index:
    """The parts of all pages of a version, ready to be searched."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        from bm25s import BM25  # a fourth of a second, and not every task searches

        self.chunks = [chunk for path, text in pages.items() for chunk in chunks_of(path, text)]
        tokens = [
            [*stem(chunk.page), *words(f"{chunk.heading}\n{chunk.text}")] for chunk in self.chunks
        ]
        self._vocabulary: dict[str, list[str]] = {}
        """Words by their first letter, which hardly anybody mistypes."""
        for word in sorted({word for chunk_words in tokens for word in chunk_words}):
            self._vocabulary.setdefault(word[0], []).append(word)
        self._ranker = BM25()
        if self._vocabulary:
            self._ranker.index(tokens, show_progress=False)

    def keyword_scores(self, text: str) -> list[float]:
        """How far each part has the words of a text, in any form of them, as shares of the best."""
        matches = [
            word
            for asked in telling_words(text)
            for word in self._vocabulary.get(asked[0], ())
            if alike(asked, word) >= SAME_WORD
        ]
        if not matches:
            return [0.0] * len(self.chunks)
        scores: list[float] = self._ranker.get_scores(matches).tolist()
        best = max(scores)
        return [score / best if best > 0 else 0.0 for score in scores]


@lru_cache(maxsize=16)
def _index(pages: tuple[tuple[str, str], ...]) -> Index:
    """The index of a version's pages, made once."""
    return Index(dict(pages))


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


def Combo_Search_Wiki_For_Words(
    session: ReadingSession, wiki: WikiStore, words: list[str], top: int = 8
) -> dict[str, object]:
    """Words or regex: {chunks: [{page, line, heading, text, score}] best first}"""
    asked = [text for text in words if text.strip()]
    if not asked:
        raise ToolFault("words must not be empty")
    patterns = {text: pattern for text in asked if (pattern := _pattern(text)) is not None}
    plain = " ".join(text for text in asked if text not in patterns)
    ranked = _ranked(wiki_pages(session, wiki), plain, list(patterns.values()))
    chunks = [{**chunk._asdict(), "score": round(100 * share)} for chunk, share in ranked]
    return {"chunks": chunks[: max(top, 0)]}


def _ranked(
    pages: Pages, text: str, patterns: Sequence[regex.Pattern[str]]
) -> list[tuple[Chunk, float]]:
    """Parts with a score from 0 to 1, best first: those with most patterns, then by words.

    Raises ToolFault: a pattern takes too long.
    """
    if not text.strip() and not patterns:
        return []
    index = _index(tuple(pages.items()))
    until = time.monotonic() + PATTERN_SECONDS
    scores = [
        (score + sum(_matches(pattern, chunk.text, until) for pattern in patterns), -number)
        for number, (score, chunk) in enumerate(
            zip(index.keyword_scores(text), index.chunks, strict=True)
        )
    ]
    best = len(patterns) + bool(text.strip())
    return [(index.chunks[-at], score / best) for score, at in sorted(scores)[::-1] if score > 0]


def _pattern(text: str) -> regex.Pattern[str] | None:
    """The text as a pattern, where it is written as one."""
    if not _PATTERN.search(text.rstrip("?.")):
        return None
    try:
        return regex.compile(text, regex.IGNORECASE)
    except regex.error:
        return None


def _matches(pattern: regex.Pattern[str], text: str, until: float) -> bool:
    try:
        for line in text.splitlines():
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError
            if pattern.search(line, timeout=left):
                return True
        return False
    except TimeoutError:
        raise ToolFault("the pattern takes too long; give words") from None


def telling_words(text: str) -> tuple[str, ...]:
    """The words of a question that could stand in an answer; all where none does."""
    every = tuple(dict.fromkeys(words(text)))
    return tuple(word for word in every if word not in _small_words()) or every


@cache
def _small_words() -> frozenset[str]:
    """What questions are made of, in the languages in which people ask."""
    from bm25s import stopwords

    logging.getLogger("bm25s").setLevel(logging.WARNING)  # it asks for every detail
    languages = ("EN_PLUS", "GERMAN", "FRENCH", "SPANISH", "DUTCH", "NORWEGIAN", "ITALIAN")
    listed = [word for name in languages for word in getattr(stopwords, f"STOPWORDS_{name}")]
    return frozenset(part for word in listed for part in words(word))
