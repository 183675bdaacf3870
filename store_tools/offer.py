"""The store's tools without a shop: what can be called, for work that is repeated."""

from __future__ import annotations

from typing import Any

from ledger import Ledger, Tool, ToolFault
from store_tools.benchmark import StoreBenchmark


class _NoShop:
    """A client that reaches nothing."""

    def dispatch(self, request: Any) -> Any:
        """Refuse: there is nothing to send to."""
        raise ToolFault("there is no shop behind these tools", kind="RuntimeError", fatal=True)


def tools() -> list[Tool]:
    """Every tool that the worker's code may call; calling one is refused."""
    with StoreBenchmark(_NoShop()).bind(Ledger()) as found:
        return found
