"""What can be asked for of generated companies."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, field_validator

from coordinator.config import option
from workshop.generators.company.policy import Language
from workshop.generators.generating import PackOptions, bounds

LEAST, MOST = 12, 300
Layout = Literal[
    "headings", "list", "nested", "table", "prose", "by-right", "addenda", "references"
]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
"""How a wiki puts who may do what. With the last two some rights stand on other pages."""


class People(BaseModel):
    """Of how many people companies are, with which wikis and which tasks."""

    model_config = ConfigDict(frozen=True, extra="forbid")

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


USUAL = People()


class CompanyOptions(People, PackOptions):
    """A pack of companies and tasks."""
