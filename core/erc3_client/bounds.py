"""What is taken in of an answer, and what of it can be used; the same for every client.

An answer may come from a proxy, a broken server or somebody hostile. What is too large, too deep
or no JSON is no answer; lone surrogates, which no UTF-8 can hold, are replaced.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

RETRY_SECONDS: Final = 180.0
"""How long an outage is waited for, unless a run says otherwise."""
CONNECT_SECONDS: Final = 10.0
REQUEST_SECONDS: Final = 60.0
"""From the first byte of a request to the last one of its answer."""
KEPT_SECONDS: Final = 20.0
"""Shorter than servers keep idle connections, so that a POST never meets a closing one."""
LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})
BODY_AT_MOST: Final = 8 << 20
"""Bytes of one answer; the platform's own are of some hundred kilobytes at most."""
HEADERS_AT_MOST: Final = 256 << 10
VALUES_AT_MOST: Final = 400_000
"""Values in one answer: as objects they take far more memory than as text."""
TEXT_AT_MOST: Final = 2_000
"""Characters that are kept of an error text."""
TOO_LARGE: Final = f"the answer is larger than {BODY_AT_MOST >> 20} MB"
_SURELY_FEW = 2 * VALUES_AT_MOST
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
    if len(body) > _SURELY_FEW and sum(map(body.count, (b"{", b"[", b","))) > VALUES_AT_MOST:
        raise ValueError(f"more than {VALUES_AT_MOST} values")
    try:
        return _DECODER.decode(str(cleaned(body), "utf-8"))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def cleaned(body: bytes | bytearray) -> bytes | bytearray:
    """A JSON text without escapes of lone surrogates."""
    return _ESCAPE.sub(_sign, body) if b"\\ud" in body or b"\\uD" in body else body


def _sign(found: re.Match[bytes]) -> bytes:
    escape = found[0]
    lone = len(escape) == _LONE and escape[2:3] in b"dD"
    return _UNKNOWN_SIGN if lone else escape


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


_DECODER = json.JSONDecoder(parse_constant=_no_number)


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
