"""Which lines of a book of rules a task is shown: chosen by their labels alone, group and subject.

Without a book the wiki is shown whole as far as there is room, else its index page and the pages
that a search finds nearest to the task; the text says which it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Literal, NamedTuple

import regex
from rapidfuzz import fuzz

from company_tools import listings, profile
from company_tools.company_session import CompanySession, unless_refused
from company_tools.policy_rules import Wiki, index_page
from company_tools.rule_book import Book, Rule
from company_tools.wiki_lines import excerpt, lines_of
from company_tools.wiki_search import best_pages
from company_tools.wiki_store import WikiStore
from company_tools.words import within, words
from core.models.tokens import count_text

TOKENS = 750
"""Of all lines of a book that are shown."""
GROUP_TOKENS = 250
"""A table or list of at most so many is shown whole where one of its lines is."""
SMALL_TOKENS = 4_000
"""A wiki of at most so many is shown whole, and nobody indexes its rules: readers who were shown
wikis of that size whole decided as well as from chosen lines, and doubted more above it."""
WITHOUT_BOOK_TOKENS = 8_000
"""Of the pages that are shown where there is no book."""
SAME_NAME = 85
"""Of 100: a group that is called so is the department."""
RULES = "wiki, rules for this user:"
NO_RULES = "wiki: its index of rules has no line on this task for the user"
WHOLE = "wiki, whole, as nobody has indexed its rules:"
PARTLY = (
    "wiki, in part, as nobody has indexed its rules: {index}the pages that a search finds nearest "
    "to the task; other pages may rule it, too:"
)
_EVERY_SUBJECT = frozenset({"all", "identity"})
"""Subjects of lines that bear on every task."""
_OF_GUESTS = frozenset({"places", "date", "pages", "systems"}) | _EVERY_SUBJECT
"""Subjects on which a guest may have a question that is answered."""
Relation = Literal["own", "common", "others"]
Place = tuple[str, int]
"""A page and the number of a line."""


class Requester(NamedTuple):
    """Who asks, by the groups that labels name."""

    department: str
    departments: tuple[str, ...]
    """Of the whole company: a name may have commas."""
    leads: bool
    """Whether they lead a project."""
    manages: bool
    """Whether they manage a customer's account."""


def requester_of(session: CompanySession) -> Requester | None:
    """Who asks; None for a guest. What cannot be asked may be so. Raises OutOfReach."""
    if not session.requester:
        return None
    ties = unless_refused(lambda: profile.ties(session, session.requester), None)
    return Requester(
        session.user().department or "",
        listings.departments(session),
        leads=ties is None or bool(ties["led"]),
        manages=ties is None or bool(ties["manages"]),
    )


def relation(rule: Rule, who: Requester | None) -> Relation:
    """Whether a line is on a group of who asks, on all or nobody in particular, or on others.

    ``who``: None is a guest.
    """
    groups = list(_groups(rule.who, who.departments if who else ()))
    found = {_of_group(group, who) for group in groups} or {"common"}
    return "own" if "own" in found else "common" if "common" in found else "others"


def _groups(label: str, departments: Iterable[str]) -> Iterator[str]:
    """The groups of a label: departments as records call them, others folded."""
    left = label
    for department in departments:
        if within(department, left):
            yield department
            left = regex.sub(regex.escape(department), "", left, flags=regex.I)
    yield from filter(None, (one.strip().casefold() for one in regex.split("[,;/]", left)))


def _of_group(group: str, who: Requester | None) -> Relation:
    if group in ("anybody", "nobody"):
        return "common"
    if who is None:
        return "own" if group == "guest" else "others"
    roles = {"lead": who.leads, "account manager": who.manages, "guest": False}
    if group in roles:
        return "own" if roles[group] else "others"
    if group == who.department:
        return "own"
    if group in who.departments:
        return "others"
    # A title that no record has may be the user's.
    same = fuzz.ratio(group, who.department.casefold()) >= SAME_NAME
    return "own" if same else "common"


def chosen(
    pages: Mapping[str, str], book: Book, who: Requester | None, about: Sequence[str]
) -> list[Place]:
    """The lines to show, as many as there is room for, those first that are likelier to decide.

    ``about``: subjects of the task, the main one first; none: they are not known. A table or list
    is taken whole where it is short.
    """
    places: list[Place] = []
    for rule in dict.fromkeys(_ordered(book, who, about)):
        lines = lines_of(pages[rule.page])
        group = lines[rule.number - 1].group
        whole = [(rule.page, one.number) for one in lines if group and one.group == group]
        one = (rule.page, rule.number)
        if count_text(excerpt(pages, whole)) > GROUP_TOKENS:
            whole = []
        for more in (whole, [one]):
            wanted = [*places, *(place for place in more if place not in places)]
            if more and count_text(excerpt(pages, wanted)) <= TOKENS:
                places = wanted
                break
    return places


def _ordered(book: Book, who: Requester | None, about: Sequence[str]) -> Iterator[Rule]:
    """The lines of a book in the order in which they are shown, by turns of several kinds.

    Two of the own groups on the task's subjects, then one each: on all, a definition, on others
    (what is kept for others decides as often as what is given), on every task, and of the own
    groups on another subject. So one wrong label hides no rule.
    """
    related = [(rule, relation(rule, who), frozenset(words(rule.about))) for rule in book]
    if who is None:  # how skills, hours or teams are counted helps nobody who may not see them
        public = [row for row in related if row[1] == "common" and row[2] & _OF_GUESTS]
        related = [row for row in related if row[1] == "own"] + public
    wanted = [word for one in about for word in words(one)]
    ranks = {subject: n for n, subject in reversed([*enumerate(wanted)])}

    def rank(subjects: frozenset[str]) -> int:
        return min((ranks[one] for one in subjects & ranks.keys()), default=len(ranks))

    on = sorted((r for r in related if r[2] & ranks.keys() or not ranks), key=lambda r: rank(r[2]))
    own, common, others = (
        [rule for rule, kind, _ in on if kind == wanted_kind]
        for wanted_kind in ("own", "common", "others")
    )
    on_all = [rule for rule, kind, at in related if kind != "others" and at & _EVERY_SUBJECT]
    turns = (
        own[::2],
        own[1::2],
        [rule for rule in common if rule.who],
        [rule for rule in common if not rule.who],
        others,
        [rule for rule in on_all if rule.who],
        [rule for rule, kind, _ in related if kind == "own" and rule not in own],
    )
    yield from (rule for turn in zip_longest(*turns) for rule in turn if rule)
    yield from on_all


def rules_text(
    pages: Mapping[str, str], book: Book, who: Requester | None, about: Sequence[str]
) -> str:
    """The rules for who asks on a task, for a prompt."""
    places = chosen(pages, book, who, about)
    return f"{RULES}\n{excerpt(pages, places)}" if places else NO_RULES


def text_without_book(pages: Mapping[str, str], wiki: WikiStore, task: str) -> str:
    """What a prompt has of a wiki whose rules nobody has indexed."""
    if not pages:
        return "wiki: it has no pages"
    if sum(map(count_text, pages.values())) <= WITHOUT_BOOK_TOKENS:
        return f"{WHOLE}\n{whole_text(pages, pages)}"
    head = PARTLY.format(index="its index page and " if index_page(pages) else "")
    return f"{head}\n{whole_text(pages, fitting(pages, _nearest(pages, wiki, task)))}"


def _nearest(pages: Mapping[str, str], wiki: WikiStore, text: str) -> list[str]:
    """The index page and those that a search finds, best first."""
    index = index_page(pages)
    return [*([index] if index else []), *best_pages(pages, wiki, text)]


def pages_for(wiki: Wiki, store: WikiStore, text: str) -> dict[str, str]:
    """The pages by which a change is judged where nobody has indexed the rules.

    All of a wiki that is not too long. Of a longer one as many as there is room for: before others
    those that count, then those nearest to the text.
    """
    paths = list(wiki.pages)
    if sum(map(count_text, wiki.pages.values())) > WITHOUT_BOOK_TOKENS:
        ranked = [*_nearest(wiki.pages, store, text), *wiki.pages]
        paths = fitting(wiki.pages, sorted(ranked, key=lambda path: not wiki.counts(path)))
    return {path: wiki.pages[path] for path in paths}


def lines_on(wiki: Wiki, book: Book, topics: Iterable[str]) -> dict[str, str]:
    """The index of a long wiki, and the lines of its book on these subjects or on everything."""
    if sum(map(count_text, wiki.pages.values())) <= SMALL_TOKENS:
        return dict(wiki.pages)
    wanted = {*topics, "all"}
    chosen: dict[str, list[Place]] = {}
    for rule in book:
        about = {one.strip().casefold() for one in rule.about.split(",")} - {""}
        has = rule.page in wiki.pages and rule.number <= len(lines_of(wiki.pages[rule.page]))
        if has and (not about or about & wanted):
            chosen.setdefault(rule.page, []).append((rule.page, rule.number))
    shown = {path: excerpt(wiki.pages, at).partition("\n")[2] for path, at in chosen.items()}
    return ({wiki.index: wiki.pages[wiki.index]} if wiki.index else {}) | shown


def fitting(
    pages: Mapping[str, str], paths: Iterable[str], tokens: int = WITHOUT_BOOK_TOKENS
) -> list[str]:
    """Those of some pages, in their order, for which there is room."""
    shown: list[str] = []
    for path in dict.fromkeys(paths):
        if count_text(whole_text(pages, [*shown, path])) <= tokens:
            shown.append(path)
    return shown


def whole_text(pages: Mapping[str, str], paths: Iterable[str]) -> str:
    """Pages as a prompt has them."""
    return "\n".join(f"== {path} ==\n{pages[path].strip()}" for path in paths)
