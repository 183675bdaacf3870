"""Records for a row of a Combo tool: those that came before a request failed are kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self, TypeVar

from core.ledger import ToolFault

T = TypeVar("T")


class Collector:
    """Reads listings; a failed request is raised at the end of its ``with`` block.

    Once one has failed nothing more is read.
    """

    def __init__(self) -> None:
        self.fault: ToolFault | None = None

    def rows(self, read: Callable[[], list[T]]) -> list[T]:
        """Return the result of ``read``, or if a request fails, the records before it.

        Raises ToolFault: a fault that is not a failed request, such as a misuse.
        """
        if self.fault is not None:
            return []
        try:
            return read()
        except ToolFault as fault:
            if fault.request is None:
                raise
            self.fault = fault
            return fault.rows or []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Raise the fault, unless the block ended in another error."""
        if self.fault is not None and error[0] is None:
            raise self.fault
