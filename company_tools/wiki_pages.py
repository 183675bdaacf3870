"""Reads the wiki, all pages of a version once; writes and renames pages."""

from __future__ import annotations

from dataclasses import dataclass

from rapidfuzz import process

from company_tools.change import RECORD
from company_tools.company_session import CompanySession, unless_refused
from company_tools.evidence import ReadWhole, ShownPages
from company_tools.wiki_store import Pages, WikiStore
from company_tools.words import words
from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.ledger import ComboRow, Rows, ToolFault
from core.tools.ahead import one
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
    session.memory.note(ReadWhole(listed="paths"))
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
                try:
                    pages[path] = load(session, path)
                except ToolFault as fault:
                    fault.rows = [*pages.items()]
                    raise
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
) -> Rows:
    """[{primary: file, data: content}, ...]; none named: all"""
    try:
        pages = wiki_pages(session, wiki)
    except ToolFault as fault:
        read = dict(fault.rows or ())
        for path in read:
            if path in files or not files:
                yield ComboRow(primary=path, data=read[path])
        yield ComboRow(primary=[file for file in files if file not in read] or None)
        raise
    named = {page_name(pages, file): "" for file in files} or pages
    for path in named:
        yield ComboRow(primary=path, data=pages[path])


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


@dataclass
class PageChange:
    """What became of a page that was to be written."""

    written: bool
    """False: it was so already."""
    sha1_before: str
    sha1_after: str = ""


def Combo_Write_Wiki_Pages(session: CompanySession, wiki: WikiStore, pages: dict[str, str]) -> Rows:
    """{file: exact content}, "" deletes. [{primary: file, data: {written: false where it
    was so, sha1_before, sha1_after}}, ...]"""
    if not pages:
        raise ToolFault("pages must not be empty: {file: content}")
    if not all(file.strip() for file in pages):
        raise ToolFault("a page needs a name")
    who = session.actor()
    now = dict(wiki_pages(session, wiki))
    before = session.user().wiki_sha1
    shown: list[PageChange] = []
    requests: list[company.Req_UpdateWiki] = []
    for file, content in pages.items():
        request = company.Req_UpdateWiki(file=file, content=content, changed_by=who)
        if now.get(file, "") != content or _made_earlier(session, request):
            requests.append(request)
            continue
        shown.append(PageChange(False, before))
        yield ComboRow(primary=file, data=shown[-1])
    with session.change_set(requests):
        for request in requests:
            file, content = request.file, request.content
            row = ComboRow(primary=file)
            yield row
            session.write(request, {RECORD: {"content": now.get(file, "")}})
            row.data = PageChange(True, before)
            shown.append(row.data)
            now.pop(file, None)
            now |= {file: content} if content else {}
        after = session.user().wiki_sha1
    for change in shown:
        change.sha1_after = after
    if requests and after != before:
        wiki.keep(after, now)


def _made_earlier(session: CompanySession, request: company.Req_UpdateWiki) -> bool:
    """Whether a process before this one has written this very page."""
    return session.facts.made_earlier(request.tool, body_of(request)) is not None


def Combo_Rename_Wiki_Page(session: CompanySession, wiki: WikiStore, old: str, new: str) -> Rows:
    """Byte for byte; both pages as above"""
    # A copy is saved, then the old page is emptied. Where the new page holds the very content
    # already, as a renaming that was cut off leaves it, only the old one is.
    pages = wiki_pages(session, wiki)
    emptied = company.Req_UpdateWiki(file=old, content="", changed_by=session.actor())
    if old not in pages and new in pages and _made_earlier(session, emptied):
        content = load(session, new)
    elif old not in pages:
        raise ToolFault(f"the wiki has no page {old[:80]!r}; there are: {', '.join(pages)}")
    else:
        content = load(session, old)
        if new == old or (new in pages and load(session, new) != content):
            raise ToolFault(f"there is a page {new[:80]!r} already")
    yield from Combo_Write_Wiki_Pages(session, wiki, {new: content, old: ""})
