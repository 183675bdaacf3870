"""What can be asked for of generated shops."""

from __future__ import annotations

from pydantic import ValidationInfo, field_validator

from coordinator.config import option
from core.text import instead
from workshop.generators.generating import PackOptions, bounds
from workshop.generators.store.builder import Difficulty
from workshop.generators.store.mechanics import MECHANICS
from workshop.generators.store.scenario import Options
from workshop.generators.store.wording import Wording

LARGEST_PAGE = 50


class StoreOptions(PackOptions):
    """A pack of shops."""

    mechanics: str = option(
        f"Store: only tasks about these, with commas [all]: {', '.join(MECHANICS)}.", ""
    )
    difficulty: Difficulty = option("Store: how large a shop and its basket are.", "normal")
    wording: Wording = option("Store: how tasks are put.", "standard")
    page_limits: str = option(
        f"Store: page limits, 1 to {LARGEST_PAGE}, such as 5,10 or 1-8 [all sorts].",
        "",
    )

    @field_validator("mechanics", "page_limits")
    @classmethod
    def _listed(cls, text: str, info: ValidationInfo) -> str:
        (_mechanics if info.field_name == "mechanics" else _page_limits)(text)
        return text

    @property
    def shops(self) -> Options:
        """What is drawn."""
        limits = _page_limits(self.page_limits) or None
        mechanics = _mechanics(self.mechanics) or tuple(MECHANICS)
        return Options(mechanics, self.difficulty, self.wording, limits)


def _mechanics(text: str) -> tuple[str, ...]:
    """Names, each once. Raises ValueError."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(","))) if text else ()
    if unknown := [name for name in names if name not in MECHANICS]:
        hint = instead(unknown[0], list(MECHANICS), most=len(MECHANICS))
        raise ValueError(f"unknown mechanic {unknown[0]!r}; {hint}")
    return names


def _page_limits(text: str) -> tuple[int, ...]:
    """Every limit once. Raises ValueError."""
    ends = [bounds(part, 1, LARGEST_PAGE, "5,10 or 1-8") for part in text.split(",") if text]
    return tuple(dict.fromkeys(limit for low, high in ends for limit in range(low, high + 1)))
