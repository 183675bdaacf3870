"""Chooses which lines of a wiki's rules a task is shown: those on who asks, then on what about.

From a book that a model has read, or by code where there is none. By code a line gives something
only where its page sets the rights of several groups, or such a page refers to it: a notice can
bind, and grants nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import regex
from rapidfuzz import fuzz

from company_tools.grants import (
    GUESTS,
    Requester,
    belongs,
    groups_in,
    is_english,
    setting_rights,
    speaks_of_change,
)
from company_tools.rule_book import Book, Rule
from company_tools.rule_words import ID, Kind, modal, within
from company_tools.wiki_lines import Line, context_of, excerpt, lines_of
from company_tools.wiki_pages import stem, telling_words
from company_tools.words import is_among, words
from core.models.tokens import count_text

STRETCHES = 8
"""Shown at most; rows of one table, short items of one list, and items under one are one."""
LEAST_TOPIC, LEAST_OTHER_TOPIC = 0.2, 0.5
"""Likeness to a task, of the likest line's, of a line that concerns nobody in particular; the
second where a book and the task name subjects, and none is the same."""
DUTIES, BEFORE_DUTIES = 2, 4
LEAST_DUTY = 0.35
ITEM_CHARS = 200
TOKENS = 550
"""Of all that is shown; what is shorter is shown whole."""
RULES = "wiki, rules for this user:"
NO_RULES = "wiki: no line was found that rules this for the user"
CONTENT = "wiki, on the task:"
STRICTER = "each sets rights; where they contradict each other, the stricter one holds"
CONTENT_LINES, CONTENT_TOKENS, CONTENT_WORDS = 4, 160, 2
CONTENT_SHARE = 0.6
"""Of the best line's likeness to a task: from here a line is shown for its content."""
RIGHTS_SHARE = 0.3
"""Of what the page has that sets most rights: from here a page sets rights, too."""
SAME_NAME = 85
"""Of 100: a group that is called so is the department."""
_TOPICS: Mapping[Kind, tuple[str, ...]] = {
    "status": ("status",), "team": ("team",), "pay": ("pay",), "notes": ("notes", "records"),
    "levels": ("skills",), "place": ("places", "records"), "hours": ("hours",), "wiki": ("pages",),
}  # fmt: skip
GUEST_TOPICS = ("places", "date", "pages", "identity", "systems", "all")
"""Subjects of a book on which a guest may have a question that is answered."""
_OWN, _GENERAL, _NONE, _OTHERS = 4.0, 3.0, 1.0, 0.5


class Candidate(NamedTuple):
    """A line that may be shown."""

    page: str
    number: int
    weight: float
    about: str = ""
    binds: bool = False
    """Whether it stands on a page that sets no rights."""


def chosen(
    pages: Mapping[str, str],
    book: Book | None,
    who: Requester | None,
    text: str,
    about: Sequence[str] = (),
) -> list[tuple[str, int]]:
    """The lines to show, as many as there is room for, those first that are likelier to decide.

    ``who``: None is a guest. ``about``: subjects of the task, in the words of the book.
    """
    candidates = [*(by_code(pages, who) if book is None else _of_book(book, who))]
    places: list[tuple[str, int]] = []
    stretches = set[tuple[object, ...]]()
    for one in _ranked(pages, candidates, text, about):
        line = lines_of(pages[one.page])[one.number - 1]
        stretch = _stretch(one.page, pages[one.page], line)
        parts = [(one.page, number) for number in _parts_of(pages[one.page], line)]
        more = [*places, *(part for part in parts if part not in places)]
        if len(stretches | {stretch}) > STRETCHES:
            continue
        if places and count_text(excerpt(pages, more)) > TOKENS:
            continue
        stretches.add(stretch)
        places = more
    return places


def _parts_of(page: str, line: Line) -> list[int]:
    """The parts of the long line that a line is one of: what is cut off may be what decides."""
    lines = lines_of(page)

    def opener(one: Line) -> int:
        return min(number for number in one.needs if lines[number - 1].row == one.row)

    return [one.number for one in lines if one.row == line.row and opener(one) == opener(line)]


def _ranked(
    pages: Mapping[str, str], candidates: Sequence[Candidate], text: str, about: Sequence[str]
) -> list[Candidate]:
    """The candidates, best first, without those that neither who asks nor the text is about."""
    texts = [_words_of(pages, one) for one in candidates]
    topics = _relevance(f"{text} {' '.join(about)}", texts)
    shared = [_shares((*about, "all"), one.about) if about else False for one in candidates]

    def rank(n: int) -> float:
        return candidates[n].weight + 3 * topics[n] + 2 * shared[n]

    def is_meant(n: int) -> bool:
        least = LEAST_OTHER_TOPIC if about and candidates[n].about else LEAST_TOPIC
        return topics[n] >= least or candidates[n].weight > _NONE or shared[n]

    order = sorted(range(len(candidates)), key=rank, reverse=True)
    order = [n for n in order if is_meant(n)] if any(topics) else order
    ranked = [candidates[n] for n in order]
    # Room is kept for what only binds: what it binds it says in the words of the rights.
    rights = " ".join(" ".join(texts[n]) for n in order[:BEFORE_DUTIES])
    likeness = dict(zip(candidates, _relevance(f"{text} {rights}", texts), strict=True))
    binding = (one for one in ranked if one.binds and likeness[one] >= LEAST_DUTY)
    duties = sorted(binding, key=lambda one: -likeness[one])[:DUTIES]
    rest = [one for one in ranked if one not in duties]
    return [*rest[:BEFORE_DUTIES], *duties, *rest[BEFORE_DUTIES:]]


def _words_of(pages: Mapping[str, str], one: Candidate) -> list[str]:
    """The words of a line with those of its page's name and of what stands over it."""
    line = lines_of(pages[one.page])[one.number - 1]
    over = context_of(pages[one.page], line)
    return [*stem(one.page), *words(f"{over}\n{line.text} {one.about}")]


def _stretch(path: str, page: str, line: Line) -> tuple[object, ...]:
    """What a line is counted as: a table, an item with those under it, or itself."""
    lines = lines_of(page)
    over = [lines[n - 1] for n in sorted(line.needs) if n < line.number]
    if line.kind == "row":
        return path, next((one.row for one in over if one.kind == "row"), line.row), "table"
    items = [one for one in over if one.kind == "item" and one.row != line.row]
    if line.kind == "item" and not items and len(line.text) <= ITEM_CHARS:
        return path, max((one.row for one in over if one.row != line.row), default=0), "list"
    return path, items[0].row if items else line.row


def _shares(about: Sequence[str], topics: str) -> bool:
    have = words(topics)
    return any(is_among(word, have) for one in about for word in words(one))


def _relevance(query: str, texts: Sequence[Sequence[str]]) -> list[float]:
    """How far each text has the words of a query, as shares of the best one.

    Words are compared by their first four letters, a word that is quite the same counts double;
    each tells by how few of the texts have it.
    """
    asked = {word for word in telling_words(query) if len(word) > 2 or not word.isascii()}
    have = [{form for word in text for form in _forms(word)} for text in texts]
    counts = Counter(form for forms in have for form in forms)
    scores = [
        sum(
            math.log(1 + len(texts) / counts[form])
            for word in asked
            for form in _forms(word)
            if form in forms
        )
        for forms in have
    ]
    best = max(scores, default=0.0)
    return [score / best if best else 0.0 for score in scores]


def _forms(word: str) -> set[str]:
    """A word, and its beginning as its inflected forms have it: busy, busiest."""
    return {word, word[:4].replace("y", "i")}


# -- of a book


def _of_book(book: Book, who: Requester | None) -> Iterator[Candidate]:
    for rule in book:
        if who is None and not rule.who and not _shares(GUEST_TOPICS, rule.about):
            continue  # how skills, hours or teams are counted helps nobody who may not see them
        if weight := _concerns(rule, who):
            yield Candidate(rule.page, rule.number, weight, rule.about)


def _concerns(rule: Rule, who: Requester | None) -> float:
    """How closely a rule is about who asks; 0: it is about others."""
    if not rule.who:
        return _NONE
    left = rule.who
    for department in who.departments if who else ():
        if within(department, left):
            if who and department == who.department:
                return _OWN
            left = regex.sub(regex.escape(department), "", left, flags=regex.I)
    groups = (group.strip().casefold() for group in regex.split(r"[,;/]| and ", left))
    return max((_group_weight(group, who) for group in groups if group), default=0.0)


def _group_weight(group: str, who: Requester | None) -> float:
    if who is None:
        return {"guest": _OWN, "nobody": _GENERAL, "anybody": _GENERAL}.get(group, 0.0)
    if group in ("lead", "account manager"):
        return _OWN if (who.leads if group == "lead" else who.manages) else 0.0
    if group == "guest":
        return 0.0
    return _OWN if fuzz.ratio(group, who.department.casefold()) >= SAME_NAME else _GENERAL


def book_gives(
    page: str, text: str, book: Book, kind: Kind, who: Requester, own: bool, quote: str = ""
) -> bool:
    """Whether a book has a rule of a page that gives who asks a kind of change.

    ``quote``: a rule with these words, which may also be about nobody in particular. Of an English
    page the line itself has to say so as well.
    """
    for rule in (rule for rule in book if rule.page == page):
        line = lines_of(text)[rule.number - 1].text
        if quote and not (within(quote, line) or within(line, quote)):
            continue
        if _concerns(rule, who) <= (0 if quote else _NONE):
            continue
        about = _shares((*_TOPICS[kind], "all"), rule.about)
        if about and (not is_english(text) or speaks_of_change(line, kind, who.near, own)):
            return True
    return False


# -- by code


def by_code(pages: Mapping[str, str], who: Requester | None) -> Iterator[Candidate]:
    """The lines that seem to rule something for who asks, without a model."""
    setting = setting_rights(pages, who.departments if who else (), RIGHTS_SHARE)
    named = {path for path in pages for text in setting.values() if _names(text, path)}
    for path, page in pages.items():
        sets = path in setting or not setting
        for line in lines_of(page):
            weight = line.rules and _line_weight(page, line, who, sets, path in named)
            if weight:
                yield Candidate(path, line.number, weight, binds=not sets)


def _line_weight(page: str, line: Line, who: Requester | None, sets: bool, named: bool) -> float:
    """How likely a line decides something for who asks; 0: it does not."""
    own, over = modal(line.text), modal(context_of(page, line))
    # Where a page sets rights, a line of a group needs no verb: "To see pay: Finance".
    grouped = who is None or groups_in(line.text, who.departments) > 0
    if not any(own) and not (sets and (any(over) or grouped)):
        return 0.0
    concern = _concern(page, line, who)
    if sets and who and not concern and len(line.text) <= ITEM_CHARS:
        concern = _OTHERS  # who else has a right tells that the requester has it not
    if sets:
        return concern and concern + 3 + own.must / 4
    gives = own.may and not own.must
    if ID.search(line.text) or (gives and not (named and concern == _OWN)):
        return 0.0
    return concern and _NONE + named + 0.5 * min(own.must, 3)


def _concern(page: str, line: Line, who: Requester | None) -> float:
    """As :func:`_concerns`, by the groups that a line or what stands over it names."""
    context, text = context_of(page, line), line.text
    if who is None:
        return _OWN if GUESTS.search(f"{context}\n{text}") else 0.0
    # In a short line a colon parts a right from who has it.
    for part in (context, text.replace(":", ";") if len(text) <= ITEM_CHARS else text):
        if groups_in(part, who.departments):
            own = belongs(part, who._replace(staff=False))
            return _OWN if own else _GENERAL if belongs(part, who) else 0.0
    return _NONE


def _names(text: str, path: str) -> bool:
    """Whether a text refers to a page by its path, or by the words of its name."""
    name = " ".join(stem(path.rsplit("/", 1)[-1]))
    return path in text or f"page on {name}" in " ".join(words(text))


# -- as text


def rule_text(
    pages: Mapping[str, str],
    book: Book | None,
    who: Requester | None,
    text: str,
    about: Sequence[str] = (),
) -> str:
    """The rules for who asks, then what else the wiki has on a task's text; for a prompt."""
    rules = chosen(pages, book, who, text, about)
    have = {(path, n) for path, number in rules for n in lines_of(pages[path])[number - 1].needs}
    sets = setting_rights(pages, who.departments if who else (), RIGHTS_SHARE).keys()
    content = [
        (path, number)
        for path, number in _on(pages, f"{text} {' '.join(about)}")
        if (path, number) not in have
        and (path not in sets or _concern(pages[path], lines_of(pages[path])[number - 1], who))
    ]
    parts = [f"{RULES}\n{excerpt(pages, rules)}" if rules else NO_RULES]
    setting = {path for path, _ in rules} & sets
    if len(setting) > 1:
        parts.append(f"{' and '.join(sorted(setting))}: {STRICTER}")
    return "\n".join([*parts, *([f"{CONTENT}\n{excerpt(pages, content)}"] if content else [])])


def _on(pages: Mapping[str, str], text: str) -> list[tuple[str, int]]:
    """The few lines that have most to do with a text, by at least two of its words."""
    lines = [(path, line) for path, page in pages.items() for line in lines_of(page) if line.rules]
    have = [[*stem(path), *words(line.text)] for path, line in lines]
    asked = {form for word in telling_words(text) for form in _forms(word)}
    shares = _relevance(text, have)
    ranked = sorted(zip(shares, lines, have, strict=True), key=lambda row: -row[0])
    places: list[tuple[str, int]] = []
    for share, (path, line), own in ranked[:CONTENT_LINES]:
        matching = {word for word in own if _forms(word) & asked}
        more = [*places, (path, line.number)]
        if share < CONTENT_SHARE or len(matching) < CONTENT_WORDS:
            continue
        if count_text(excerpt(pages, more)) <= CONTENT_TOKENS:
            places = more
    return places


def excerpt_size(pages: Mapping[str, str], places: Sequence[tuple[str, int]]) -> tuple[int, int]:
    """How many stretches an excerpt has, and how many tokens."""
    lines = [(path, lines_of(pages[path])[number - 1]) for path, number in places]
    stretches = {_stretch(path, pages[path], line) for path, line in lines}
    return len(stretches), count_text(excerpt(pages, places))
