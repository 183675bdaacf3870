"""The patterns by which a policy's sentences are read, out of `rules.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import regex

TABLES: dict[str, Any] = tomllib.loads(Path(__file__).with_name("rules.toml").read_text("utf-8"))
P: dict[str, regex.Pattern[str]] = {
    name: regex.compile(pattern, regex.IGNORECASE)
    for name, pattern in TABLES.items()
    if isinstance(pattern, str)
}
