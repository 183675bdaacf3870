"""The company's wiki as the tools read it: all pages of a version, and the parts that speak of it.

Pages are kept by the wiki's hash where it is proven to be theirs (``wiki_store.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Protocol

from rapidfuzz import process

from company_tools.company_session import CompanySession, Record
from company_tools.vectors import Vectors
from company_tools.wiki_chunks import Chunk, index_of, stem, told
from company_tools.wiki_streams import search
from core.erc3_client import company
from core.ledger import ToolFault
from core.tools.ahead import one
from core.tools.collector import keeping
from core.tools.faults import Inconsistent

Pages = dict[str, str]
ASKED_CHARS = 2_000
"""Of a task's text that pages are looked for by."""
PARTS_OF_A_TEXT, PAGES_OF_A_TEXT = 5, 3
"""So many parts are looked at for the pages of a text, and so many of those pages are taken."""


WIKI_AT_MOST = 4_000_000
"""Characters of all pages of a wiki together."""
PAGES_AT_MOST = 2_000
AHEAD_AT_MOST = 24
"""Pages that are read side by side before the work takes them."""


class PageStore(Protocol):
    """Keeps the pages of versions beyond a task."""

    @property
    def vectors(self) -> Vectors | None:
        """What finds parts of pages by their meaning, where that is configured."""

    def pages(self, sha1: str, read: Callable[[], Pages]) -> Pages:
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
        if len(paths) > PAGES_AT_MOST:
            raise Inconsistent(f"the wiki has {len(paths)} pages, more than {PAGES_AT_MOST}")
        came: Pages = {}
        for at in range(0, len(paths), AHEAD_AT_MOST):
            some = paths[at : at + AHEAD_AT_MOST]
            session.read_ahead(one(company.Req_LoadWiki(file=p)) for p in some if p not in same)
            for path in some:
                with keeping(pages=came):
                    came[path] = same[path] if path in same else load(session, path)
            _check_size(came)
        return came

    # Without a proven version each task reads its own pages, once.
    key = ("wiki", "pages", sha1)
    pages = session.kept(key, lambda: wiki.pages(sha1, read) if sha1 else read())
    shown = {"paths": list(pages), "contents": list(pages.values())}
    session.memory.note("/wiki/list", shown, {})
    return pages


def _check_size(pages: Pages) -> None:
    """Raises Inconsistent: no company's wiki is that large, and a part of it is not its rules."""
    if sum(map(len, pages.values())) > WIKI_AT_MOST:
        raise Inconsistent(f"the wiki has more than {WIKI_AT_MOST:,} characters")


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
