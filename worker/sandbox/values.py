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
    return _Copy(limit, what, exact=False).copy(value, 0)


def plain_value(value: object, limit: int, what: str) -> Plain:
    """As ``plain_json``, but tuples, sets and non-text keys keep their kind."""
    return _Copy(limit, what, exact=True).copy(value, 0)


def same(left: Plain, right: Plain) -> bool:
    """Whether two values are written alike: NaN is NaN, and 1 is neither True nor 1.0."""
    one, other = (json.dumps(value, sort_keys=True, default=str) for value in (left, right))
    return one == other


class _Copy:
    """One walk over a value with a budget of characters; unknown classes are refused."""

    def __init__(self, limit: int, what: str, exact: bool) -> None:
        self.left = self.limit = limit
        self.what = what
        self.exact = exact

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
            return self._sequence(value, depth)
        return self._other(value, depth)

    def _spend(self, chars: int) -> None:
        self.left -= chars + 2
        if self.left < 0:
            raise NotPlain(f"{self.what} is larger than {self.limit} characters")

    def _scalar(self, value: Any) -> Plain:
        if isinstance(value, str):
            self._spend(len(value))
            return printable(value)
        if isinstance(value, int) and value.bit_length() > MAX_INT_BITS:
            raise NotPlain(f"{self.what} holds an integer of {value.bit_length()} bits")
        self._spend(8 if isinstance(value, float) else value.bit_length() // 3)
        return value

    def _key(self, key: object) -> Any:
        if isinstance(key, str):
            return self._scalar(str(key))
        if self.exact and isinstance(key, tuple):
            return tuple(self._key(item) for item in key[:MAX_DEPTH])
        if isinstance(key, bool | int | float) or key is None:
            self.copy(key, 0)
            return key if self.exact else json.dumps(key)
        raise NotPlain(f"{self.what} has a key of the type {type(key).__name__}")

    def _sequence(self, value: Any, depth: int) -> Plain:
        self._spend(0)
        items = [self.copy(item, depth + 1) for item in value]
        if not self.exact or type(value) is list:
            return items
        try:
            return type(value)(items)
        except TypeError:  # a subclass of tuple, or a set of what became lists
            return items

    def _other(self, value: Any, depth: int) -> Plain:
        if hasattr(type(value), "__dataclass_fields__"):
            from dataclasses import fields  # loaded by now; each session pays for what is not used

            return self.copy({f.name: getattr(value, f.name) for f in fields(value)}, depth + 1)
        if getattr(value, "is_dataclass", None) is True:  # one that was made inside Monty
            return self.copy(getattr(value, "attributes", None), depth + 1)
        if isinstance(value, Decimal | Fraction | date | time | timedelta | os.PathLike):
            if self.exact or not isinstance(value, Decimal | Fraction):
                return self.copy(str(value), depth + 1)
            return self.copy(int(value) if value == int(value) else float(value), depth + 1)
        if self.exact and isinstance(value, bytes | complex | range):
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
        copied = plain_value(value, limit * 20, "the value")
    except NotPlain as refusal:
        return f"<{refusal}>"
    cleaned = _cleaned(copied)
    text = str(cleaned)
    return cleaned if len(text) <= limit else shorten(text, limit)


def _cleaned(value: Plain) -> Plain:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {_cleaned(k): _cleaned(v) for k, v in value.items()}
    if type(value) is int:
        return value
    if isinstance(value, list | tuple | set | frozenset):
        return type(value)(_cleaned(v) for v in value)
    return value


class Prints:
    """Keeps the first four fifths of the allowance and the last fifth, and counts the rest."""

    def __init__(self, limit: int) -> None:
        self._head_limit = limit - limit // 5
        self._tail_limit = limit // 5
        self._head = self._tail = ""
        self._gone = 0

    def write(self, text: str) -> None:
        """Take text in; costs no more memory than the allowance and the text itself."""
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


class EchoedPrints(Prints):
    """Prints that somebody sees as they come."""

    def __init__(self, limit: int, show: Callable[[str], None]) -> None:
        super().__init__(limit)
        self._show = show

    def write(self, text: str) -> None:
        """Take text in and show it."""
        super().write(text)
        self._show(text)


_LENGTH = struct.Struct(">I")
_TAGS: dict[str, Any] = {"tuple": tuple, "set": set, "frozenset": frozenset}


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


def pack(value: Any) -> Any:
    """A plain value, tuples and sets included, as JSON."""
    if isinstance(value, list):
        return [pack(item) for item in value]
    if isinstance(value, dict):
        if all(type(key) is str for key in value) and "$" not in value:
            return {key: pack(item) for key, item in value.items()}
        return {"$": "dict", "of": [[pack(key), pack(item)] for key, item in value.items()]}
    for tag, kind in _TAGS.items():
        if type(value) is kind:
            return {"$": tag, "of": [pack(item) for item in value]}
    return value


def unpack(value: Any) -> Any:
    """Undo ``pack``. Raises ValueError or TypeError for anything else."""
    if isinstance(value, list):
        return [unpack(item) for item in value]
    if not isinstance(value, dict):
        return value
    tag = value.get("$")
    if tag is None:
        return {key: unpack(item) for key, item in value.items()}
    items = value.get("of")
    if not isinstance(items, list):
        raise ValueError("a packed value has no items")
    if tag == "dict":
        return {unpack(key): unpack(item) for key, item in items}
    if tag not in _TAGS:
        raise ValueError("a packed value of an unknown kind")
    return _TAGS[tag](unpack(item) for item in items)
