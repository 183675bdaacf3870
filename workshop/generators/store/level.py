"""How large and how nasty the generated shops are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Difficulty = Literal["easy", "normal", "hard"]


@dataclass(frozen=True, slots=True)
class Level:
    """Ranges include both ends; chances are per cent, of large catalogs per mille."""

    products: tuple[int, int]
    large: tuple[int, int]
    large_chance: int
    rivals: tuple[int, int]
    """Other products of the wanted kind."""
    pieces: tuple[int, int]
    """How many pieces are asked for."""
    codes: tuple[int, int]
    """How many coupon codes a task names where it names several."""
    ghosts: tuple[int, int]
    """How many products turn out to be short at checkout, where any do."""
    ghost_chance: int
    near_chance: int
    hostile_chance: int
    decoy_chance: int
    """Coupons that the shop knows and the task does not name."""
    most_baskets: int
    """Shops with more baskets to choose from than this are not made."""


LEVELS: dict[Difficulty, Level] = {
    "easy": Level((3, 12), (3, 12), 0, (1, 3), (1, 4), (2, 3), (1, 1), 20, 40, 3, 20, 1_000),
    "normal": Level((6, 60), (100, 600), 8, (2, 6), (1, 9), (2, 5), (1, 2), 35, 60, 12, 35, 1_000),
    "hard": Level(
        (20, 120), (1_000, 5_000), 20, (4, 12), (2, 20), (3, 7), (1, 4), 60, 85, 30, 60, 200_000
    ),
}
