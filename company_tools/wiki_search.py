"""The company's wiki as the tools read it: all pages of a version, and the parts that speak of it.

Pages are kept by the wiki's hash, which is equal for equal pages (facts of the platform).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import regex
from rapidfuzz import process

from company_tools.company_session import CompanySession, Record
from company_tools.words import alike, telling, telling_weights, words
from erc3_compat import company
from ledger import ToolFault

Pages = dict[str, str]
CHUNK_CHARS = 700
"""A part of a page is a paragraph with its heading, or what of it is so long."""
PATTERN_SECONDS = 0.5
"""Of searching all pages for one pattern; patterns come from models."""
_PATTERN = regex.compile(r"[\\\[\]^$|*+?{}]|\.\*|\(\?")
_HEADING = regex.compile(r"\s*#{1,6}\s+(.+)")


class PageStore(Protocol):
    """Keeps the pages of versions beyond a task."""

    def pages(self, sha1: str, read: Callable[[], Pages]) -> Pages:
        """The pages of a version; ``read`` gets them where nobody has read them yet."""

    def keep(self, sha1: str, pages: Pages) -> None:
        """Know the pages of a version from now on."""


class Chunk(NamedTuple):
    """A part of a page."""

    page: str
    line: int
    """Where it begins, from 1."""
    heading: str
    text: str


def wiki_pages(session: CompanySession, wiki: PageStore) -> Pages:
    """All pages of the wiki as it is now. Raises ToolFault where it cannot be read."""
    sha1 = session.user().get("wiki_sha1", "")

    def read() -> Pages:
        paths = session.send(company.Req_ListWiki()).get("paths") or []
        return {path: load(session, path) for path in paths}

    pages = wiki.pages(sha1, read)
    session.memory.note("/wiki/list", {"paths": list(pages), "contents": list(pages.values())})
    session.memory.read_whole("paths")
    return pages


def load(session: CompanySession, path: str) -> str:
    """One page, byte for byte. Raises ToolFault."""
    return str(session.send(company.Req_LoadWiki(file=path)).get("content", ""))


def read_pages(session: CompanySession, wiki: PageStore, files: list[str]) -> Record:
    """The pages of these names, all where none is named; see the tool."""
    pages = wiki_pages(session, wiki)
    found = {page_name(pages, file): "" for file in files} or pages
    return {"pages": {path: pages[path] for path in found}}


def page_name(pages: Pages, said: str) -> str:
    """The page that is meant. Raises ToolFault that names those that are near."""
    if said in pages:
        return said
    same = [path for path in pages if _stem(path) == _stem(said)]
    if len(same) == 1:
        return same[0]
    near = [found for found, _, _ in process.extract(said, list(pages), limit=4)]
    raise ToolFault(f"the wiki has no page {said[:80]!r}; near: {', '.join(same or near)}")


def _stem(path: str) -> tuple[str, ...]:
    return words(path.casefold().removesuffix(".md").removesuffix(".txt"))


def search_wiki(session: CompanySession, wiki: PageStore, said: list[str], top: int) -> Record:
    """Parts of pages that have the words or match the pattern, best first; see the tool."""
    asked = [text for text in said if text.strip()]
    if not asked:
        raise ToolFault("words must not be empty")
    chunks = [
        chunk for path, text in wiki_pages(session, wiki).items() for chunk in _chunks(path, text)
    ]
    scores = [0.0] * len(chunks)
    plain: list[str] = []
    for text in asked:
        pattern = _pattern(text)
        if pattern is None:
            plain.append(text)
            continue
        until = time.monotonic() + PATTERN_SECONDS
        for at, chunk in enumerate(chunks):
            scores[at] += 100.0 * _hits(pattern, chunk, until)
    if plain:
        for at, score in enumerate(keyword_scores(chunks, plain)):
            scores[at] += score
    best = sorted((at for at in range(len(chunks)) if scores[at] > 0), key=lambda n: -scores[n])
    return {"chunks": [told(chunks[at]) | {"score": round(scores[at])} for at in best[:top]]}


def keyword_scores(chunks: list[Chunk], asked: list[str]) -> list[float]:
    """How far each part has the words that are asked for, from 0 to 100."""
    wanted = telling(" ".join(asked))
    texts = [words(f"{_name(chunk.page)} {chunk.heading} {chunk.text}") for chunk in chunks]
    weights = telling_weights(wanted, texts)
    total = sum(weights.values()) or 1.0
    return [
        100 * sum(weights[w] * max((alike(w, o) for o in set(text)), default=0.0) for w in wanted)
        / total * (1 - 0.1 * math.tanh(len(text) / 400))
        for text in texts
    ]  # fmt: skip


def told(chunk: Chunk) -> Record:
    """A part of a page as tools tell it."""
    return {"page": chunk.page, "line": chunk.line, "heading": chunk.heading, "text": chunk.text}


def _name(path: str) -> str:
    return " ".join(_stem(path))


def _pattern(text: str) -> regex.Pattern[str] | None:
    """The text as a pattern, where it is written as one."""
    if not _PATTERN.search(text.rstrip("?.")):
        return None
    try:
        return regex.compile(text, regex.IGNORECASE)
    except regex.error:
        return None


def _hits(pattern: regex.Pattern[str], chunk: Chunk, until: float) -> bool:
    try:
        for line in chunk.text.splitlines():
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError
            if pattern.search(line, timeout=left):
                return True
        return False
    except TimeoutError:
        raise ToolFault("the pattern takes too long; give words") from None


def _chunks(path: str, text: str) -> Iterator[Chunk]:
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
