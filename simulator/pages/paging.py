"""Long lists in stretches: numbered pages, and the end of a log that grows."""

from __future__ import annotations

from dataclasses import dataclass

ROWS = 100
"""On one page of a list."""
LINES = 100
"""Lines of a log come in steps of so many; its end shows up to twice as many."""
DIGITS = 9


@dataclass(frozen=True, slots=True)
class Stretch:
    """The rows `start` to `end` (excluded) of `total`; pages are counted from 1."""

    page: int
    start: int
    end: int
    total: int

    @property
    def pages(self) -> int:
        """How many pages there are, an empty one included."""
        return max(1, -(-self.total // ROWS))


def page_of(text: str, total: int) -> Stretch:
    """The page that an address names; the first or the last one where there is no such page."""
    pages = max(1, -(-total // ROWS))
    page = min(max(_number(text), 1), pages)
    return Stretch(page, (page - 1) * ROWS, min(page * ROWS, total), total)


def lines_until(text: str, total: int) -> tuple[int, int]:
    """The lines of a log to show, as start and end: `LINES` up to a number, or the log's end.

    The beginning of the end moves in steps, so that a page that follows a log seldom loses lines
    at its top.
    """
    until = _number(text)
    if 0 < until < total:
        return max(0, until - LINES), until
    return max(0, (total // LINES - 1) * LINES), total


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) <= DIGITS else 0
