"""Plain data that crosses the ledger: what may come in, and copies of what goes out."""

from __future__ import annotations

import copy
import json
from typing import Any

from ledger.fault import ToolFault

ARGUMENT_CHARS = 1_000_000
"""Arguments of one call that are longer than this as JSON are refused."""
_UNCHANGING = frozenset({str, int, float, bool, type(None)})


def copied(value: Any) -> Any:
    """A copy that shares nothing changeable with the value.

    Plain data, which nearly all of it is, goes without the bookkeeping of ``copy.deepcopy``.
    """
    kind = type(value)
    if kind is dict:
        return {key: copied(item) for key, item in value.items()}
    if kind is list:
        return [copied(item) for item in value]
    return value if kind in _UNCHANGING else copy.deepcopy(value)


def plain_arguments(arguments: dict[str, object]) -> dict[str, object]:
    """The arguments as JSON knows them.

    Raises ToolFault: JSON does not know them, or there is too much of them.
    """
    try:
        text = json.dumps(arguments, ensure_ascii=False, allow_nan=False)
        text.encode()
    except (TypeError, ValueError, RecursionError):
        raise ToolFault(
            "arguments must be plain data (numbers, strings, lists, dicts)", kind="TypeError"
        ) from None
    if len(text) > ARGUMENT_CHARS:
        raise ToolFault(f"arguments are too large ({len(text)} characters)", kind="ValueError")
    plain: dict[str, object] = json.loads(text)
    return plain
