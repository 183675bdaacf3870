"""What can be asked for of generated companies."""

from __future__ import annotations

from pydantic import field_validator

from coordinator.config import option
from workshop.generators.generating import PackOptions, bounds

LEAST, MOST = 12, 300
USUAL_PEOPLE = "20-60"


class CompanyOptions(PackOptions):
    """A pack of companies and tasks."""

    people: str = option(
        f"Company: people of each, {LEAST} to {MOST}: a number, or a range from which each "
        "company draws.",
        USUAL_PEOPLE,
    )

    @field_validator("people")
    @classmethod
    def _in_bounds(cls, text: str) -> str:
        bounds(text, LEAST, MOST, "40 or 20-60")
        return text
