"""Changes of the wiki: pages written byte for byte, and renamed."""

from __future__ import annotations

from company_tools.company_session import CompanySession
from company_tools.wiki_pages import load, wiki_pages
from company_tools.wiki_store import WikiStore
from core.erc3_client import company
from core.ledger import ToolFault
from core.tools.collector import keeping


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
    with keeping(written=written, unchanged=same, sha1_before=before):
        for file, content in pages.items():
            request = company.Req_UpdateWiki(file=file, content=content, changed_by=who)
            if now.get(file, "") == content and not session.was_made(request):
                same.append(file)
                continue
            session.send(request)
            written.append(file)
            now.pop(file, None)
            now |= {file: content} if content else {}
        after = session.user().wiki_sha1
    if written and after != before:
        wiki.keep(after, now)
    return {"written": written, "unchanged": same, "sha1_before": before, "sha1_after": after}


def Combo_Rename_Wiki_Page(
    session: CompanySession, wiki: WikiStore, old: str, new: str
) -> dict[str, object]:
    """Byte for byte: {written, unchanged, sha1_before, sha1_after}"""
    # A copy is saved, then the old page is emptied. Where the new page holds the very content
    # already, as a renaming that was cut off leaves it, only the old one is.
    pages = wiki_pages(session, wiki)
    emptied = company.Req_UpdateWiki(file=old, content="", changed_by=session.actor())
    if old not in pages and new in pages and session.was_made(emptied):
        return Combo_Write_Wiki_Pages(session, wiki, {new: load(session, new), old: ""})
    if old not in pages:
        raise ToolFault(f"the wiki has no page {old[:80]!r}; there are: {', '.join(pages)}")
    content = load(session, old)
    if new == old or (new in pages and load(session, new) != content):
        raise ToolFault(f"there is a page {new[:80]!r} already")
    return Combo_Write_Wiki_Pages(session, wiki, {new: content, old: ""})
