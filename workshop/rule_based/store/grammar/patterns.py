"""The grammar's patterns: data beside the readers that use them.

Of ``amounts.toml`` the patterns under ``any_case`` pass over case, those under ``as_written`` do
not. Lines are joined as they stand, and ``{{name}}`` is the part of that name: one of the file's
own ``parts`` or of ``parts.toml``, which all readers share.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import regex

from workshop.rule_based.store.grammar.numbers import NUMBER

_FLAGS = {"any_case": regex.IGNORECASE, "as_written": 0}
_REFERENCE = regex.compile(r"\{\{(\w+)\}\}")


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))


def _whole(text: str, parts: dict[str, str]) -> str:
    return _REFERENCE.sub(lambda match: parts[match[1]], text.replace("\n", ""))


_SHARED = {"number": NUMBER}
for _name, _text in _read("parts").items():
    _SHARED[_name] = _whole(_text, _SHARED)


class Patterns(dict[str, regex.Pattern[str]]):
    """The patterns of one reader, by name; those that are tried one after the other in ``lists``."""

    def __init__(self, reader: str) -> None:
        super().__init__()
        self.lists: dict[str, list[regex.Pattern[str]]] = {}
        sections = _read(reader)
        parts = dict(_SHARED)
        for name, text in sections.get("parts", {}).items():
            parts[name] = _whole(text, parts)
        for section, flags in _FLAGS.items():
            for name, text in sections.get(section, {}).items():
                if isinstance(text, list):
                    self.lists[name] = [regex.compile(_whole(t, parts), flags) for t in text]
                else:
                    self[name] = regex.compile(_whole(text, parts), flags)
