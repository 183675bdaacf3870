"""The word tables, read once."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "words"


@cache
def table(name: str) -> dict[str, Any]:
    """A word table by the name of its file."""
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
