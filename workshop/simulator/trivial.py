"""What trivial players share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from workshop.simulator.world import Ask

_LIMIT = re.compile(r"page limit exceeded: \d+ > (-?\d+)")


def listed(ask: Ask, path: str, field: str, limit: int) -> Iterator[Mapping[str, Any]]:
    """Every record of a list, page by page; none where the list is refused."""
    offset = 0
    while offset >= 0:
        page = ask(path, offset=offset, limit=limit)
        if "error" in page:
            refusal = _LIMIT.match(page["error"])
            if refusal is None or not 0 < int(refusal[1]) < limit:
                return
            limit = int(refusal[1])
            continue
        yield from page[field] or ()
        offset = page["next_offset"]
