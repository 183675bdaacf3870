"""Bounds on responses of the platform, the same for every client.

A response may come from a proxy, a broken server or an attacker. What is too large, too deep
or not JSON is rejected; lone surrogates, which UTF-8 cannot encode, are replaced.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NoReturn

from pydantic import BaseModel

RETRY_SECONDS: Final = 180.0
"""How long an outage is waited for, unless a run says otherwise."""
CONNECT_SECONDS: Final = 10.0
REQUEST_SECONDS: Final = 60.0
"""Seconds from the first byte of a request to the last one of its response."""
KEPT_SECONDS: Final = 20.0
"""Shorter than servers keep idle connections, so that a POST never meets a closing one."""
BODY_AT_MOST: Final = 8 << 20
"""Bytes of one answer; the platform's own are of some hundred kilobytes at most."""
VALUES_AT_MOST: Final = 400_000
"""Values in one answer: as objects they take far more memory than as text."""
TEXT_AT_MOST: Final = 2_000
"""Characters that are kept of an error text."""
TOO_LARGE: Final = f"the response is larger than {BODY_AT_MOST >> 20} MB"
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)",
    re.DOTALL,
)
"""Escapes of a JSON text, one by one; surrogates that belong together are one."""
_LONE = len(rb"\udcff")
_UNKNOWN_SIGN = rb"\ufffd"


def usable_json(body: bytes | bytearray) -> Any:
    """The body of an answer read as JSON, its lone surrogates replaced.

    Raises ValueError: it is no JSON in UTF-8, is nested too deeply or holds too many values.
    """

    def refuse(name: str) -> NoReturn:
        raise ValueError(f"{name} is not a number")

    if sum(map(body.count, (b"{", b"[", b","))) > VALUES_AT_MOST:
        raise ValueError(f"more than {VALUES_AT_MOST} values")
    try:
        return json.loads(str(cleaned(body), "utf-8"), parse_constant=refuse)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def cleaned(body: bytes | bytearray) -> bytes | bytearray:
    """A JSON text without escapes of lone surrogates."""

    def replaced(match: re.Match[bytes]) -> bytes:
        escape = match[0]
        lone = len(escape) == _LONE and escape[2:3] in b"dD"
        return _UNKNOWN_SIGN if lone else escape

    return _ESCAPE.sub(replaced, body) if b"\\ud" in body or b"\\uD" in body else body


def known_score(value: object) -> float | None:
    """A score as the platform tells it: a number from 0 to 1; None for everything else.

    So is -1, which the platform shows of what is not evaluated.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= 1 else None


def is_refusal(http_status: int, data: object) -> bool:
    """Whether an answer is a refusal as the platform words it: 4xx, and a body that says so.

    Every recorded refusal is ``{"status": 400, "error": "...", "code": ""}``. One without a
    ``code`` may be a proxy's, which does not tell whether the platform took the request.
    """
    match data:
        case {"status": int(status), "error": str(), "code": str() | None}:
            return 400 <= http_status < 500 and 400 <= status < 500
    return False


NAME_AT_MOST: Final = 1_000
"""Characters of ids, names and every other text that is not named below."""
TASK_AT_MOST: Final = 8_000
PROSE_AT_MOST: Final = 20_000
PAGE_AT_MOST: Final = 200_000
LIST_AT_MOST: Final = 50_000
"""Maximum elements of a list at the top of a response, such as a page of products."""
INNER_LIST_AT_MOST: Final = 1_000
"""Elements of a list within a record."""
CUT_MARK: Final = " […cut when it was read: too long]"
_DEPTH_AT_MOST = 40
_PROSE = frozenset(
    {"notes", "description", "brief", "high_level_status", "message", "error", "error_message"}
    | {"logs", "gotcha", "short_description"}
)
_LIMITS = {
    frozenset({"content"}): PAGE_AT_MOST,
    _PROSE: PROSE_AT_MOST,
    frozenset({"text", "task_text", "task"}): TASK_AT_MOST,
}


class TooMuch(Exception):
    """A list in an answer is longer than any that is believed, or nested too deeply."""


def cut_texts(answer: BaseModel) -> dict[str, int]:
    """Cut what is too long in an answer, in place; by field, how many characters went.

    Raises TooMuch.
    """
    gone: dict[str, int] = {}
    for field, characters in _cut(answer, "", 0):
        gone[field] = gone.get(field, 0) + characters
    return gone


def holds_cut(value: object) -> bool:
    """Whether a text somewhere in plain data was cut."""
    if isinstance(value, dict):
        return any(map(holds_cut, value)) or any(map(holds_cut, value.values()))
    if isinstance(value, list | tuple):
        return any(map(holds_cut, value))
    return isinstance(value, str) and CUT_MARK in value


def _cut(holder: Any, where: str, depth: int) -> Iterator[tuple[str, int]]:
    """Cut the texts in a model, a list or a dict: the place of each, and how much of it went."""
    if depth > _DEPTH_AT_MOST:
        raise TooMuch(f"{where[:80]} is nested more than {_DEPTH_AT_MOST} deep")
    if isinstance(holder, list):
        most = INNER_LIST_AT_MOST if depth > 1 else LIST_AT_MOST
        if len(holder) > most:
            raise TooMuch(f"{where} has {len(holder)} elements, more than {most}")
        places: Iterator[tuple[Any, Any]] = enumerate(holder)
    else:
        holder = holder if isinstance(holder, dict) else vars(holder)
        places = iter([*holder.items()])
    for key, value in places:
        if isinstance(value, str):
            name = key if isinstance(key, str) else where.rpartition(".")[2].removesuffix("[]")
            most = next((most for names, most in _LIMITS.items() if name in names), NAME_AT_MOST)
            if len(value) > most:
                holder[key] = value[:most] + CUT_MARK
                yield f"{_place(where, key)} after {most:,} characters", len(value) - most
        elif isinstance(value, BaseModel | list | dict):
            yield from _cut(value, _place(where, key), depth + 1)


def _place(where: str, key: object) -> str:
    if isinstance(key, int):
        return f"{where}[]"
    return f"{where}.{str(key)[:80]}" if where else str(key)[:80]
