"""What the results of Combo tools hold, for tests."""

from __future__ import annotations

from typing import Any


def data_of(found: Any) -> Any:
    """The data of a result's first row."""
    return found["results"][0]["data"]


def errors_of(found: Any) -> list[dict[str, Any]]:
    """The rows of a result that have no data, or not all of it."""
    return [row for row in found["results"] if row["error"]]


def items(**quantities: int) -> list[dict[str, Any]]:
    """Lines of a basket, as the tools of a shop take them."""
    return [{"sku": sku, "quantity": number} for sku, number in quantities.items()]
