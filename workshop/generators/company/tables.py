"""The word tables, read once, and the random numbers that draw from them."""

from __future__ import annotations

import tomllib
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

FOLDER = Path(__file__).parent / "words"


@cache
def table(name: str) -> dict[str, Any]:
    """A word table by the name of its file."""
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def draws(seed: str, *purpose: str) -> Random:
    """Random numbers that depend on nothing but these."""
    digest = sha256("\0".join((seed, *purpose)).encode()).digest()
    return Random(int.from_bytes(digest, "big"))
