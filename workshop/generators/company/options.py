"""What can be asked for of generated companies."""

from __future__ import annotations

from pydantic import field_validator

from coordinator.config import option
from workshop.generators.company.company import LEAST, MOST
from workshop.generators.company.policy import Language
from workshop.generators.company.scenario import People
from workshop.generators.company.wiki import Layout, WikiOptions
from workshop.generators.generating import PackOptions, bounds


class CompanyOptions(PackOptions):
    """A pack of companies and tasks."""

    people: str = option(
        f"Company: people of each, {LEAST} to {MOST}: a number, or a range from which each "
        "company draws.",
        "20-60",
    )
    layout: Layout | None = option("Company: of the rules in the wiki [any].", None)
    wiki_language: Language = option("Company: language of the wiki.", "en")
    task_language: Language | None = option("Company: language of the tasks [any].", None)
    filler: int = option("Company: pages without rules.", 0, ge=0)
    hostile: bool = option("Company: false rules, findings and ranks in pages and tasks.", False)

    @field_validator("people")
    @classmethod
    def _in_bounds(cls, text: str) -> str:
        bounds(text, LEAST, MOST, "40 or 20-60")
        return text

    @property
    def companies(self) -> People:
        """What is drawn."""
        wiki = WikiOptions(self.wiki_language, self.layout or "", self.filler, self.hostile)
        least, most = bounds(self.people, LEAST, MOST, "")
        return People(least, most, wiki, self.task_language or "")
