"""Ways of searching a wiki, and how what they find is merged.

Each stream ranks parts of pages by itself: by regular expressions, by keywords (BM25) and, where
an embedding model is configured, by vectors. Reciprocal rank fusion merges them, so no stream's
scores need to be comparable with another's.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import regex

from company_tools.vectors import Vectors
from company_tools.wiki_chunks import Index
from company_tools.words import words
from core.ledger import ToolFault
from core.models.embeddings import EmbeddingFailed

RANK_CONSTANT = 60
"""Of reciprocal rank fusion, as its authors chose it (Cormack, Clarke and Büttcher, 2009)."""
DEEP = 30
"""So many parts of each stream take part."""
PATTERN_SECONDS = 0.5
"""Of searching all pages for one pattern; patterns come from models."""
OF_A_PATTERN = 10.0
"""What a pattern that was given counts, against one that is made of a word."""
_PATTERN = regex.compile(r"[\\\[\]^$|*+?{}]|\.\*|\(\?")


class Found(NamedTuple):
    """What a search found."""

    ranked: list[tuple[int, float]]
    """Numbers of parts with their share of the best possible score, best first."""
    streams: tuple[str, ...]
    """Those that ran."""
    failed: str = ""
    """Why vectors could not be had, where they are configured."""


def search(
    index: Index,
    said: Sequence[str],
    vectors: Vectors | None = None,
    only: str = "",
    literal: bool = False,
) -> Found:
    """Parts that have the words, match the patterns or mean the same.

    ``only``: the one stream that shall run; ``literal``: nothing said is meant as a pattern.
    Raises ToolFault: a pattern takes too long.
    """
    read = [(text, None if literal else _pattern(text)) for text in said]
    patterns = [pattern for _, pattern in read if pattern is not None]
    plain = " ".join(text for text, pattern in read if pattern is None)
    asked = asked_words(plain)
    scores: dict[str, Sequence[float]] = {}
    failed = ""
    if only in ("", "regex"):
        scores["regex"] = _pattern_scores(index, patterns, asked)
    if plain.strip() and only in ("", "keywords"):
        scores["keywords"] = index.keyword_scores(asked)
    if plain.strip() and vectors is not None and only in ("", "vectors"):
        try:
            scores["vectors"] = vectors.near(plain, index.by_page)
        except EmbeddingFailed as error:
            failed = str(error)
    # Two streams that see the same words and nothing else are one witness.
    weights = {name: 1.0 if name == "vectors" or patterns else 0.5 for name in scores}
    return Found(merged([(weights[n], s) for n, s in scores.items()]), tuple(scores), failed)


def merged(streams: Sequence[tuple[float, Sequence[float]]]) -> list[tuple[int, float]]:
    """Numbers of what has a score above 0 in any stream, by reciprocal ranks; ties share one.

    ``streams``: each with its weight. What comes out is a share of the best that could be.
    """
    total: dict[int, float] = {}
    for weight, scores in streams:
        best = sorted((n for n, s in enumerate(scores) if s > 0), key=lambda n: -scores[n])[:DEEP]
        rank, last = 0, 0.0
        for place, n in enumerate(best, start=1):
            if scores[n] != last:
                rank, last = place, scores[n]
            total[n] = total.get(n, 0.0) + weight / (RANK_CONSTANT + rank)
    most = sum(weight for weight, _ in streams) / (RANK_CONSTANT + 1)
    ranked = sorted(total, key=lambda n: (-total[n], n))
    return [(n, total[n] / most) for n in ranked]


def _pattern(text: str) -> regex.Pattern[str] | None:
    """The text as a pattern, where it is written as one."""
    if not _PATTERN.search(text.rstrip("?.")):
        return None
    try:
        return regex.compile(text, regex.IGNORECASE)
    except regex.error:
        return None


def asked_words(text: str) -> tuple[str, ...]:
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


def _pattern_scores(
    index: Index, patterns: Sequence[regex.Pattern[str]], asked: Sequence[str]
) -> list[float]:
    """How many patterns each part has; of plain words each is the pattern of how words begin."""
    until = time.monotonic() + PATTERN_SECONDS
    made = [regex.compile(rf"\b{regex.escape(word)}") for word in asked]
    return [
        OF_A_PATTERN * sum(_hits(p, chunk.text, until) for p in patterns)
        + sum(p.search(text) is not None for p in made)
        for chunk, text in zip(index.chunks, index.bare, strict=True)
    ]


def _hits(pattern: regex.Pattern[str], text: str, until: float) -> bool:
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
