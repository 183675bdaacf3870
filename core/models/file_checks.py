"""Files that others wrote: text and TOML within bounds, and what is wrong with a record."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import regex
from pydantic import ValidationError

from core.files import Unfit, read_bytes
from core.text import printable

SHOWN = 60
MOST_BYTES = 1_000_000
MOST_TOML_BYTES = 200_000
_PART = r"(?:[\w-]++|\"[^\"\n]*+\"|'[^'\n]*+')"
_DEEP_KEY = regex.compile(rf"{_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{30}}")
"""``tomllib`` takes time by the square of a key's parts: 8 s for 20,000 in 40 kB."""


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
    """Read a regular file of UTF-8 text whole. Line ends become ``\\n``. Raises FileError."""
    try:
        data = read_bytes(path, most_bytes, follow=follow)
    except Unfit as error:
        raise FileError(f"{path}: {error.strerror}") from None
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_toml(path: Path) -> dict[str, Any]:
    """Read a file within bounds of size and depth. Raises FileError."""
    text = read_text(path, MOST_TOML_BYTES)
    if _DEEP_KEY.search(text):
        raise FileError(f"{path}: is nested too deeply")
    try:
        return tomllib.loads(text)
    except ValueError as error:  # of TOML, or a number of more digits than Python reads
        raise FileError(f"{path}: is not valid TOML: {error}") from None
    except RecursionError:
        raise FileError(f"{path}: is nested too deeply") from None
