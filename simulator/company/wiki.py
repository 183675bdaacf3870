"""The wiki of a company: pages in the order of their paths, one hash over all, RE2 search.

Recorded are RE2 with its own error texts, the five hits at most and the two lines before and
after. Choices where nothing is recorded: the hash is SHA-1 over path, NUL, content and NUL of
every page; hits come in the order of the paths; a line ends at a newline, and neither it nor a
carriage return before it belongs to the line.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from simulator.world import Refusal

if TYPE_CHECKING:
    from simulator.world import Wire

HITS = 5
AROUND = 2
GO_WORDS = {
    "missing )": "missing closing )",
    "missing ]": "missing closing ]",
    "trailing \\": "trailing backslash at end of expression",
    "no argument for repetition operator": "missing argument to repetition operator",
    "invalid repetition size": "invalid repeat count",
    "bad repetition operator": "invalid nested repetition operator",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid named capture group": "invalid named capture",
}
"""What Go's parser, which the platform uses, calls what RE2 in C++ finds."""
_SAYS_MORE = re.compile(r"\\[Az]|\(\?[a-zA-Z]*-")
"""Parts of a pattern that tell the end of a line from that of a text."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page; `lines` are in UTF-8, and `text` is the same with newlines between."""

    content: str
    lines: tuple[bytes, ...]
    text: bytes

    @classmethod
    def of(cls, content: str) -> Page:
        """A page out of its content."""
        lines = content.encode().removesuffix(b"\n").split(b"\n")
        lines = [line.removesuffix(b"\r") for line in lines]
        return cls(content, tuple(lines), b"\n".join(lines))


class Wiki:
    """Pages by path; never changed, `with_page` makes another one."""

    def __init__(self, pages: Mapping[str, Page]) -> None:
        self.pages = MappingProxyType(dict(sorted(pages.items())))
        digest = hashlib.sha1(usedforsecurity=False)
        for path, page in self.pages.items():
            digest.update(f"{path}\0{page.content}\0".encode())
        self.sha1 = digest.hexdigest()

    def with_page(self, path: str, content: str) -> Wiki:
        """This wiki with a page set; empty content deletes it."""
        others = {name: page for name, page in self.pages.items() if name != path}
        return Wiki(others | {path: Page.of(content)} if content else others)

    def search(self, pattern: str) -> list[Wire]:
        """The first lines that match a pattern; `Refusal` for one that is none."""
        line, page = _compiled(pattern)
        hits = self._hits(line, page)
        return [hit for hit, _ in zip(hits, range(HITS), strict=False)]

    def _hits(self, line: Any, page: Any) -> Iterator[Wire]:
        for path, one in self.pages.items():
            if page and not page.search(one.text):
                continue
            for number, text in enumerate(one.lines):
                if line.search(text):
                    around = one.lines[max(0, number - AROUND) : number + AROUND + 1]
                    content = b"\n".join(around).decode()
                    yield {"path": path, "linum": number + 1, "content": content}


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> tuple[Any, Any]:
    """A pattern for a line, and one that no page without such a line matches, or None."""
    import re2  # imported late: most tasks never search

    options = re2.Options()
    options.log_errors = False
    try:
        line = re2.compile(pattern, options)
        # A line of a page begins and ends for it as a text of its own would.
        page = None if _SAYS_MORE.search(pattern) else re2.compile(f"(?m){pattern}", options)
    except re2.error as error:
        raise Refusal(f"invalid regex: error parsing regexp: {_in_go(error.args[0])}") from None
    return line, page


def _in_go(told: bytes) -> str:
    """RE2's words for a mistake, as Go words them."""
    what, _, where = told.decode(errors="replace").partition(": ")
    return f"{GO_WORDS.get(what, what)}: `{where}`"
