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
from company_tools.rule_book import Book
from company_tools.wiki_lines import excerpt, lines_of
from core.models.tokens import count_text

Word = Literal["allowed", "denied", "missing", "unclear"]
Basis = Literal["rule", "rank", "silent", ""]
WORDS: tuple[Word, ...] = get_args(Word)
BASES: tuple[Basis, ...] = get_args(Basis)
WHOLE_TOKENS = 4_000
"""A wiki of at most so many is shown whole."""
UNREAD_TOKENS = 8_000
"""The same where no model has read its rules."""
LEAST_QUOTED = 4
"""Letters and digits of a quote; fewer stand on every page."""
WRITTEN = "written in this task: gives nothing"
_MARKS = regex.compile(r"[*_`|\"'“”„‘’«»]+")
_GAP = regex.compile(r"\.{3,}|…")


class Said(NamedTuple):
    """What a model says of a set of changes."""

    verdict: Word
    basis: Basis
    page: str
    quote: str
    reason: str


@dataclass(frozen=True)
class Wiki:
    """The pages as they were before the task changed any, and which of them count."""

    pages: Mapping[str, str]
    written: frozenset[str] = frozenset()
    """Those that this task has changed."""
    index: str = ""
    """The page that stands first and refers to most others; "": none does, and every one counts."""
    referring: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By page those that refer to it."""
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
            path = change.target
            written.add(path)
            if before := (change.before or {}).get("content"):
                pages[path] = str(before)
            else:
                pages.pop(path, None)
        named = _references(pages)
        index = index_page(pages) if index is None else index if index in pages else ""
        linked, left = set[str](), [index] if index else list(pages)
        while left:
            if (path := left.pop()) not in linked:
                linked.add(path)
                left += named[path] if index else ()
        referring = {
            path: tuple(p for p, others in named.items() if path in others) for path in pages
        }
        return cls(pages, frozenset(written), index, referring, frozenset(linked))

    def counts(self, path: str) -> bool:
        """Whether the words of a page may give a right."""
        return path in self.linked and path not in self.written

    def mark(self, path: str) -> str:
        """What the prompt says of a page beside its path."""
        if path in self.written:
            return f" [{WRITTEN}]"
        if not self.index:
            return ""
        if path == self.index:
            return " [index]"
        if not (by := self.referring[path]):
            return " [no page refers to it]"
        good = [one for one in by if one in self.linked]
        note = "" if good else " (which itself no page refers to)"
        return f" [referred to by {', '.join(good or by)}{note}]"

    def where(self, quote: str, page: str) -> str:
        """The counting page on which quoted words stand, that one before others; "": none."""
        paths = sorted(filter(self.counts, self.pages), key=lambda path: path != page)
        return next((path for path in paths if stands(quote, self.pages[path])), "")

    def shown(self, texts: Mapping[str, str]) -> str:
        """These texts of pages for a prompt, each with its mark."""
        head = f"The wiki has an index: {self.index}." if self.index else NO_INDEX
        parts = [f"=== page {path}{self.mark(path)}\n{texts[path].strip()}" for path in texts]
        some = [] if dict(texts) == dict(self.pages) else [SOME]
        return "\n".join([head, *some, *parts])


SOME = "These are the lines on this kind of change and on everybody, not the whole wiki."
NO_INDEX = "The wiki has no index: every page counts that this task has not written."


def _references(pages: Mapping[str, str]) -> dict[str, set[str]]:
    """By page the others that it names by their paths."""
    forms = {path: regex.compile(rf"(?<![\w/.-]){regex.escape(path)}(?![\w/-])") for path in pages}
    return {
        path: {p for p, form in forms.items() if p != path and p in text and form.search(text)}
        for path, text in pages.items()
    }


def index_page(pages: Mapping[str, str]) -> str:
    """The page that stands first, where it refers to most others or to half of them; else ""."""
    named = _references(pages)
    first, others = next(iter(named.items()), ("", set[str]()))
    most = max(map(len, named.values()), default=0)
    return first if others and (len(others) == most or 2 * len(others) >= len(named) - 1) else ""


def stands(quote: str, text: str) -> bool:
    """Whether words stand in a text, whatever their emphasis, blanks and case; "…" is a gap."""
    parts = [_plain(part) for part in _GAP.split(quote)]
    parts = [part for part in parts if part]
    if sum(map(str.isalnum, "".join(parts))) < LEAST_QUOTED:
        return False
    whole, at = _plain(text), 0
    for part in parts:
        at = whole.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub(" ", text).casefold().split()).strip(" .,;:")


def rules_shown(wiki: Wiki, book: Book | None, topics: Iterable[str]) -> dict[str, str]:
    """The pages, or lines of them, by which a change is judged.

    A long wiki is shown by the lines of its rule book on these topics or on everything, with its
    index. Without a book it is shown whole, as far as it is not too long: first the index, then
    the pages that it refers to.
    """
    tokens = sum(map(count_text, wiki.pages.values()))
    if tokens <= (WHOLE_TOKENS if book else UNREAD_TOKENS):
        return dict(wiki.pages)
    if not book:
        return _whole_pages(wiki)
    wanted = {*topics, "all"}
    chosen: dict[str, list[int]] = {}
    for rule in book:
        about = {one.strip().casefold() for one in rule.about.split(",")} - {""}
        has = rule.page in wiki.pages and rule.number <= len(lines_of(wiki.pages[rule.page]))
        if has and (not about or about & wanted):
            chosen.setdefault(rule.page, []).append(rule.number)
    texts = {path: _lines(wiki.pages, path, numbers) for path, numbers in chosen.items()}
    return ({wiki.index: wiki.pages[wiki.index]} if wiki.index else {}) | texts


def _whole_pages(wiki: Wiki) -> dict[str, str]:
    """As many pages as fit, those that count first."""
    shown, left = dict[str, str](), UNREAD_TOKENS
    for path in sorted(wiki.pages, key=lambda one: (one != wiki.index, not wiki.counts(one))):
        if (tokens := count_text(wiki.pages[path])) <= left:
            shown[path], left = wiki.pages[path], left - tokens
    return shown


def _lines(pages: Mapping[str, str], path: str, numbers: Iterable[int]) -> str:
    """Lines of a page with what stands over them."""
    return excerpt(pages, [(path, number) for number in numbers]).partition("\n")[2]


def sets_rights(book: Book | None, path: str, quoted: Iterable[str]) -> bool:
    """Whether a page is one that says who may what, as a model has read or quoted it."""
    return path in quoted or any(rule.page == path and rule.who for rule in book or ())


def weighed(said: Said, wiki: Wiki, *, closed: bool) -> tuple[Said, bool]:
    """What a model said, with the page on which its quote stands, and whether the set may be sent.

    ``closed``: what no rule gives is not sent.
    """
    page = wiki.where(said.quote, said.page)
    if said.verdict == "allowed" and said.basis in ("rule", "rank"):
        if page:
            return said._replace(page=page), True
        return said._replace(verdict="unclear", reason=UNQUOTED), False
    if said.verdict in ("allowed", "unclear"):
        return said._replace(page=page, quote=said.quote if page else ""), not closed
    return said._replace(page=page or said.page, quote=said.quote if page else ""), False


UNQUOTED = "the words that were quoted stand on no page that counts"
