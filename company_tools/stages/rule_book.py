"""The stage ``rule_book``: the wiki's rules for who asks, out of a book that a model has read.

One call for each version of a large wiki, whatever the number of tasks. A small wiki stands in the
briefing whole, and no book is made of it.
"""

from __future__ import annotations

from pydantic import TypeAdapter

from company_tools.briefing import whole_pages
from company_tools.environment import CompanyEnvironment
from company_tools.rule_choice import requester_of, rules_text, text_without_book, whole_text
from company_tools.stages.entities import CompanyStage, facts_of
from company_tools.wiki_pages import wiki_pages
from core.ledger import Ledger
from core.models.model_client import ModelClient
from core.runs.task import Finding, StageInput


class RuleBook(CompanyStage):
    """The lines that rule for who asks and what about; asked again when the wiki changes."""

    def run(self, task: StageInput, client: ModelClient | None, ledger: Ledger) -> Finding:
        """Rules as text; no text of a small wiki, which stands in the briefing.

        Raises ToolFault: the wiki cannot be read.
        """
        with self._environment.reading(ledger) as (session, wiki):
            if session.identity_fault:
                return Finding()
            pages = wiki_pages(session, wiki)
            version = session.user().wiki_sha1
            who = requester_of(session)
        if len(whole_pages(pages)) == len(pages):
            facts = {"version": version, "by": "nobody", "rules": whole_text(pages, pages)}
            return Finding(facts=facts)
        book, failed = None, ""
        if client is not None:
            book, failed = self._environment.books.book(client, self._system("rule_book"), pages)
        if book is None:
            text = text_without_book(pages, wiki, task.text)
            return Finding(text=text, facts={"version": version, "by": "search"}, failed=failed)
        about = TypeAdapter(list[str]).validate_python(facts_of(task, "entities").get("about", []))
        text = rules_text(pages, book, who, about)
        return Finding(text=text, facts={"version": version, "by": "model"})


def remember(environment: CompanyEnvironment, finding: Finding) -> None:
    """Go by the version that an earlier process has read, unless others have changed it."""
    environment.rules_version = str(finding.facts.get("version", ""))


def rules_of(task: StageInput) -> str:
    """What the stage has found for the task, or the whole of a small wiki."""
    found = next((f for f in task.earlier if f.step == "rule_book"), Finding())
    return found.text or str(found.facts.get("rules", "none"))
