"""The grammar's patterns: data beside the readers that use them.

Of ``amounts.toml`` the patterns under ``any_case`` pass over case, those under ``as_written`` do
not. Lines are joined as they stand, and ``{{name}}`` is the part of that name: one of the file's
own ``parts`` or of ``parts.toml``, which all readers share.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import regex

from workshop.rule_based.store.grammar.numbers import NUMBER

_FLAGS = {"any_case": regex.IGNORECASE, "as_written": 0}
_REFERENCE = regex.compile(r"\{\{(\w+)\}\}")


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))


def _whole(text: str, parts: Mapping[str, str]) -> str:
    return _REFERENCE.sub(lambda match: parts[match[1]], text.replace("\n", ""))


def _with_parts(texts: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    parts = dict(known)
    for name, text in texts.items():
        parts[name] = _whole(text, parts)
    return parts


_SHARED = _with_parts(_read("parts"), {"number": NUMBER})


@cache
def _compiled(text: str, flags: int) -> regex.Pattern[str]:
    return regex.compile(text, flags)


class Patterns(dict[str, regex.Pattern[str]]):
    """The patterns of one reader, by name; one is compiled when it is first needed."""

    def __init__(self, reader: str) -> None:
        sections = _read(reader)
        parts = _with_parts(sections.get("parts", {}), _SHARED)
        self._texts = {
            name: ([_whole(t, parts) for t in ([text] if isinstance(text, str) else text)], flags)
            for section, flags in _FLAGS.items()
            for name, text in sections.get(section, {}).items()
        }

    def __missing__(self, name: str) -> regex.Pattern[str]:
        (text, *_), flags = self._texts[name]
        self[name] = pattern = _compiled(text, flags)
        return pattern

    def each(self, name: str) -> Iterator[regex.Pattern[str]]:
        """Those that stand as a list, in its order."""
        texts, flags = self._texts[name]
        return (_compiled(text, flags) for text in texts)
