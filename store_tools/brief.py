"""What a basket comes to, in a few words for a line on the screen."""

from __future__ import annotations

import json


def brief(state: str) -> str:
    """Pieces and total of a state of :meth:`StoreBenchmark.state`; "" for any other text."""
    try:
        found = json.loads(state)
        basket = found["basket"]
        pieces = sum(int(item["quantity"]) for item in basket["items"])
        total = f"{pieces} items, ${int(basket['total']):,}"
    except (ValueError, TypeError, KeyError, RecursionError):
        return ""
    return f"{total}, bought" if found.get("checked_out") else total
