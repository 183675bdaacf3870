"""Values and texts that cross between sandbox and host: copied, bounded, printable.

Runs on the host and inside the sandbox and needs nothing but the standard library.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable, Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

from core.text import clean, printable

Plain: TypeAlias = Any
"""dict, list, str, int, float, bool or None, all the way down."""

MAX_DEPTH = 60
MAX_INT_BITS = 2048
"""Far below the 4,300 digits at which ``str()`` of an int raises."""


class NotPlain(ValueError):
    """A value that cannot cross; the text names the reason, not the value."""


def shorten(text: str, limit: int) -> str:
    """Shorten to about ``limit`` characters: the head, a note of what is missing, the tail."""
    if len(text) <= limit:
        return text
    tail = limit // 5
    gone = len(text) - limit
    return f"{text[: limit - tail]}\n... ({gone} characters not shown) ...\n{text[-tail:]}"


def plain_json(value: object, limit: int, what: str) -> Plain:
    """A JSON-like copy of ``value`` of at most ``limit`` characters.

    Tuples and sets become lists, dictionary keys text, dataclasses and pydantic models
    dictionaries. Raises NotPlain with ``what`` in its text.
    """
    return _Copy(limit, what, printable).copy(value, 0)


def same(left: Plain, right: Plain) -> bool:
    """Whether two values are written alike: NaN is NaN, and 1 is neither True nor 1.0."""
    one, other = (json.dumps(value, sort_keys=True, default=str) for value in (left, right))
    return one == other


class _Copy:
    """One walk over a value with a budget of characters; unknown classes are refused."""

    def __init__(self, limit: int, what: str, text_of: Callable[[str], str]) -> None:
        """``text_of``: what becomes of each text."""
        self.left = self.limit = limit
        self.what = what
        self.text_of = text_of

    def copy(self, value: Any, depth: int) -> Plain:
        if depth > MAX_DEPTH:
            raise NotPlain(f"{self.what} is nested deeper than {MAX_DEPTH} levels")
        if value is None or isinstance(value, bool):
            self._spend(5)
            return value
        for base in (str, int, float):  # enumerations and other subclasses too
            if isinstance(value, base):
                return self._scalar(base(value))
        if isinstance(value, Mapping):
            return {self._key(k): self.copy(v, depth + 1) for k, v in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            self._spend(0)
            return [self.copy(item, depth + 1) for item in value]
        return self._other(value, depth)

    def _spend(self, chars: int) -> None:
        self.left -= chars + 2
        if self.left < 0:
            raise NotPlain(f"{self.what} is larger than {self.limit} characters")

    def _scalar(self, value: Any) -> Plain:
        if isinstance(value, str):
            self._spend(len(value))
            return self.text_of(value)
        if isinstance(value, int) and value.bit_length() > MAX_INT_BITS:
            raise NotPlain(f"{self.what} holds an integer of {value.bit_length()} bits")
        self._spend(8 if isinstance(value, float) else value.bit_length() // 3)
        return value

    def _key(self, key: object) -> str:
        if isinstance(key, str):
            return str(self._scalar(str(key)))
        if isinstance(key, bool | int | float) or key is None:
            return json.dumps(self.copy(key, 0))
        raise NotPlain(f"{self.what} has a key of the type {type(key).__name__}")

    def _other(self, value: Any, depth: int) -> Plain:
        if hasattr(type(value), "__dataclass_fields__"):
            from dataclasses import fields  # loaded by now; each session pays for what is not used

            return self.copy({f.name: getattr(value, f.name) for f in fields(value)}, depth + 1)
        if getattr(value, "is_dataclass", None) is True:  # one that was made inside Monty
            return self.copy(getattr(value, "attributes", None), depth + 1)
        if isinstance(value, Decimal | Fraction):
            return self.copy(int(value) if value == int(value) else float(value), depth + 1)
        if isinstance(value, date | time | timedelta | os.PathLike):
            return self.copy(str(value), depth + 1)
        dump = getattr(value, "model_dump", None)
        if callable(dump) and not isinstance(value, type):
            return self.copy(dump(), depth + 1)
        raise NotPlain(f"{self.what} holds a value of the type {type(value).__name__}")


def display(value: object, limit: int) -> Plain:
    """A step's value as something whose ``str()`` is harmless and bounded, never raising.

    Plain data stays data with its texts cleaned; anything else becomes a text about it.
    """
    try:
        copied = _Copy(limit * 20, "the value", clean).copy(value, 0)
    except NotPlain as refusal:
        return f"<{refusal}>"
    text = str(copied)
    return copied if len(text) <= limit else shorten(text, limit)


class Prints:
    """Keeps the first four fifths of the allowance and the last fifth, and counts the rest."""

    def __init__(self, limit: int, show: Callable[[str], None] = lambda text: None) -> None:
        """``show``: is given the text as it comes."""
        self._show = show
        self._head_limit = limit - limit // 5
        self._tail_limit = limit // 5
        self._head = self._tail = ""
        self._gone = 0

    def write(self, text: str) -> None:
        """Take text in; costs no more memory than the allowance and the text itself."""
        self._show(text)
        space = self._head_limit - len(self._head)
        self._head += text[:space]
        tail = self._tail + text[space:]
        cut = max(0, len(tail) - self._tail_limit)
        self._tail = tail[cut:]
        self._gone += cut

    def text(self) -> str:
        """All that is kept, with a note where something is missing."""
        note = f"\n... ({self._gone} characters not shown) ...\n" if self._gone else ""
        text = clean(self._head + note + self._tail)
        return shorten(text, self._head_limit + self._tail_limit + len(note))


_LENGTH = struct.Struct(">I")


def frame(message: dict[str, Any]) -> bytes:
    """A message as it goes over the socket. Raises ValueError for what JSON cannot hold."""
    body = json.dumps(message, separators=(",", ":")).encode()
    return _LENGTH.pack(len(body)) + body


class Unframer:
    """Takes bytes in any portions and gives whole messages of at most ``limit`` bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer = bytearray()

    def feed(self, data: bytes) -> None:
        """Take in what arrived."""
        self._buffer += data

    def next(self) -> dict[str, Any] | None:
        """The next whole message, or None. Raises ValueError or RecursionError for junk."""
        if len(self._buffer) < _LENGTH.size:
            return None
        (size,) = _LENGTH.unpack_from(self._buffer)
        if size > self._limit:
            raise ValueError("a frame is too long")
        end = _LENGTH.size + size
        if len(self._buffer) < end:
            return None
        body = bytes(self._buffer[_LENGTH.size : end])
        del self._buffer[:end]
        message = json.loads(body)
        if not isinstance(message, dict):
            raise ValueError("a message is not an object")
        return message
