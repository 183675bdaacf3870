"""The stage ``guest``: the playbook for who is not signed in, which knows no people at all."""

from __future__ import annotations

from company_tools.guest_check import PUBLIC
from company_tools.permissions import rule_lines
from company_tools.stages.entities import PROMPTS, CompanyStage
from company_tools.wiki_pages import wiki_pages
from core.ledger import Ledger, ToolFault
from core.models.model_client import ModelClient
from core.models.prompts import prompt
from core.models.tokens import count_text
from core.runs.task import Finding, StageInput

LINE_TOKENS = 200
LINE_CHARS = 1_000
"""Of one line: its end may be what forbids."""


class Guest(CompanyStage):
    """Tells a guest's strategy what may be said; without a model, and nothing to anybody else."""

    def run(
        self, task: StageInput, briefing: str, client: ModelClient | None, ledger: Ledger
    ) -> Finding:
        """The playbook with the lines of the wiki that speak of people outside."""
        with self._environment.reading(ledger) as (session, wiki):
            if not session.known_guest:
                return Finding()
            try:
                pages, failed = wiki_pages(session, wiki), ""
            except ToolFault as fault:
                if fault.fatal:
                    raise
                pages, failed = {}, fault.text
        lines: list[str] = []
        for row in rule_lines(pages, PUBLIC, LINE_CHARS):
            if sum(map(count_text, [*lines, row.text])) <= LINE_TOKENS:
                lines.append(row.text)
        return Finding(text=prompt(PROMPTS, "guest", self._texts, lines=lines), failed=failed)
