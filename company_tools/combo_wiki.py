"""Combo_* tools over the wiki and what it rules."""

from __future__ import annotations

from company_tools.company_session import CompanySession
from company_tools.permissions import permission_facts
from company_tools.wiki_pages import read_pages
from company_tools.wiki_search import search_wiki
from company_tools.wiki_store import WikiStore
from core.ledger import Tool, tool


def wiki_tools(session: CompanySession, wiki: WikiStore) -> list[Tool]:
    """What reads the wiki; a guest has it too."""

    def Combo_Search_Wiki_For_Words(words: list[str], top: int = 8) -> dict[str, object]:
        """Words or regex: {chunks: [{page, line, heading, text, score}] best first}"""
        return search_wiki(session, wiki, words, top)

    def Combo_Read_Wiki_Pages(files: list[str] = []) -> dict[str, object]:  # noqa: B006
        """{pages: {file: content}}; none named: all"""
        return read_pages(session, wiki, files)

    return [
        tool("read", Combo_Search_Wiki_For_Words, fields={"chunks": []}),
        tool("read", Combo_Read_Wiki_Pages, fields={"pages": {}}),
    ]


def permission_tools(session: CompanySession, wiki: WikiStore) -> list[Tool]:
    """What bears on a permission."""

    def Combo_Get_Permission_Facts_For_Action(action: str, target: str = "") -> dict[str, object]:
        """{asker: {id, department, location, guest}, target: {kind, id, its ties to the asker},
        rules: [{page, line, under: heading, text}]}. target: an id"""
        return permission_facts(session, wiki, action, target)

    fields: dict[str, object] = {"asker": {}, "target": None, "rules": []}
    return [tool("read", Combo_Get_Permission_Facts_For_Action, fields=fields)]
