"""A benchmark that stays bound for the rest of a test."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TypeVar

Entered = TypeVar("Entered")
_HELD: list[AbstractContextManager[object]] = []
"""A context that nobody holds would be left at once."""


def entered(context: AbstractContextManager[Entered]) -> Entered:
    """What the context gives; it is never left."""
    _HELD.append(context)
    return context.__enter__()
