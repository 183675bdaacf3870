"""Results of Combo tools: what was found before a request failed is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from core.ledger import ToolFault

T = TypeVar("T")


class Collector:
    """Gathers the fields of one result; once a request has failed nothing more is read."""

    def __init__(self) -> None:
        self.fault: ToolFault | None = None

    def rows(self, read: Callable[[], list[T]]) -> list[T]:
        """Return the result of ``read``, or if a request fails, the records before it.

        Raises ToolFault: a fault that is not a failed request, such as a misuse.
        """
        if self.fault is not None:
            return []
        none: list[T] = []
        rows = self.get(read, none)
        return rows if self.fault is None else self.fault.rows or []

    def get(self, read: Callable[[], T], otherwise: T) -> T:
        """Return the result of ``read``, or ``otherwise`` if a request failed. Raises as rows."""
        if self.fault is not None:
            return otherwise
        try:
            return read()
        except ToolFault as fault:
            if fault.request is None:
                raise
            self.fault = fault
            return otherwise

    def result(self, found: T) -> T:
        """What was found, a record or its fields. Raises the first fault, which keeps it."""
        if self.fault is not None:
            raise self.fault.with_found(found if isinstance(found, dict) else vars(found))
        return found


@contextmanager
def keeping(**fields: Any) -> Iterator[None]:
    """While it lasts, a fault keeps these fields of the result."""
    try:
        yield
    except ToolFault as fault:
        fault.with_found(fields)
        raise
