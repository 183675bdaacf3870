"""Reads the wiki, all pages of a version once; writes, renames and searches pages."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

import regex
from rapidfuzz import process

from company_tools.change import RECORD
from company_tools.company_session import CompanySession, unless_refused
from company_tools.evidence import ShownPages
from company_tools.wiki_store import Pages, WikiStore
from company_tools.words import SAME, alike, words
from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.ledger import ToolFault
from core.tools.ahead import one
from core.tools.collector import keeping
from core.tools.faults import Inconsistent
from core.tools.task_api import body_of

WIKI_AT_MOST = 4_000_000
"""Characters of all pages of a wiki together."""
PAGES_AT_MOST = 2_000
AHEAD_AT_MOST = 24
"""Pages that are read side by side before the work takes them."""


def wiki_pages(session: CompanySession, wiki: WikiStore) -> Pages:
    """All pages of the wiki as it is now, for a tool. Raises ToolFault where it cannot be read."""
    pages = pages_now(session, wiki)
    session.memory.read_whole("paths")
    return pages


def pages_now(session: CompanySession, wiki: WikiStore) -> Pages:
    """All pages of the wiki as whoami names its version; they count as seen.

    Raises ToolFault where the wiki cannot be read.
    """
    sha1 = session.user().wiki_sha1

    def read() -> Pages:
        paths = session.read(company.Req_ListWiki(), wire.Resp_ListWiki).paths
        if len(paths) > PAGES_AT_MOST:
            raise Inconsistent(f"the wiki has {len(paths)} pages, more than {PAGES_AT_MOST}")
        pages: Pages = {}
        for start in range(0, len(paths), AHEAD_AT_MOST):
            batch = paths[start : start + AHEAD_AT_MOST]
            session.read_ahead(one(company.Req_LoadWiki(file=path)) for path in batch)
            for path in batch:
                with keeping(pages=pages):
                    pages[path] = load(session, path)
            if sum(map(len, pages.values())) > WIKI_AT_MOST:
                # No company's wiki is that large, and a part of it is not its rules.
                raise Inconsistent(f"the wiki has more than {WIKI_AT_MOST:,} characters")
        return pages

    # Without a proven version each task reads its own pages, once.
    key = ("wiki", "pages", sha1)
    pages = session.memory.kept(key, lambda: wiki.pages(sha1, read) if sha1 else read())
    session.memory.note(ShownPages(pages=pages))
    return pages


def pages_or_none(session: CompanySession, wiki: WikiStore) -> Pages | None:
    """The pages as :func:`pages_now` reads them; None where the wiki refuses. Raises OutOfReach."""
    return unless_refused(lambda: pages_now(session, wiki), None)


def load(session: CompanySession, path: str) -> str:
    """One page, byte for byte. Raises ToolFault."""
    return session.read(company.Req_LoadWiki(file=path), wire.Resp_LoadWiki).content


def Combo_Read_Wiki_Pages(
    session: CompanySession,
    wiki: WikiStore,
    files: list[str] = [],  # noqa: B006
) -> dict[str, object]:
    """{pages: {file: content}}; none named: all"""
    try:
        pages = wiki_pages(session, wiki)
    except ToolFault as fault:
        read: Pages = fault.found.get("pages", {})
        fault.found = {"pages": {p: t for p, t in read.items() if p in files or not files}}
        raise
    named = {page_name(pages, file): "" for file in files} or pages
    return {"pages": {path: pages[path] for path in named}}


def page_name(pages: Pages, text: str) -> str:
    """The page that is meant. Raises ToolFault that names those that are near."""
    if text in pages:
        return text
    matches = [path for path in pages if stem(path) == stem(text)]
    if len(matches) == 1:
        return matches[0]
    near = [path for path, _, _ in process.extract(text, list(pages), limit=4)]
    raise ToolFault(f"the wiki has no page {text[:80]!r}; near: {', '.join(matches or near)}")


def stem(path: str) -> tuple[str, ...]:
    """The words of a page's name."""
    return words(path.casefold().removesuffix(".md").removesuffix(".txt"))


def Combo_Write_Wiki_Pages(
    session: CompanySession, wiki: WikiStore, pages: dict[str, str]
) -> dict[str, object]:
    """{file: exact content}, "" deletes: {written: [file], unchanged: [file], sha1_before,
    sha1_after}"""
    if not pages:
        raise ToolFault("pages must not be empty: {file: content}")
    if not all(file.strip() for file in pages):
        raise ToolFault("a page needs a name")
    who = session.actor()
    now = dict(wiki_pages(session, wiki))
    before = session.user().wiki_sha1
    written: list[str] = []
    same: list[str] = []
    requests: list[company.Req_UpdateWiki] = []
    for file, content in pages.items():
        request = company.Req_UpdateWiki(file=file, content=content, changed_by=who)
        as_it_is = now.get(file, "") == content and not _made_earlier(session, request)
        same += [file] if as_it_is else []
        requests += [] if as_it_is else [request]
    kept = keeping(written=written, unchanged=same, sha1_before=before)
    with kept, session.change_set(requests):
        for request in requests:
            file, content = request.file, request.content
            session.write(request, {RECORD: {"content": now.get(file, "")}})
            written.append(file)
            now.pop(file, None)
            now |= {file: content} if content else {}
        after = session.user().wiki_sha1
    if written and after != before:
        wiki.keep(after, now)
    return {"written": written, "unchanged": same, "sha1_before": before, "sha1_after": after}


def _made_earlier(session: CompanySession, request: company.Req_UpdateWiki) -> bool:
    """Whether a process before this one has written this very page."""
    return session.facts.made_earlier(request.tool, body_of(request)) is not None


def Combo_Rename_Wiki_Page(
    session: CompanySession, wiki: WikiStore, old: str, new: str
) -> dict[str, object]:
    """Byte for byte: {written, unchanged, sha1_before, sha1_after}"""
    # A copy is saved, then the old page is emptied. Where the new page holds the very content
    # already, as a renaming that was cut off leaves it, only the old one is.
    pages = wiki_pages(session, wiki)
    emptied = company.Req_UpdateWiki(file=old, content="", changed_by=session.actor())
    if old not in pages and new in pages and _made_earlier(session, emptied):
        return Combo_Write_Wiki_Pages(session, wiki, {new: load(session, new), old: ""})
    if old not in pages:
        raise ToolFault(f"the wiki has no page {old[:80]!r}; there are: {', '.join(pages)}")
    content = load(session, old)
    if new == old or (new in pages and load(session, new) != content):
        raise ToolFault(f"there is a page {new[:80]!r} already")
    return Combo_Write_Wiki_Pages(session, wiki, {new: content, old: ""})


CHUNK_CHARS = 700
"""A part of a page is a paragraph with its heading, or what of it is so long."""
PATTERN_SECONDS = 0.5
"""Of searching all pages for one pattern; patterns come from models."""
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


class Index:
    """The parts of all pages of a version, ready to be searched."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        from bm25s import BM25  # a fourth of a second, and not every task searches

        self.chunks = [chunk for path, text in pages.items() for chunk in chunks_of(path, text)]
        tokens = [
            [*stem(chunk.page), *terms(f"{chunk.heading}\n{chunk.text}")] for chunk in self.chunks
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
            if alike(asked, word) >= SAME
        ]
        if not matches:
            return [0.0] * len(self.chunks)
        scores: list[float] = self._ranker.get_scores(matches).tolist()
        best = max(scores)
        return [score / best if best > 0 else 0.0 for score in scores]


@lru_cache(maxsize=16)
def _index(pages: tuple[tuple[str, str], ...]) -> Index:
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
    session: CompanySession, wiki: WikiStore, words: list[str], top: int = 8
) -> dict[str, object]:
    """Words or regex: {chunks: [{page, line, heading, text, score}] best first}"""
    asked = [text for text in words if text.strip()]
    if not asked:
        raise ToolFault("words must not be empty")
    patterns = {text: pattern for text in asked if (pattern := _pattern(text)) is not None}
    plain = " ".join(text for text in asked if text not in patterns)
    pages = wiki_pages(session, wiki)
    index = _index(tuple(pages.items()))
    until = time.monotonic() + PATTERN_SECONDS
    # From 0 to 1: first those with most patterns, then by words.
    scored = [
        (score + sum(_matches(pattern, chunk.text, until) for pattern in patterns.values()), chunk)
        for score, chunk in zip(index.keyword_scores(plain), index.chunks, strict=True)
    ]
    best = len(patterns) + bool(plain)
    found = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])
    chunks = [{**chunk._asdict(), "score": round(100 * share / best)} for share, chunk in found]
    return {"chunks": chunks[: max(top, 0)]}


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
    every = tuple(dict.fromkeys(terms(text)))
    return tuple(word for word in every if word not in _small_words()) or every


def terms(text: str) -> tuple[str, ...]:
    """The words of a text; in a script without spaces, each two neighbouring characters."""
    found: list[str] = []
    for word in words(text):
        unspaced = _UNSPACED.search(word) is not None
        found += [word[n : n + 2] for n in range(max(1, len(word) - 1))] if unspaced else [word]
    return tuple(found)


@cache
def _small_words() -> frozenset[str]:
    """What questions are made of, in the languages in which people ask."""
    from bm25s import stopwords

    logging.getLogger("bm25s").setLevel(logging.WARNING)  # it asks for every detail
    languages = ("EN_PLUS", "GERMAN", "FRENCH", "SPANISH", "DUTCH", "NORWEGIAN", "ITALIAN")
    listed = [word for name in languages for word in getattr(stopwords, f"STOPWORDS_{name}")]
    return frozenset(part for word in listed for part in words(word))
