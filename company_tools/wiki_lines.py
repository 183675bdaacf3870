"""Lines of wiki pages, each with those that it needs to be read alone, and excerpts of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

import regex

PART_CHARS = 400
"""A longer line is numbered in parts."""
DATED_CHARS = 160
"""Of a line that dates its page or section: "Embargo until …"."""
DATED_ROWS = 6
"""Where on a page such a line stands."""
LABEL_CHARS = 90
"""Of a line that is a heading without the mark of one."""
TITLE_CHARS = 160
"""Of what stands over a passage."""
_NO = frozenset({"", "-", "–", "—", "no", "none", "never", "n", "✗", "✘", "❌", "nein", "non"})
_YES_OR_NO = _NO - {""} | {"yes", "y", "✓", "✔", "✅", "ja", "oui", "sí", "si", "sì", "own"}
"""What the cells of a table say that is a matrix of groups and rights."""
Kind = Literal["heading", "item", "row", "text"]
_HEADING = regex.compile(r"(#{1,6})\s+\S")
_ITEM = regex.compile(r"(?:[-*+•]|\d{1,3}[.)])\s+")
_RULER = regex.compile(r"[\s|:+-]+")
_LABELLED = regex.compile(r"(?<=[\p{L}\p{P}] )(?<!^\S{1,4} )(?=\*{1,2}\p{Lu}[^*\n]{0,80}\*)")
_LABEL = regex.compile(r"(?<![\w*])(?=\*{1,2}\p{Lu}[^*\n]{0,80}\*)")
_SENTENCE = regex.compile(r"(?<=[.!?;。！？；])\s+|(?<=[。！？；])")
_ENDS = regex.compile(r"[.!?:;。！？：；|][\s\"'”’)*_]*$")
_BOLD = regex.compile(r"(\*\*|__)[^*_]+\1:?")
_DATE = regex.compile(
    r"\b(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{4}|\d{1,2}\.? \p{L}{3,10} \d{4}"
    r"|\p{L}{3,10} \d{1,2}(?:st|nd|rd|th)?,? \d{4})\b|\d{4}年\d{1,2}月\d{1,2}日"
)


class Line(NamedTuple):
    """A line of a page, or a part of a long one."""

    number: int
    """From 1, counting what is not blank."""
    row: int
    """In the page, from 1."""
    text: str
    kind: Kind
    needs: frozenset[int]
    """Numbers of the lines without which it cannot be read alone, its own among them."""

    @property
    def rules(self) -> bool:
        """Whether it may decide something: no heading, no ruling of a table or a page."""
        return self.kind != "heading" and not _RULER.fullmatch(self.text)


class _Reader:
    """Goes through a page once, with what stands over the present line."""

    def __init__(self) -> None:
        self.lines: list[tuple[int, str, Kind]] = []
        self.needs: list[set[int]] = []
        self.headings: list[tuple[int, int]] = []
        """Level and number."""
        self.above: list[tuple[int, int]] = []
        """Indent and number of the items that the present one stands under."""
        self.label: int | None = None
        """A line that opens a list or a section without being a heading."""
        self.used = False
        """Whether something stands under the label already."""
        self.table: list[int] = []
        """The first rows of the present table."""
        self.dates: set[int] = set()
        """Dates of the section."""
        self.page_dates: set[int] = set()
        self.blank = True

    def read(self, page: str) -> tuple[Line, ...]:
        """The lines of a page."""
        for row, text in enumerate(page.splitlines(), start=1):
            if text.strip():
                self._line(row, text)
            self.blank = not text.strip()
        self._link_neighbours()
        every = [self._closed(number) | self.page_dates for number in range(len(self.lines))]
        return tuple(
            Line(n + 1, row, text, kind, frozenset(m + 1 for m in need))
            for n, ((row, text, kind), need) in enumerate(zip(self.lines, every, strict=True))
        )

    def _line(self, row: int, line: str) -> None:
        text, indent = line.strip(), len(line) - len(line.lstrip())
        kind = _kind(text)
        self._closes(text, kind, indent)
        first = len(self.lines)
        if kind == "item" and first and self.lines[-1][2] == "text":
            # "The desk may tell a visitor", and a list below it.
            opens = not _ENDS.search(self.lines[-1][1]) and not self.above
            self.label = first - 1 if opens else self.label
        over = {number for _, number in (*self.headings, *self.above)} | {*self.table} | self.dates
        over |= {self.label} if self.label is not None else set()
        opener = first
        for n, part in enumerate(_parts(text, kind)):
            shown = line.rstrip() if n == 0 and part == text else part
            self.lines.append((row, f"{' ' * indent}{part}" if n == 0 else shown, kind))
            # What a part goes on with is said by the one that a label opens, else by the first.
            opener = first + n if n == 0 or part.startswith("*") else opener
            self.needs.append({first + n, opener, *over})
        self._opens(first, text, kind, indent)

    def _closes(self, text: str, kind: Kind, indent: int) -> None:
        """Forget what no longer stands over a line of this kind and indent."""
        if kind == "heading":
            level = len(text) - len(text.lstrip("#"))
            self.headings = [one for one in self.headings if one[0] < level]
            self.above, self.label, self.dates = [], None, set()
        elif kind != "row":
            self.above = [one for one in self.above if one[0] < indent]
        if kind == "text" and self.blank and self.used and not indent:
            self.label = None
        if kind != "row":
            self.table = []

    def _opens(self, number: int, text: str, kind: Kind, indent: int) -> None:
        """Note what a line is to those below it."""
        self.used = self.used or kind != "heading"
        if kind == "heading":
            self.headings.append((len(text) - len(text.lstrip("#")), number))
        elif kind == "item":
            self.above.append((indent, number))
        elif kind == "row" and len(self.table) < 2:
            self.table.append(number)
        elif kind == "text" and (
            text.rstrip("*_ ").endswith((":", "：", "?", "？"))
            or (len(text) < LABEL_CHARS and _BOLD.fullmatch(text))
        ):
            self.label, self.used = number, False
        if len(text) < DATED_CHARS and kind == "text" and _DATE.search(text):
            if len(self.lines) <= DATED_ROWS:
                self.page_dates.add(number)
            elif self.lines[number - 1][2] == "heading":
                self.dates = {number}

    def _link_neighbours(self) -> None:
        """A line that is wrapped goes with the next one, and a question with its answer."""
        for n, ((row, text, kind), (next_row, _, next_kind)) in enumerate(
            zip(self.lines, self.lines[1:], strict=False)
        ):
            wrapped = next_row == row + 1 and next_kind == "text" and not _ENDS.search(text)
            asks = text.rstrip(" *_").endswith(("?", "？")) and next_kind == "text"
            if kind in ("text", "item") and (wrapped or asks):
                self.needs[n].add(n + 1)
                self.needs[n + 1].add(n)

    def _closed(self, number: int) -> set[int]:
        """All that a line needs, and what that needs."""
        closed, left = set[int](), [number]
        while left:
            one = left.pop()
            if one not in closed:
                closed.add(one)
                left += self.needs[one]
        return closed


def _kind(text: str) -> Kind:
    if _HEADING.match(text):
        return "heading"
    if text.startswith("|"):
        return "row"
    return "item" if _ITEM.match(text) else "text"


def _parts(text: str, kind: Kind) -> list[str]:
    """A long line in parts: at the labels that open stretches of it, else by sentences."""
    if len(text) <= PART_CHARS or kind in ("heading", "row"):
        return [text]
    labelled = [part.strip() for part in _LABELLED.split(text) if part.strip()]
    return [part for one in labelled for part in _by_sentence(one)]


def _by_sentence(text: str) -> list[str]:
    parts = [""]
    for sentence in _SENTENCE.split(text):
        if parts[-1] and len(parts[-1]) + len(sentence) > PART_CHARS:
            parts.append("")
        parts[-1] = f"{parts[-1]} {sentence}".strip()
    return parts


@lru_cache(maxsize=1024)
def lines_of(page: str) -> tuple[Line, ...]:
    """The lines of a page that are not blank; long ones in parts."""
    return _Reader().read(page)


@lru_cache(maxsize=1024)
def passages(page: str) -> tuple[tuple[str, str], ...]:
    """What stands over each passage of a page, and the passage: a line with those it runs on to.

    Emphasised labels open passages of their own, and of a table of yes and no each cell is one,
    with its row and its column; a cell that gives nothing says nothing.
    """
    found, held = list[tuple[str, str]](), ""
    lines = lines_of(page)
    for line in lines:
        if not line.rules:
            continue
        over = [lines[n - 1] for n in sorted(line.needs) if n < line.number]
        title = " / ".join(
            one.text.strip("#*| ")[:TITLE_CHARS] for one in over if one.kind != "row"
        )
        cells, columns = _cells(line), next((_cells(o) for o in over if o.kind == "row"), [])
        if columns and _YES_OR_NO & {cell.casefold() for cell in cells[1:]}:
            found += (
                (title, f"{cells[0]} {column} {cell}")
                for column, cell in zip(columns[1:], cells[1:], strict=False)
                if cell.casefold() not in _NO
            )
            continue
        held = f"{held}\n{line.text.strip()}".strip()
        if line.number + 1 not in line.needs:
            found += ((title, part.strip(" *")) for part in _LABEL.split(held) if part.strip(" *"))
            held = ""
    return tuple(found)


def _cells(line: Line) -> list[str]:
    """The cells of a table's row; [] where a line is none."""
    return (
        [cell.strip(" *`") for cell in line.text.strip().strip("|").split("|")]
        if line.kind == "row"
        else []
    )


def context_of(page: str, line: Line) -> str:
    """What stands over a line, and goes with it, as text."""
    lines = lines_of(page)
    return "\n".join(lines[n - 1].text for n in sorted(line.needs) if n != line.number)


def excerpt(pages: Mapping[str, str], chosen: Iterable[tuple[str, int]]) -> str:
    """Chosen lines by page, in the order of the pages' first one, with all that they need."""
    wanted: defaultdict[str, set[int]] = defaultdict(set)
    for path, number in chosen:
        wanted[path] |= lines_of(pages[path])[number - 1].needs
    return "\n".join(_of_page(path, pages[path], numbers) for path, numbers in wanted.items())


def _of_page(path: str, page: str, numbers: set[int]) -> str:
    lines = lines_of(page)
    blank = [not row.strip() for row in page.splitlines()]
    parts = [f"== {path}{' (parts)' if len(numbers) < len(lines) else ''} =="]
    before: Line | None = None
    for line in (lines[n - 1] for n in sorted(numbers)):
        if before and line.row == before.row:
            skipped = " … " if line.number > before.number + 1 else " "
            parts[-1] += f"{skipped}{line.text}"
        else:
            if before and any(blank[before.row : line.row - 1]):
                parts.append("")
            parts.append(line.text)
        before = line
    return "\n".join(parts)
