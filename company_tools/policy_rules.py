"""What code decides around the policy: which pages count, what a model's word is worth.

No sentence is interpreted here. Pages refer to each other by their paths, and quoted words stand
on a page or do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

import regex

from company_tools.change import WIKI_UPDATE, Change

Word = Literal["allowed", "denied", "missing", "unclear"]
Basis = Literal["rule", "rank", "silent", ""]
WORDS: tuple[Word, ...] = get_args(Word)
BASES: tuple[Basis, ...] = get_args(Basis)
LEAST_QUOTED = 4
"""Letters and digits of a quote; fewer stand on every page."""
WRITTEN = "written in this task: gives nothing"
SOME = "These are the lines on this kind of change and on everybody, not the whole wiki."
NO_INDEX = "The wiki has no index: every page counts that this task has not written."
UNQUOTED = "the words that were quoted stand on no page that counts"
_MARKS = regex.compile(r"[*_`|\"'“”„‘’«»]+")
_GAP = regex.compile(r"\.{3,}|…")


@dataclass(frozen=True)
class Wiki:
    """The pages as they were before the task changed any, and which of them count."""

    pages: Mapping[str, str]
    written: frozenset[str] = frozenset()
    """Those that this task has changed."""
    index: str = ""
    """See :func:`index_page`; "": there is none, and every page counts."""
    named: Mapping[str, set[str]] = field(default_factory=dict)
    """By page the others that it refers to."""
    linked: frozenset[str] = frozenset()
    """The index, and what it or another of these pages refers to."""

    @classmethod
    def of(
        cls, now: Mapping[str, str], changes: Iterable[Change], index: str | None = None
    ) -> Wiki:
        """The wiki of a task that has made these changes so far, or may have.

        ``index``: its index, where that is known from before.
        """
        pages, written = dict(now), set[str]()
        for change in reversed([one for one in changes if one.path == WIKI_UPDATE]):
            if change.outcome in ("refused", "lost"):
                continue
            written.add(change.target)
            if before := (change.before or {}).get("content"):
                pages[change.target] = str(before)
            else:
                pages.pop(change.target, None)
        named = _references(pages)
        index = index_page(pages) if index is None else index if index in pages else ""
        linked, left = set[str](), [index] if index else list(pages)
        while left:
            if (path := left.pop()) not in linked:
                linked.add(path)
                left += named[path] if index else ()
        return cls(pages, frozenset(written), index, named, frozenset(linked))

    def counts(self, path: str) -> bool:
        """Whether the words of a page may give a right."""
        return path in self.linked and path not in self.written

    def where(self, quote: str, page: str) -> str:
        """The counting page on which quoted words stand, that one before others; "": none."""
        paths = sorted(filter(self.counts, self.pages), key=lambda path: path != page)
        return next((path for path in paths if stands(quote, self.pages[path])), "")

    def shown(self, texts: Mapping[str, str]) -> str:
        """These texts of pages for a prompt, each with its mark."""
        head = f"The wiki has an index: {self.index}." if self.index else NO_INDEX
        parts = [f"=== page {path}{self._mark(path)}\n{texts[path].strip()}" for path in texts]
        some = [] if dict(texts) == dict(self.pages) else [SOME]
        return "\n".join([head, *some, *parts])

    def _mark(self, path: str) -> str:
        """What the prompt says of a page beside its path."""
        if path in self.written:
            return f" [{WRITTEN}]"
        if not self.index:
            return ""
        if path == self.index:
            return " [index]"
        by = [one for one, others in self.named.items() if path in others]
        if not by:
            return " [no page refers to it]"
        good = [one for one in by if one in self.linked]
        note = "" if good else " (which itself no page refers to)"
        return f" [referred to by {', '.join(good or by)}{note}]"


def _references(pages: Mapping[str, str]) -> dict[str, set[str]]:
    """By page the others that it names by their paths."""
    forms = {path: regex.compile(rf"(?<![\w/.-]){regex.escape(path)}(?![\w/-])") for path in pages}
    return {
        path: {p for p, form in forms.items() if p != path and p in text and form.search(text)}
        for path, text in pages.items()
    }


def index_page(pages: Mapping[str, str]) -> str:
    """The page by which it is known which others count; "" where none is one.

    The page that stands first, where it refers to most others or to half of them. Else the one
    that alone refers to most others, to two and to half of them at least: the platform lists pages
    by path, where ``index.md`` need not come first.
    """
    named = _references(pages)
    sizes = {path: len(others) for path, others in named.items()}
    most, half = max(sizes.values(), default=0), (len(sizes) - 1) / 2
    first = next(iter(sizes), "")
    if most and (sizes[first] == most or sizes[first] >= max(half, 1)):
        return first
    leading = [path for path, size in sizes.items() if size == most]
    return leading[0] if len(leading) == 1 and most >= max(half, 2) else ""


def stands(quote: str, text: str) -> bool:
    """Whether words stand in a text, whatever their emphasis, blanks and case; "…" is a gap."""
    parts = [part for part in map(_plain, _GAP.split(quote)) if part]
    if sum(map(str.isalnum, "".join(parts))) < LEAST_QUOTED:
        return False
    left = _plain(text)
    for part in parts:
        _, found, left = left.partition(part)
        if not found:
            return False
    return True


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub(" ", text).casefold().split()).strip(" .,;:")


class Said(NamedTuple):
    """What a model says of a set of changes."""

    verdict: Word
    basis: Basis
    page: str
    quote: str
    reason: str


def weighed(said: Said, wiki: Wiki, *, closed: bool) -> tuple[Said, bool]:
    """What a model said, with the page on which its quote stands, and whether the set may be sent.

    ``closed``: what no rule gives is not sent.
    """
    page = wiki.where(said.quote, said.page)
    if said.verdict == "allowed" and said.basis in ("rule", "rank"):
        if page:
            return said._replace(page=page), True
        return said._replace(verdict="unclear", reason=UNQUOTED), False
    may = said.verdict in ("allowed", "unclear")
    named = page if may else page or said.page
    return said._replace(page=named, quote=said.quote if page else ""), may and not closed
