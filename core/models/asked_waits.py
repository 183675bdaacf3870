"""The wait that a provider asks for, read from the headers or the body of its refusal."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

import regex

from core.http.waits import retry_after

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART = regex.compile(
    r"(\d{1,9}(?:\.\d{1,9})?)\s?(ms|milli[a-z]{0,9}|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?"
    r"|d|days?)(?![a-z])[,\s]{0,3}(?:and\s)?"
)
_NUMBER = regex.compile(r"\d{1,18}(?:\.\d{1,9})?(?![\w:-])")
_MOMENT = regex.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.]{0,16}(?:Z|[+-]\d\d:?\d\d)?")
_TEXT = regex.compile(
    r"""
    (?: \b(?:re)?try(?:ing)?\b | \bagain\b | \bwait\b | \bavailable\b | \breset\w{0,3}\b
      | \bretry[-_ ]?(?:after|delay)\b )
    [^\d\n.;]{0,40}
    (?P<wait> \d[\w.,:+ -]{0,40} )
    """,
    regex.VERBOSE | regex.IGNORECASE,
)
_FIELDS = {"retrydelay": 1.0, "retryafter": 1.0, "retryafterseconds": 1.0, "retryafterms": 0.001}
"""Fields of a body that hold a wait, without case, ``_`` and ``-``; the unit of a number."""
_LONGEST_DELTA = 1e8
"""A larger number is a time: seconds since 1970, from a hundred times as much on milliseconds."""


def asked_wait(headers: Mapping[str, str], fields: Iterable[tuple[str, str]]) -> float | None:
    """Seconds from now that a refusal asks to wait; None if it asks for none.

    ``headers``: those of the answer. ``fields``: names and values of its body, headers that a
    gateway reports in it among them. The longest of the plain requests (``Retry-After``, a delay in
    the body, "try again in 4.3s") counts; without any, the moment at which the limit is reset.
    """
    own = [(name.casefold(), value) for name, value in headers.items()]
    fields = [(name.casefold(), value) for name, value in fields]
    asked = [retry_after(dict(own)), retry_after(dict(fields))]
    for name, value in fields:
        plain = name.replace("_", "").replace("-", "")
        if plain in _FIELDS:
            asked.append(_seconds(value, _FIELDS[plain]))
        asked += [_seconds(found["wait"]) for found in _TEXT.finditer(value)]
    waits = [wait for wait in asked if wait is not None and wait < float("inf")]
    return max(waits) if waits else _reset([*own, *fields])


def _reset(headers: list[tuple[str, str]]) -> float | None:
    """The latest reset among the limits that are used up, or whose rest is not told."""
    left = {name: value.strip() for name, value in headers if "remaining" in name}
    waits = []
    for name, value in headers:
        if "ratelimit" not in name.replace("-", "") or "reset" not in name:
            continue
        if left.get(name.replace("reset", "remaining"), "0") in ("0", "0.0"):
            waits.append(_seconds(value))
    return max((wait for wait in waits if wait is not None), default=None)


def _seconds(text: str, unit: float = 1.0) -> float | None:
    """Seconds of a duration ("1m2.5s", "90", "500ms") or until a time; None for another form."""
    text = text.strip()
    total, part = 0.0, _PART.match(low := text.casefold())
    if part:
        while part:
            name = part[2]
            total += float(part[1]) * _UNITS["ms" if name.startswith(("ms", "mil")) else name[0]]
            part = _PART.match(low, part.end())
        return total
    if number := _NUMBER.match(text):
        value = float(number[0])
        if value <= _LONGEST_DELTA:
            return value * unit
        return max(value / (1000 if value > 100 * _LONGEST_DELTA else 1) - time.time(), 0.0)
    if not (moment := _MOMENT.match(text)):
        return None
    try:
        found = datetime.fromisoformat(moment[0])
    except ValueError:
        return None
    return max((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() - time.time(), 0)
