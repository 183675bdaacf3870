"""The wiki of a company: pages in the order of their paths, one hash over all, RE2 search.

Recorded are RE2 with its own error texts, the five hits at most and the two lines before and
after. Choices where nothing is recorded: the hash is SHA-1 over path, NUL, content and NUL of
every page; hits come in the order of the paths; a line ends at a newline, and neither it nor a
carriage return before it belongs to the line.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import accumulate, islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from workshop.simulator.world import Refusal

if TYPE_CHECKING:
    from workshop.simulator.world import Wire

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


class Wiki:
    """Pages by path; never changed, `with_page` makes another one."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        self.pages = MappingProxyType(dict(sorted(pages.items())))
        digest = hashlib.sha1(usedforsecurity=False)
        for path, content in self.pages.items():
            digest.update(f"{path}\0{content}\0".encode())
        self.sha1 = digest.hexdigest()

    def with_page(self, path: str, content: str) -> Wiki:
        """This wiki with a page set; empty content deletes it."""
        others = {name: page for name, page in self.pages.items() if name != path}
        return Wiki(others | {path: content} if content else others)

    def search(self, pattern: str) -> list[Wire]:
        """The first lines that match a pattern; `Refusal` for one that is none."""
        line, anywhere = _compiled(pattern)
        lines = self._lines
        found = (n for n in lines.numbers(anywhere) if line.search(lines.texts[n]))
        return [lines.hit(n) for n in islice(found, HITS)]

    @cached_property
    def _lines(self) -> _Lines:
        return _Lines(self.pages)


class _Lines:
    """The lines of all pages in UTF-8, one after the other, and all of them as one text."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        self.texts: list[bytes] = []
        self._pages: list[tuple[str, int, int]] = []
        """Of each line its page, and where that begins and ends."""
        for path, content in pages.items():
            start = len(self.texts)
            lines = content.encode().removesuffix(b"\n").split(b"\n")
            self.texts += [line.removesuffix(b"\r") for line in lines]
            self._pages += [(path, start, len(self.texts))] * len(lines)
        self._text = b"\n".join(self.texts)
        self._starts = list(accumulate((len(line) + 1 for line in self.texts), initial=0))

    def numbers(self, anywhere: Any) -> Iterator[int]:
        """The lines that may match: all, or those where a pattern for the whole text does."""
        if anywhere is None:
            yield from range(len(self.texts))
            return
        at = 0
        while at <= len(self._text) and self.texts and (found := anywhere.search(self._text, at)):
            number = bisect_right(self._starts, found.start()) - 1
            yield number
            at = self._starts[number + 1]

    def hit(self, number: int) -> Wire:
        """A line of the wiki with its neighbours on the page."""
        path, start, end = self._pages[number]
        around = self.texts[max(start, number - AROUND) : min(end, number + AROUND + 1)]
        content = b"\n".join(around).decode()
        return {"path": path, "linum": number - start + 1, "content": content}


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> tuple[Any, Any]:
    """A pattern for a line, and one that matches wherever such a line begins to, or None."""
    import re2  # imported late: most tasks never search

    options = re2.Options()
    options.log_errors = False
    try:
        line = re2.compile(pattern, options)
        # For it, a line of the text begins and ends as a text of its own would.
        anywhere = None if _SAYS_MORE.search(pattern) else re2.compile(f"(?m){pattern}", options)
    except re2.error as error:
        raise Refusal(f"invalid regex: error parsing regexp: {_in_go(error.args[0])}") from None
    return line, anywhere


def _in_go(told: bytes) -> str:
    """RE2's words for a mistake, as Go words them."""
    what, _, where = told.decode(errors="replace").partition(": ")
    return f"{GO_WORDS.get(what, what)}: `{where}`"
