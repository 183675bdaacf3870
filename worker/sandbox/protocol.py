"""How the host and the process sandbox talk: frames of JSON, and values that JSON lacks.

Runs on the host and inside the sandbox and needs nothing but the standard library.
"""

from __future__ import annotations

import json
import struct
from typing import Any

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
