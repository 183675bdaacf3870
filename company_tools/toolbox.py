"""The tools of one task, as far as who asks may have them."""

from __future__ import annotations

from company_tools.arguments import loosened
from company_tools.combo_reads import listing_tools, resolving_tools, user_tools
from company_tools.combo_wiki import permission_tools, wiki_tools
from company_tools.combo_writes import writing_tools
from company_tools.company_session import CompanySession
from company_tools.requests import PUBLIC, request_tools
from company_tools.wiki_store import WikiStore
from core.ledger import Tool, ToolFault
from core.tools.faults import OutOfReach


def tools_of(session: CompanySession, wiki: WikiStore) -> list[Tool]:
    """The tools of who asks; of a guest, and where nobody can tell who asks, the public ones.

    The answer to the user is none of them: a FINISH gives it.

    Raises:
        OutOfReach: the system does not answer who asks.
    """
    return all_tools(session, wiki) if known(session) else public_tools(session, wiki)


def known(session: CompanySession) -> bool:
    """Whether somebody known asks. Raises OutOfReach."""
    if session.identity_fault is None:
        try:
            session.user()
        except OutOfReach:
            raise
        except ToolFault:
            return False
    return bool(session.requester)


def public_tools(session: CompanySession, wiki: WikiStore) -> list[Tool]:
    """What tells who asks, and the wiki: no people, customers, projects, hours, and no changes."""
    requests = [one for one in request_tools(session, wiki) if one.name in PUBLIC]
    combos = [*user_tools(session), *wiki_tools(session, wiki)]
    return [*requests, *map(loosened, combos)]


def all_tools(session: CompanySession, wiki: WikiStore) -> list[Tool]:
    """What a known user has."""
    combos = [
        *user_tools(session),
        *listing_tools(session, wiki),
        *resolving_tools(session),
        *permission_tools(session, wiki),
        *wiki_tools(session, wiki),
        *writing_tools(session, wiki),
    ]
    return [*request_tools(session, wiki), *map(loosened, combos)]
