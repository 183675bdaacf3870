"""What all generators share: their common options and random numbers of a seed."""

from __future__ import annotations

import re
from hashlib import sha256
from random import Random

from pydantic import BaseModel, ConfigDict, field_validator

from coordinator.config import option

SEED = re.compile(r"[A-Za-z0-9_.-]+")
"""What a seed is: it becomes part of names."""


class PackOptions(BaseModel):
    """What every generated pack is asked for; each field is an option and may be text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: str = option("Letters, digits, - _ . only; the same seed gives the same scenarios.")
    count: int = option("Number of scenarios.", ge=1)

    @field_validator("seed")
    @classmethod
    def _part_of_names(cls, seed: str) -> str:
        if not SEED.fullmatch(seed):
            raise ValueError(f"{seed!r}: use letters, digits, - _ . only")
        return seed


def draws(seed: str, *purpose: str) -> Random:
    """Random numbers that depend on nothing but these."""
    digest = sha256("\0".join((seed, *purpose)).encode()).digest()
    return Random(int.from_bytes(digest, "big"))


def bounds(text: str, least: int, most: int, example: str) -> tuple[int, int]:
    """The ends of a range such as ``4-6``, or of a single number.

    Raises ValueError: it is none, or not within ``least`` and ``most``.
    """
    first, _, last = text.strip().partition("-")
    ends = (first, last or first)
    if all(end.isascii() and end.isdigit() and len(end) < 10 for end in ends):
        low, high = map(int, ends)
        if least <= low <= high <= most:
            return low, high
    raise ValueError(f"{text!r}: give numbers from {least} to {most}, such as {example}")
