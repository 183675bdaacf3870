"""The lines of a journal, read as fast as they can be and as far as they can be."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic_core import from_json

_EFFECT = b'{"v": 1, "type": "effect", '
"""How the most frequent line begins. Nobody looks at more of it than that it is there."""


def lines_of(path: Path, notes: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Where each line stands, and its record; what cannot be read is named in ``notes``.

    An effect is no more than its type.
    """
    try:
        *lines, last = path.read_bytes().split(b"\n")
    except OSError as error:
        notes.append(f"the journal cannot be read: {error.strerror}")
        return
    for number, line in enumerate([*lines, last], start=1):
        if not line:
            continue
        if number <= len(lines) and line.startswith(_EFFECT):
            yield f"line {number}", {"type": "effect"}
            continue
        try:
            record = parsed(line)
        except (ValueError, RecursionError):
            notes.append(f"line {number} of the journal cannot be read")
            continue
        if isinstance(record, dict):
            yield f"line {number}", record


def parsed(data: bytes) -> Any:
    """JSON as Python's own reader takes it; numbers without end are none.

    Raises ValueError, RecursionError.
    """
    try:
        return from_json(data, allow_inf_nan=False)
    except ValueError:
        # Half characters, bytes that are no UTF-8, and what is nested very deeply.
        text = data.decode("utf-8", "replace")
        return json.loads(text, parse_constant=lambda _: None, parse_float=_finite)


def _finite(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None
