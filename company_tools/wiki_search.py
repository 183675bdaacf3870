"""The company's wiki as the tools read it: all pages of a version, and the parts that speak of it.

Pages are kept by the wiki's hash, which is equal for equal pages (facts of the platform).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Protocol

from rapidfuzz import process

from company_tools.company_session import CompanySession, Record
from company_tools.vectors import Vectors
from company_tools.wiki_chunks import Chunk, index_of, stem, told
from company_tools.wiki_streams import search
from erc3_compat import company
from ledger import ToolFault
from tooling.ahead import one
from tooling.collector import keeping

Pages = dict[str, str]
ASKED_CHARS = 2_000
"""Of a task's text that pages are looked for by."""
PARTS_OF_A_TEXT, PAGES_OF_A_TEXT = 5, 3
"""So many parts are looked at for the pages of a text, and so many of those pages are taken."""


class PageStore(Protocol):
    """Keeps the pages of versions beyond a task."""

    @property
    def vectors(self) -> Vectors | None:
        """What finds parts of pages by their meaning, where that is configured."""

    def pages(
        self, sha1: str, read: Callable[[], Pages], fit: Callable[[Pages], bool], whole: bool
    ) -> Pages:
        """The pages of a version; see WikiStore."""

    def keep(self, sha1: str, pages: Pages) -> None:
        """Know the pages of a version from now on."""


def wiki_pages(session: CompanySession, wiki: PageStore) -> Pages:
    """All pages of the wiki as it is now, for a tool. Raises ToolFault where it cannot be read."""
    pages = pages_now(session, wiki)
    session.memory.read_whole("paths")
    return pages


def pages_now(
    session: CompanySession,
    wiki: PageStore,
    known: Pages | None = None,
    rewritten: Collection[str] = (),
) -> Pages:
    """All pages of the wiki as whoami names its version; they count as seen.

    Of pages that are ``known`` only the ``rewritten`` ones are read again. Raises ToolFault where
    the wiki cannot be read.
    """
    sha1 = session.user().get("wiki_sha1") or ""
    same = {path: text for path, text in (known or {}).items() if path not in rewritten}

    def read() -> Pages:
        paths = _paths(session)
        asked = [company.Req_LoadWiki(file=path) for path in paths if path not in same]
        session.read_ahead(map(one, asked))
        came: Pages = {}
        for path in paths:
            with keeping(pages=came):
                came[path] = same[path] if path in same else load(session, path)
        return came

    if sha1:
        pages = wiki.pages(sha1, read, lambda kept: _fit(session, kept), whole=not same)
    else:  # without a version nothing tells one company's wiki from another's
        pages = session.kept(("wiki", "pages"), read)
    shown = {"paths": list(pages), "contents": list(pages.values())}
    session.memory.note("/wiki/list", shown, {})
    return pages


def _fit(session: CompanySession, kept: Pages) -> bool:
    """Whether kept pages look like those of this company: the same paths, the longest page."""
    if sorted(_paths(session)) != sorted(kept):
        return False
    longest = max(kept, key=lambda path: (len(kept[path]), path), default=None)
    return longest is None or load(session, longest) == kept[longest]


def _paths(session: CompanySession) -> list[str]:
    return session.send(company.Req_ListWiki()).get("paths") or []


def load(session: CompanySession, path: str) -> str:
    """One page, byte for byte. Raises ToolFault."""
    return str(session.send(company.Req_LoadWiki(file=path)).get("content", ""))


def read_pages(session: CompanySession, wiki: PageStore, files: list[str]) -> Record:
    """The pages of these names, all where none is named; see the tool."""
    try:
        pages = wiki_pages(session, wiki)
    except ToolFault as fault:
        came: Pages = fault.found.get("pages", {})
        fault.found = {"pages": {p: t for p, t in came.items() if p in files or not files}}
        raise
    found = {page_name(pages, file): "" for file in files} or pages
    return {"pages": {path: pages[path] for path in found}}


def page_name(pages: Pages, said: str) -> str:
    """The page that is meant. Raises ToolFault that names those that are near."""
    if said in pages:
        return said
    same = [path for path in pages if stem(path) == stem(said)]
    if len(same) == 1:
        return same[0]
    near = [found for found, _, _ in process.extract(said, list(pages), limit=4)]
    raise ToolFault(f"the wiki has no page {said[:80]!r}; near: {', '.join(same or near)}")


def search_wiki(session: CompanySession, wiki: PageStore, said: list[str], top: int) -> Record:
    """Parts of pages that have the words or match the pattern, best first; see the tool."""
    asked = [text for text in said if text.strip()]
    if not asked:
        raise ToolFault("words must not be empty")
    index = index_of(wiki_pages(session, wiki))
    found = search(index, asked, wiki.vectors)
    return {
        "chunks": [
            told(index.chunks[at]) | {"score": round(100 * share)}
            for at, share in found.ranked[: max(top, 0)]
        ],
        "streams": [*found.streams],
        "vectors": found.failed,
    }


def pages_on(pages: Pages, text: str, vectors: Vectors | None) -> dict[str, str]:
    """The pages that have most to do with a text, best first, each with the parts that have.

    Nothing that is written in the text is a pattern.
    """
    if not text.strip():
        return {}
    index = index_of(pages)
    found = search(index, [text[:ASKED_CHARS]], vectors, literal=True)
    parts: dict[str, list[Chunk]] = {}
    for at, _ in found.ranked[:PARTS_OF_A_TEXT]:
        chunk = index.chunks[at]
        if chunk.page in parts or len(parts) < PAGES_OF_A_TEXT:
            parts.setdefault(chunk.page, []).append(chunk)
    return {page: "\n\n".join(c.text for c in sorted(held)) for page, held in parts.items()}
