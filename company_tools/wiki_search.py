"""Searches the pages of a wiki by patterns, by keywords and by meaning, merged into one ranking.

Each of the three streams ranks the parts of pages by itself; reciprocal rank fusion merges them, so
that none needs scores that compare with those of another. Meaning needs a model that embeds texts;
without one the search has two streams.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import regex

from company_tools.company_session import CompanySession
from company_tools.wiki_pages import stem, wiki_pages
from company_tools.wiki_store import WikiStore
from company_tools.words import SAME, alike, words
from core.ledger import ComboRow, Rows, ToolFault
from core.models.embeddings import PageVectors

CHUNK_CHARS = 700
"""A part of a page is a paragraph with its heading, or what of it is so long."""
PATTERN_SECONDS = 0.5
"""Of searching all pages for one pattern; patterns come from models."""
FUSION = 60
"""The usual constant of reciprocal rank fusion (Cormack, Clarke, Büttcher 2009)."""
LEAST_MEANING = 0.2
"""Cosine: a part that is less like the query is no result of meaning."""
QUERY_CHARS = 2_000
"""Of a text whose keywords and meaning are searched for."""
_HEADING = regex.compile(r"\s*#{1,6}\s+(.+)")
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]")
_PATTERN = regex.compile(r"[\\\[\]^$|*+?{}]|\.\*|\(\?")


class Chunk(NamedTuple):
    """A part of a page."""

    page: str
    line: int
    """Where it begins, from 1."""
    heading: str
    text: str


class Hit(NamedTuple):
    """A part that was found, as tools show it: with its score of 100 and what found it."""

    page: str
    line: int
    heading: str
    text: str
    score: int
    found_by: list[str]


Ranks = dict[int, int]
"""The rank of each part that a stream has found, from 1; equal ones share it."""


class Index:
    """The parts of all pages of a version, ready to be searched."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        from bm25s import BM25  # a fourth of a second, and not every task searches

        self.by_page = {path: [*chunks_of(path, text)] for path, text in pages.items()}
        self.chunks = [chunk for chunks in self.by_page.values() for chunk in chunks]
        tokens = [[*terms(text_of(chunk))] for chunk in self.chunks]
        self._vocabulary: dict[str, list[str]] = {}
        """Words by their first letter, which hardly anybody mistypes."""
        for word in sorted({word for chunk_words in tokens for word in chunk_words}):
            self._vocabulary.setdefault(word[0], []).append(word)
        self._ranker = BM25()
        if self._vocabulary:
            self._ranker.index(tokens, show_progress=False)

    def search(self, asked: Sequence[str], vectors: PageVectors | None) -> list[Hit]:
        """The parts that fit, best first. Raises ToolFault: a pattern takes too long."""
        patterns = [pattern for text in asked if (pattern := _pattern(text))]
        plain = [text for text in asked if _pattern(text) is None]
        streams = {"regex": self._by_pattern([*patterns, *map(_literal, plain)])}
        if text := " ".join(plain)[:QUERY_CHARS].strip():
            streams["keywords"] = self._by_keywords(text)
            if vectors and (meaning := self._by_meaning(text, vectors)) is not None:
                streams["meaning"] = meaning
        return self._merged(streams)

    def _merged(self, streams: Mapping[str, Ranks]) -> list[Hit]:
        most = len(streams) / (FUSION + 1)
        hits: list[Hit] = []
        for n in sorted({n for ranks in streams.values() for n in ranks}):
            found_by = [name for name, ranks in streams.items() if n in ranks]
            score = sum(1 / (FUSION + streams[name][n]) for name in found_by)
            hits.append(Hit(*self.chunks[n], round(100 * score / most), found_by))
        return sorted(hits, key=lambda hit: -hit.score)

    def _by_pattern(self, patterns: Sequence[regex.Pattern[str]]) -> Ranks:
        """The parts that have most of the patterns first."""
        until = time.monotonic() + PATTERN_SECONDS
        counts = {
            n: sum(_matches(pattern, chunk.text, until) for pattern in patterns)
            for n, chunk in enumerate(self.chunks)
        }
        return _ranked({n: float(count) for n, count in counts.items() if count})

    def _by_keywords(self, text: str) -> Ranks:
        """The parts by BM25, over words in any form of them."""
        matches = [
            word
            for asked in dict.fromkeys(terms(text))
            for word in self._vocabulary.get(asked[0], ())
            if alike(asked, word) >= SAME
        ]
        if not matches:
            return {}
        scores: list[float] = self._ranker.get_scores(matches).tolist()
        return _ranked({n: score for n, score in enumerate(scores) if score > 0})

    def _by_meaning(self, text: str, vectors: PageVectors) -> Ranks | None:
        """The parts whose vectors are like that of the text; None: the model does not answer."""
        pages = [[text_of(chunk) for chunk in chunks] for chunks in self.by_page.values()]
        likeness = vectors.likeness(text, pages)
        if likeness is None:
            return None
        return _ranked({n: score for n, score in enumerate(likeness) if score >= LEAST_MEANING})


def _ranked(scores: Mapping[int, float]) -> Ranks:
    """The ranks of scores, the highest first."""
    order = sorted({*scores.values()}, reverse=True)
    place = {score: rank for rank, score in enumerate(order, start=1)}
    return {n: place[score] for n, score in scores.items()}


@lru_cache(maxsize=16)
def _index(pages: tuple[tuple[str, str], ...]) -> Index:
    return Index(dict(pages))


def index_of(pages: Mapping[str, str]) -> Index:
    """The index of these pages, made once."""
    return _index(tuple(pages.items()))


def best_pages(pages: Mapping[str, str], wiki: WikiStore, text: str) -> list[str]:
    """The pages by the rank of their best part for a text; those without one are left out."""
    hits = index_of(pages).search([_plain(text)], wiki.vectors)
    return list(dict.fromkeys(hit.page for hit in hits))


def _plain(text: str) -> str:
    """The words of a text, which are no pattern."""
    return " ".join(words(text[:QUERY_CHARS])) or "-"


def text_of(chunk: Chunk) -> str:
    """What of a part is searched: the name of its page, its heading and its text."""
    return f"{' '.join(stem(chunk.page))}\n{chunk.heading}\n{chunk.text}"


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
    session: CompanySession, wiki: WikiStore, words: list[str], top: int = 8
) -> Rows:
    """Words or regex. [{data: [{page, line, heading, text, score, found_by: [regex,
    keywords, meaning]}] best first}]"""
    asked = [text for text in words if text.strip()]
    if not asked:
        raise ToolFault("words must not be empty")
    row = ComboRow(primary=asked)
    yield row
    hits = index_of(wiki_pages(session, wiki)).search(asked, wiki.vectors)
    row.data = [hit._asdict() for hit in hits[: max(top, 0)]]


def _pattern(text: str) -> regex.Pattern[str] | None:
    """The text as a pattern, where it is written as one."""
    if not _PATTERN.search(text.rstrip("?.")):
        return None
    try:
        return regex.compile(text, regex.IGNORECASE)
    except regex.error:
        return None


def _literal(text: str) -> regex.Pattern[str]:
    """The very words as a pattern."""
    return regex.compile(regex.escape(" ".join(text.split())), regex.IGNORECASE)


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


def terms(text: str) -> tuple[str, ...]:
    """The words of a text; in a script without spaces, each two neighbouring characters."""
    found: list[str] = []
    for word in words(text):
        unspaced = _UNSPACED.search(word) is not None
        found += [word[n : n + 2] for n in range(max(1, len(word) - 1))] if unspaced else [word]
    return tuple(found)
