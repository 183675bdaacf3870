"""The patterns by which a policy's sentences are read, out of `rules.toml`."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

import regex

TABLES: dict[str, Any] = tomllib.loads(Path(__file__).with_name("rules.toml").read_text("utf-8"))


class _Patterns(dict[str, regex.Pattern[str]]):
    """Each is compiled when it is first asked for."""

    def __missing__(self, name: str) -> regex.Pattern[str]:
        self[name] = found = regex.compile(TABLES[name], regex.IGNORECASE)
        return found


P = _Patterns()


@lru_cache(maxsize=512)
def cased(pattern: str) -> regex.Pattern[str]:
    """A pattern, compiled once: the module's own functions look it up twenty times as long."""
    return regex.compile(pattern)


@lru_cache(maxsize=512)
def caseless(pattern: str) -> regex.Pattern[str]:
    """The same, without regard of case."""
    return regex.compile(pattern, regex.IGNORECASE)
