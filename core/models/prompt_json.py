"""Values as JSON in a prompt: short, and data whatever they say.

Lists of like objects become tables: the names once, then rows, which takes fewer tokens.

``[{"a": 1, "b": 2}, ...]`` becomes ``{"columns": ["a", "b"], "rows": [[1, 2], ...]}``, with
``"more": n`` where n further rows were left out. Other lists say so in a last entry.
"""

from __future__ import annotations

import json
from typing import Any

import regex

_TABLE = ({"columns", "rows"}, {"columns", "rows", "more"})
_MORE = "… {} more"
_LEFT_OUT = regex.compile(r"… \d+ more\Z")


class Cut(ValueError):
    """Something was left out of a packed value."""


def packed(
    value: object, rows: int | None = None, chars: int | None = None, totals: int = 0
) -> object:
    """A value with its lists of like objects as tables.

    At most ``rows`` entries of every list are kept, whole ones from its beginning, and at most
    ``chars`` characters of every text; of a table of totals at least ``totals`` rows.
    """
    if isinstance(value, dict):
        return {str(k): packed(v, rows, chars, totals) for k, v in value.items()}
    if isinstance(value, str):
        return value if chars is None or len(value) <= chars else f"{value[:chars]}…"
    if not isinstance(value, list | tuple):
        return value
    columns = _columns(value)
    if rows is not None and columns and _has_total(value[0]):
        rows = max(rows, totals)
    kept = list(value) if rows is None else list(value[:rows])
    more = len(value) - len(kept)
    if columns:
        table: dict[str, Any] = {
            "columns": columns,
            "rows": [[packed(row[c], rows, chars, totals) for c in columns] for row in kept],
        }
        return table | ({"more": more} if more else {})
    entries = [packed(entry, rows, chars, totals) for entry in kept]
    return [*entries, _MORE.format(more)] if more else entries


def unpacked(value: object) -> object:
    """Undo :func:`packed`. Raises Cut if something was omitted."""
    if isinstance(value, dict):
        if value.keys() in _TABLE:
            if "more" in value:
                raise Cut(f"{value['more']} rows were left out")
            rows: list[list[object]] = value["rows"]
            names: list[str] = value["columns"]
            return [dict(zip(names, map(unpacked, row), strict=True)) for row in rows]
        return {k: unpacked(v) for k, v in value.items()}
    if isinstance(value, list):
        if value and isinstance(value[-1], str) and _LEFT_OUT.match(value[-1]):
            raise Cut(f"{value[-1]} entries were left out")
        return [unpacked(entry) for entry in value]
    return value


def as_data(text: str) -> str:
    """Text that cannot open or close a section of the prompt; in JSON it stays the same text."""
    return text.replace("<", "\\u003c")


def compact(value: object) -> str:
    """A value as JSON without blanks, on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _has_total(entry: dict[str, Any]) -> bool:
    """Whether an entry, or a row of a Combo tool's result, is about a total."""
    data = entry.get("data")
    return "total" in entry or (isinstance(data, dict) and "total" in data)


def _columns(value: list[Any] | tuple[Any, ...]) -> list[str]:
    """The keys that all entries have, in one order; none where they are not alike."""
    if not value or not all(isinstance(entry, dict) and entry for entry in value):
        return []
    first = list(value[0])
    alike = all(entry.keys() == value[0].keys() for entry in value)
    return first if alike and all(isinstance(key, str) for key in first) else []
