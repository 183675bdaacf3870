"""Tasks that change pages of the wiki."""

from __future__ import annotations

from workshop.generators.company.endless.desk import RequestHandler
from workshop.generators.company.questions import pages
from workshop.generators.company.tasks.bench import Draft


def rename_page(b: RequestHandler) -> Draft:
    """A page with blanks at the ends of lines."""
    b = b.maybe_bought()
    old = next(path for path, text in b.firm.wiki.items() if "  \n" in text)
    new = f"{b.pick(('museum', 'box', 'cellar'), 'folder')}/{old.rpartition('/')[2]}"
    b.twist("bytes", "rename")
    return b.ask(pages.RenamePage(old, new), old=old, new=new)


def delete_page(b: RequestHandler) -> Draft:
    """A page that nobody needs."""
    b = b.maybe_bought()
    path = next(path for path, text in b.firm.wiki.items() if "  \n" in text)
    b.twist("delete")
    return b.ask(pages.DeletePage(path), path=path)


def write_page(b: RequestHandler) -> Draft:
    """A page in plain words, out of another."""
    b = b.maybe_bought()
    source = next(path for path, text in b.firm.wiki.items() if "`voided`" in text)
    words = tuple(w for w in ("draft", "voided", "customer_project", "internal"))
    path = f"{b.pick(('guides', 'kids', 'trainees'), 'folder')}/hours_in_short.md"
    b.twist("prose")
    return b.ask(pages.WritePage(path, words, source), words=", ".join(words), path=path)


def lead_pages(b: RequestHandler) -> Draft:
    """A page for each Lead."""
    content = b.pick(("SOON", "TODO", "to come"), "content")
    b.twist("multi", "bytes")
    folder = b.pick(("portraits", "faces", "leads"), "folder")
    return b.ask(pages.PagesForLeads(folder, content), folder=folder, content=content)


def customer_pages(b: RequestHandler) -> Draft:
    """A page for each customer."""
    content = b.pick(("SOON", "TODO", "to come"), "content")
    b.twist("multi", "bytes")
    folder = b.pick(("accounts", "clients", "dossiers"), "folder")
    return b.ask(pages.PagesForCustomers(folder, content), folder=folder, content=content)
