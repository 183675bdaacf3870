"""A client for tools that are only shown."""

from __future__ import annotations

from typing import Any, NoReturn

from core.ledger import ToolFault


class Nowhere:
    """Reaches nothing: calling a tool over it is refused."""

    def __init__(self, what: str) -> None:
        """``what``: what its requests would have gone to."""
        self._what = what

    def dispatch(self, request: Any) -> NoReturn:
        """Refuse: there is nothing to send to."""
        text = f"there is no {self._what} behind these tools"
        raise ToolFault(text, kind="RuntimeError", fatal=True)
