"""Files that others wrote: TOML within bounds, and what is wrong with a record as one sentence."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import regex
from pydantic import ValidationError

from models.model_call import plain_text

SHOWN = 60
MOST_CHARS = 1_000_000
DEEPEST = 20
_DEEP_KEY = regex.compile(r"(?:[^\s.=\[\]{}#,]++[ \t]*+\.[ \t]*+){32}")
"""TOML's reader takes time and room by the square of a key's parts."""


class TomlError(Exception):
    """A file that cannot be used; names it and what is wrong."""


def first_problem(error: ValidationError) -> str:
    """The first thing that is wrong, behind its place where it has one."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(map(str, first["loc"]))
    return plain_text(f"{where}: {first['msg']}" if where else first["msg"])


def shown(value: object) -> str:
    """A value as it would be written, cut; also one that is nested very deeply."""
    try:
        text = repr(value)
    except RecursionError:
        text = f"a {type(value).__name__} in many others"
    return plain_text(text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}...")


def read_toml(path: Path) -> dict[str, Any]:
    """What a file holds, in bounds of size and depth. Raises TomlError."""
    try:
        text = path.read_text(encoding="utf-8")
        if len(text) > MOST_CHARS:
            raise TomlError(f"{path}: is larger than {MOST_CHARS:,} characters")
        if deep := _DEEP_KEY.search(text):
            line = text.count("\n", 0, deep.start()) + 1
            raise TomlError(f"{path}: line {line}: a key of too many parts")
        raw = tomllib.loads(text)
    except OSError as error:
        raise TomlError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise TomlError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    except tomllib.TOMLDecodeError as error:
        raise TomlError(f"{path}: is no TOML: {error}") from None
    except RecursionError:
        raise TomlError(f"{path}: is nested too deeply") from None
    if _is_deep(raw, DEEPEST):
        raise TomlError(f"{path}: is nested too deeply")
    return raw


def _is_deep(value: object, levels: int) -> bool:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(not levels or _is_deep(inner, levels - 1) for inner in inside)
