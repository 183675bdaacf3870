"""Parts a page that sets rights into stretches that stand under one title each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import regex

TIMEOUT = 2
_LABEL = regex.compile(r"(?<![\w*])\*{1,2}(?=\p{Lu}[^*\n]{0,80}\*)")
_ITEM = regex.compile(r"(?:[-*+•]|\d{1,3}[.)])\s+")
TITLE_CHARS = 160
"""Of an item that others stand under."""
_NO = frozenset({"", "-", "–", "—", "no", "none", "never", "n", "✗", "✘", "❌", "nein", "non"})
_YES_OR_NO = _NO - {""} | {"yes", "y", "✓", "✔", "✅", "ja", "oui", "sí", "si", "sì", "own"}
"""What the cells of a table say that is a matrix of groups and rights."""


class Unit(NamedTuple):
    """A stretch of a page under one title: the heading, or the label that opens it."""

    title: str
    text: str


def units_of(page: str) -> list[Unit]:
    """The stretches of a page, parted at headings, list items, table rows and emphasised labels.

    What is indented below an item stands under it, too.
    """
    units: list[Unit] = []
    heading, above = "", list[tuple[int, str]]()
    parted = True
    columns: list[str] = []
    for line in page.splitlines():
        text, indent = line.strip(), len(line) - len(line.lstrip())
        item = _ITEM.match(text)
        cells = _cells(text)
        if cells and columns and _YES_OR_NO & {cell.casefold() for cell in cells[1:]}:
            units += _granting_cells(heading, columns, cells)
            continue
        columns = (columns or cells) if cells else []
        if text.startswith("#"):
            heading, above, parted = text.strip("# "), [], True
        elif not text:
            parted = True
        elif item or text.startswith("|"):
            rest = text[item.end() if item else 0 :]
            above = [(depth, head) for depth, head in above if depth < indent]
            units.append(Unit(" / ".join([heading, *(head for _, head in above)]), rest))
            above.append((indent, rest[:TITLE_CHARS]))
            parted = False
        elif parted or not units:
            above = [(depth, head) for depth, head in above if depth < indent]
            units.append(Unit(" / ".join([heading, *(head for _, head in above)]), text))
            parted = False
        else:
            units[-1] = units[-1]._replace(text=f"{units[-1].text}\n{text}")
    return [part for unit in units for part in _labelled(unit)]


def _cells(line: str) -> list[str]:
    """The cells of a table's row; [] where a line is none."""
    if not line.startswith("|"):
        return []
    return [cell.strip(" *`") for cell in line.strip("|").split("|")]


def _granting_cells(heading: str, columns: list[str], cells: list[str]) -> Iterator[Unit]:
    """What the cells of a table of yes and no give: row, column and cell in one stretch each.

    Groups may stand in the rows or in the columns. A cell that gives nothing says nothing.
    """
    for column, cell in zip(columns[1:], cells[1:], strict=False):
        if cell.casefold() not in _NO:
            yield Unit(heading, f"{cells[0]} {column} {cell}")


def _labelled(unit: Unit) -> Iterator[Unit]:
    """A stretch in which emphasised labels open parts of their own."""
    starts = [m.start() for m in _LABEL.finditer(unit.text, timeout=TIMEOUT)]
    for start, end in zip([0, *starts], [*starts, len(unit.text)], strict=True):
        if text := unit.text[start:end].strip(" *\n"):
            yield unit._replace(text=text)
