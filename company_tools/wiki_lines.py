"""Lines of wiki pages, each with those that it needs to be read alone, and excerpts of them.

The structure is Markdown's, as markdown-it reads it; no word of a page is interpreted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

import regex
from markdown_it import MarkdownIt
from markdown_it.token import Token

LEAD_CHARS = 160
"""Of a line under a page's title that goes with every line of the page, as "Valid from …" does."""
PART_CHARS = 400
"""A longer row is read in parts: a page of prose may have all rights in one."""
LineKind = Literal["heading", "item", "row", "text"]
_MARKDOWN = (
    MarkdownIt("commonmark")
    .enable("table")
    .disable(["reference", "code", "lheading", "html_block"])  # each would swallow text of a page
)
_ENDS = regex.compile(r"[.!?:;。！？：；|][\s\"'”’)*_]*$")
_OPENS = regex.compile(r"[:：?？][\s\"'”’)*_]*$")
_BOLD = regex.compile(r"\s*(\*\*|__)[^*_]+\1:?\s*")
_LABELLED = regex.compile(r"(?<=[\p{L}\p{P}] )(?<!^\S{1,4} )(?=\*{1,2}\p{Lu}[^*\n]{0,80}\*)")
"""Where emphasised words open a stretch of a row: "… *Leads.* May …"."""
_SENTENCE = regex.compile(r"(?<=[.!?;。！？；])\s+|(?<=[。！？；])")
_RULER = regex.compile(r"[\s|:*_+-]+")
_BOLD_LEVEL = 7
"""Below every heading: a line that is bold as a whole is the title of what follows it."""


class Line(NamedTuple):
    """What stands in one piece on a page: a paragraph, an item, a row of a table, a part of these.

    A part is a piece of a long row.
    """

    number: int
    """From 1."""
    row: int
    """Where it begins in the page, from 1."""
    text: str
    """As it stands there; it may run over several rows."""
    kind: LineKind
    needs: frozenset[int]
    """Numbers of the lines without which it cannot be read alone, its own among them."""
    group: int = 0
    """The number of the first line of its table, list or long stretch; 0: it is in none."""

    @property
    def rules(self) -> bool:
        """Whether it may decide something: no heading, no ruling of a table or a page."""
        return self.kind != "heading" and not _RULER.fullmatch(self.text)


class _Block(NamedTuple):
    """A piece of a page as Markdown reads it, and where it stands."""

    start: int
    end: int
    kind: LineKind
    level: int = 0
    """Of a heading."""
    within: tuple[int, ...] = ()
    """Rows in which the items begin that it stands in, the outermost first."""
    group: tuple[int, ...] = ()
    """Tells its table, outermost list or long stretch from others; (): it is in none."""
    text: str = ""
    """Of a part of a row."""
    after: int = 0
    """How many parts it stands behind the one that opens its stretch."""


def _blocks(tokens: Iterable[Token], rows: list[str]) -> Iterator[_Block]:
    """The pieces of a page in their order; what Markdown passes over is a paragraph each."""
    items: list[int] = []
    groups: list[int] = []
    """Rows in which the tables and lists begin, the outermost first."""
    done = 0
    for token in tokens:
        start, end = token.map or (0, 0)
        match token.type:
            case "bullet_list_open" | "ordered_list_open" | "table_open":
                groups.append(start)
            case "bullet_list_close" | "ordered_list_close" | "table_close":
                groups.pop()
            case "list_item_open":
                items.append(start)
            case "list_item_close":
                items.pop()
            case "heading_open" | "paragraph_open" | "tr_open" | "fence" | "hr":
                yield from (_Block(row, row + 1, "text") for row in range(done, start))
                group = tuple(groups[:1])
                if token.type == "tr_open":
                    is_head = groups[-1] == start
                    end = min(end + is_head, len(rows))  # with the ruling under it
                    within = () if is_head else (groups[-1],)
                    yield _Block(start, end, "row", 0, (*items, *within), group)
                elif token.type == "heading_open":
                    yield _Block(start, end, "heading", len(token.markup), tuple(items), group)
                else:
                    kind: LineKind = "item" if items and items[-1] == start else "text"
                    yield from _pieces(_Block(start, end, kind, 0, tuple(items), group), rows)
                done = max(done, end)
    yield from (_Block(row, row + 1, "text") for row in range(done, len(rows)))


def _pieces(block: _Block, rows: list[str]) -> Iterator[_Block]:
    """A paragraph by its rows, as far as each is finished; what is wrapped stays together."""
    begin = block.start
    if _BOLD.fullmatch(rows[begin]) and block.end == begin + 1 and not block.within:
        yield block._replace(kind="heading", level=_BOLD_LEVEL)
        return
    for row in range(block.start, block.end):
        if row + 1 == block.end or _ENDS.search(rows[row]):
            kind: LineKind = block.kind if begin == block.start else "text"
            piece = block._replace(start=begin, end=row + 1, kind=kind)
            is_long = piece.end == begin + 1 and len(rows[row]) > PART_CHARS
            yield from _parts(piece, rows[row]) if is_long else [piece]
            begin = row + 1


def _parts(block: _Block, row: str) -> Iterator[_Block]:
    """A long row in parts: at the labels that open stretches of it, else by sentences."""
    for number, stretch in enumerate(filter(str.strip, _LABELLED.split(row))):
        parts = [""]
        for sentence in _SENTENCE.split(stretch):
            if parts[-1].strip() and len(parts[-1]) + len(sentence) > PART_CHARS:
                parts.append("")
            parts[-1] = f"{parts[-1]} {sentence}" if parts[-1] else sentence
        for after, text in enumerate(parts):
            kind: LineKind = block.kind if number == after == 0 else "text"
            group = block.group or (block.start, number)
            yield block._replace(kind=kind, group=group, text=text.rstrip(), after=after)


def _rows(page: str) -> list[str]:
    """The rows of a page as Markdown counts them."""
    return page.replace("\r\n", "\n").replace("\r", "\n").split("\n")


class _Page:
    """Goes through the blocks of a page once, with what stands over the present one."""

    def __init__(self, page: str) -> None:
        self.rows = _rows(page)
        self.blocks = [
            block
            for block in _blocks(_MARKDOWN.parse("\n".join(self.rows)), self.rows)
            if (block.text or "".join(self.rows[block.start : block.end])).strip()
        ]
        self.needs: list[set[int]] = []

    def lines(self) -> tuple[Line, ...]:
        """The lines of the page."""
        headings: list[tuple[int, int]] = []
        began: dict[int, int] = {}
        first: dict[tuple[int, ...], int] = {}
        """The first block of each group."""
        for n, block in enumerate(self.blocks):
            began.setdefault(block.start, n)
            first.setdefault(block.group, n)
            headings = [one for one in headings if block.kind != "heading" or one[0] < block.level]
            need = {n, n - block.after, *(at for _, at in headings)}
            need |= {began.get(row, n) for row in block.within}
            if len(block.group) == 1:  # a table or list
                need |= self._opener(first[block.group])
            self.needs.append(need)
            if block.kind == "heading":
                headings.append((block.level, n))
        self._link_neighbours()
        lead = self._lead()
        first[()] = -1
        return tuple(
            self._line(n, block, first[block.group] + 1, lead)
            for n, block in enumerate(self.blocks)
        )

    def _line(self, n: int, block: _Block, group: int, lead: set[int]) -> Line:
        whole = "\n".join(row.rstrip() for row in self.rows[block.start : block.end])
        needs = frozenset(one + 1 for one in self._closed(n) | lead)
        return Line(n + 1, block.start + 1, block.text or whole, block.kind, needs, group)

    def _text(self, n: int) -> str:
        block = self.blocks[n]
        return block.text or self.rows[block.end - 1]

    def _opener(self, n: int) -> set[int]:
        """The line before a list or table that leads to it, if any: it has no end of its own."""
        if n == 0 or self.blocks[n - 1].kind != "text" or len(self.blocks[n - 1].group) == 1:
            return set()
        text = self._text(n - 1)
        return {n - 1} if _OPENS.search(text) or not _ENDS.search(text) else set()

    def _link_neighbours(self) -> None:
        """A question goes with its answer, and what ends with a colon with what follows."""
        for n, (one, other) in enumerate(zip(self.blocks, self.blocks[1:], strict=False)):
            if (
                one.start != other.start
                and one.kind == other.kind == "text"
                and _OPENS.search(self._text(n))
            ):
                self.needs[n].add(n + 1)
                self.needs[n + 1].add(n)

    def _lead(self) -> set[int]:
        """The one short line between the title of a page and its next heading."""
        kinds = [block.kind for block in self.blocks[:3]]
        if kinds != ["heading", "text", "heading"] or self.blocks[0].level == _BOLD_LEVEL:
            return set()
        return {1} if len(self._text(1)) < LEAD_CHARS else set()

    def _closed(self, number: int) -> set[int]:
        """All that a line needs, and what that needs."""
        closed, left = set[int](), [number]
        while left:
            one = left.pop()
            if one not in closed:
                closed.add(one)
                left += self.needs[one]
        return closed


@lru_cache(maxsize=1024)
def lines_of(page: str) -> tuple[Line, ...]:
    """The lines of a page that are not blank."""
    return _Page(page).lines()


def excerpt(pages: Mapping[str, str], chosen: Iterable[tuple[str, int]]) -> str:
    """Chosen lines by page, in the order of the pages' first one, with all that they need.

    Where a list or table is not whole, "…" stands in place of what is left out.
    """
    wanted: defaultdict[str, set[int]] = defaultdict(set)
    for path, number in chosen:
        wanted[path] |= lines_of(pages[path])[number - 1].needs
    return "\n".join(_of_page(path, pages[path], numbers) for path, numbers in wanted.items())


def _of_page(path: str, page: str, numbers: set[int]) -> str:
    lines, rows = lines_of(page), _rows(page)
    groups = {lines[n - 1].group for n in numbers} - {0}
    parts = [f"== {path}{' (parts)' if len(numbers) < len(lines) else ''} =="]
    end = 0
    """The last row that is shown or told as left out."""
    for line in lines:
        if line.number in numbers:
            if end and not all(row.strip() for row in rows[end : line.row - 1]):
                parts.append("")
            parts.append(line.text)
        elif line.group not in groups:
            continue
        elif parts[-1] != "…":
            parts.append("…")
        end = line.row + line.text.count("\n")
    return "\n".join(parts)
