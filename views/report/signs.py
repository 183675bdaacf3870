"""Texts of others on a page: what nobody would see is shown as its number."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from markupsafe import Markup, escape

from worker.sandbox.values import clean


def plain(text: str) -> str:
    """A text without signs that steer: what nobody sees is shown as its number."""
    # Most texts have none; looking is cheaper than cleaning.
    return text if text.replace("\n", "").isprintable() else clean(text)


def printed(value: Any) -> Any:
    """What a template prints of a value before it is escaped; None is nothing."""
    kind = type(value)
    if kind is str:
        return plain(value)
    if kind is Markup or kind is int or kind is float:
        return value
    return "" if value is None else plain(str(value))


def broken(name: str) -> Markup:
    """A long name that may be broken where its words meet."""
    return escape(plain(name)).replace("_", Markup("_<wbr>"))


def address(key: str) -> str:
    """A name as the part of an address behind its ``#``."""
    return quote(key, errors="replace")
