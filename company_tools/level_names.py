"""Skills and wills by what a text calls them: their stored name, its words, or their display name.

Display names stand in the wiki alone (facts of the platform), in a line, a list or a table that
has them beside the stored name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import regex

from company_tools import listings
from company_tools.company_session import CompanySession, Record
from company_tools.wiki_pages import wiki_pages
from company_tools.wiki_store import WikiStore
from company_tools.words import words
from core.erc3_client import company
from core.ledger import ToolFault

_KINDS = ("skills", "wills")
_PARTS = regex.compile(r"[,;\n]|\.\s")
_STORED = regex.compile(r"(?<![\p{L}\p{N}_.-])[\p{L}\p{N}_.-]*[\p{L}\p{N}_]")


def level_name(session: CompanySession, wiki: WikiStore, kind: str, said: str) -> str:
    """The stored name of a skill or will that somebody has.

    Raises:
        ToolFault: nobody has it, or it could be two; the text names those that were seen.
    """
    said = said.strip()
    if _somebody_has(session, kind, said):
        return said
    seen = sorted(session.evidence.tokens | _own_names(session))
    prefix = kind.removesuffix("s")
    same = {name for name in seen if words(name) in (words(said), (prefix, *words(said)))}
    if not same:
        pages = wiki_pages(session, wiki)
        seen = sorted(session.evidence.tokens)
        same = {name for text in pages.values() for name in named_so(text, said, seen)}
    same = {name for name in same if _somebody_has(session, kind, name)}
    if len(same) == 1:
        return same.pop()
    names = sorted(same) or [name for name in seen if name.startswith(prefix)] or seen
    raise ToolFault(
        f"{'more than one' if same else 'nobody has the'} {prefix} {said[:80]!r}; "
        f"seen: {', '.join(names) or 'none'}"
    )


def named_so(text: str, said: str, stored: Collection[str]) -> Iterator[str]:
    """Stored names beside a display name: "a = Apples", "- a: Apples", "| Apples | a |"."""
    wanted = words(said)
    for line in text.splitlines():
        parts = [cell for cell in line.split("|")] if "|" in line else []
        if any(words(cell) == wanted for cell in parts):
            found = [name for name in _STORED.findall(line) if name in stored]
            yield from found if len(set(found)) == 1 else ()
    for part in _PARTS.split(text):
        found = [name for name in _STORED.findall(part) if name in stored]
        if len(found) == 1 and words(part.replace(found[0], " ", 1)) == wanted:
            yield found[0]


def search_levels(
    session: CompanySession, filters: dict[str, list[dict[str, Any]]], within: dict[str, str]
) -> list[Record]:
    """Everybody who has the levels at the place; kept until somebody changes."""
    key = ("employees", repr((filters, within)))
    model = company.Req_SearchEmployees
    return session.kept(key, lambda: session.pages(model, "employees", **filters, **within))


def _somebody_has(session: CompanySession, kind: str, name: str) -> bool:
    """Whether anybody has it: one page tells, and all of it is not read."""
    model, filters = company.Req_SearchEmployees, {kind: [{"name": name}]}
    page = session.kept(
        ("employees", f"{kind} {name}"), lambda: session.page(model, "employees", 0, **filters)
    )
    return bool(page["employees"])


def _own_names(session: CompanySession) -> set[str]:
    """Names of what the asker has."""
    person = listings.employee(session, session.user().get("current_user") or "")
    return {one["name"] for kind in _KINDS for one in person[kind]}
