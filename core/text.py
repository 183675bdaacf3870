"""Makes text from outside safe to show: no terminal control, no half characters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

_ADDRESS = re.compile(r"(?<= at )0x[0-9a-f]{6,16}\b")
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]"
)


def clean(text: str) -> str:
    """Text without terminal control, invisible direction marks and half characters.

    Newline and tab stay; other control characters become visible escapes such as ``\\x1b``.
    Addresses of objects become zero: they would differ between a run and its repetition.
    """
    if "0x" in text:
        text = _ADDRESS.sub("0x0", text)
    if text.isascii() and text.isprintable():
        return text

    def escape(match: re.Match[str]) -> str:
        code = ord(match.group())
        return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"

    return _UNPRINTABLE.sub(escape, printable(text.replace("\r\n", "\n")))


def printable(text: str) -> str:
    """Text that every encoder takes: half characters become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def instead(name: str, known: Sequence[str], most: int = 8) -> str:
    """Suggest names for an unknown one: the nearest ones, or the first few."""
    if near := get_close_matches(name, known):
        return f"did you mean {' or '.join(near)}?"
    more = f" and {len(known) - most} more" if len(known) > most else ""
    return f"it has: {', '.join(known[:most]) or 'none'}{more}"
