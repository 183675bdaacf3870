"""Files that others wrote: text and TOML within bounds, and what is wrong with a record."""

from __future__ import annotations

import os
import stat
import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from core.text import printable

SHOWN = 60
MOST_BYTES = 1_000_000


class FileError(Exception):
    """A file that cannot be used; names it and what is wrong."""


def first_problem(error: ValidationError) -> str:
    """Return the first error, preceded by its place if it has one."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(map(str, first["loc"]))
    text = first["msg"].removeprefix("Value error, ")
    return printable(f"{where}: {text}" if where else text)


def shown(value: object) -> str:
    """A value as it would be written, cut; also one that is nested very deeply."""
    try:
        text = repr(value)
    except RecursionError:
        text = f"a {type(value).__name__} nested too deeply"
    return printable(text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}...")


def read_text(path: Path, most_bytes: int = MOST_BYTES, *, follow: bool = True) -> str:
    """Read a regular file of UTF-8 text whole; its size is checked before it is read.

    A FIFO or a device would block for ever or never end, so neither is opened to wait for.
    ``follow``: whether the path may be a symbolic link. Line ends become ``\\n``.

    Raises FileError.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW)
    try:
        with open(path, "rb", opener=lambda name, _: os.open(name, flags)) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise FileError(f"{path}: is not a regular file")
            # A file of /proc has no size, and one that grows has another by now.
            data = file.read(most_bytes + 1) if status.st_size <= most_bytes else None
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from None
    if data is None or len(data) > most_bytes:
        raise FileError(f"{path}: is larger than {most_bytes:,} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_toml(path: Path) -> dict[str, Any]:
    """Read a file within a bound of size. Raises FileError."""
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise FileError(f"{path}: is not valid TOML: {error}") from None
    except RecursionError:
        raise FileError(f"{path}: is nested too deeply") from None
