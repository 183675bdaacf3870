"""Combo_* tools over the wiki and what it rules."""

from __future__ import annotations

from typing import Any

from company_tools.company_session import CompanySession
from company_tools.permissions import permission_facts
from company_tools.wiki_search import PageStore, read_pages, search_wiki
from ledger import Tool, tool


def wiki_tools(session: CompanySession, wiki: PageStore) -> list[Tool]:
    """What reads the wiki; a guest has it too."""

    def Combo_Search_Wiki_For_Words(words: list[str], top: int = 8) -> dict[str, Any]:
        """Words or regex: {chunks: [{page, line, heading, text, score}], streams}"""
        return search_wiki(session, wiki, words, top)

    def Combo_Read_Wiki_Pages(files: list[str] = []) -> dict[str, Any]:  # noqa: B006
        """{pages: {file: content}}; none named: all"""
        return read_pages(session, wiki, files)

    return [tool("read", Combo_Search_Wiki_For_Words), tool("read", Combo_Read_Wiki_Pages)]


def permission_tools(session: CompanySession, wiki: PageStore) -> list[Tool]:
    """What bears on a permission."""

    def Combo_Get_Permission_Facts_For_Action(action: str, target: str = "") -> dict[str, Any]:
        """{asker, target: its ties to the asker, rules: [{page, line, text}]}. target: an id"""
        return permission_facts(session, wiki, action, target)

    return [tool("read", Combo_Get_Permission_Facts_For_Action)]
