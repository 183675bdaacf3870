"""The tools of one task, as far as who asks may have them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from company_tools.arguments import loosened
from company_tools.combo_reads import listing_tools, resolving_tools, user_tools
from company_tools.company_session import CompanySession
from company_tools.requests import PUBLIC, request_tools
from ledger import Tool


def tools_of(session: CompanySession, wiki: Any) -> list[Tool]:
    """The tools of who asks; of a guest, and where nobody knows who asks, the public ones.

    Raises:
        OutOfReach: the system does not answer who asks.
    """
    made = request_tools(session)
    combos = [*user_tools(session), *listing_tools(session), *resolving_tools(session)]
    return [*made, *(loosened(one) for one in combos)]
