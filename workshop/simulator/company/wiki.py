"""The wiki of a company: pages in the order of their paths, one hash over all, RE2 search.

Recorded are the hash, RE2 with Go's error texts, the five hits at most, the two lines before and
after, and lines that end at a newline, with an empty one behind the last. Hits come in the order of
the paths, which is a choice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import re2

from workshop.simulator.world import Refusal, Wire

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


class Wiki:
    """Pages by path; never changed, `with_page` makes another one."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        self.pages = MappingProxyType(dict(sorted(pages.items())))
        whole = "".join(f"{path}\n{content}\n" for path, content in self.pages.items())
        self.sha1 = hashlib.sha1(whole.encode(), usedforsecurity=False).hexdigest()

    def with_page(self, path: str, content: str) -> Wiki:
        """This wiki with a page set; empty content deletes it."""
        others = {name: page for name, page in self.pages.items() if name != path}
        return Wiki(others | {path: content} if content else others)

    def search(self, pattern: str) -> list[Wire]:
        """The first lines that match a pattern; `Refusal` for one that is none."""
        expression, hits = _compiled(pattern), list[Wire]()
        for path, content in self.pages.items():
            lines = content.split("\n")
            for number, line in enumerate(lines):
                if expression.search(line):
                    around = lines[max(0, number - AROUND) : number + AROUND + 1]
                    hits.append({"content": "\n".join(around), "linum": number + 1, "path": path})
        return hits[:HITS]


def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        what, _, where = error.args[0].decode(errors="replace").partition(": ")
        text = f"error parsing regexp: {GO_WORDS.get(what, what)}: `{where}`"
        raise Refusal(f"invalid regex: {text}") from None
