"""Chooses which lines of a wiki's rules a task is shown: those on who asks, then on what about.

From a book that a model has read, or by code where there is none. By code a line gives something
only where its page sets the rights of several groups, or such a page refers to it: a notice can
bind, and grants nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import NamedTuple

import regex
from rapidfuzz import fuzz

from company_tools.grants import (
    GUESTS,
    NEAR,
    Requester,
    belongs,
    groups_in,
    is_english,
    setting_rights,
    speaks_of_change,
)
from company_tools.rule_book import Book, Rule
from company_tools.rule_words import Kind, giving, modal, within
from company_tools.wiki_lines import Line, context_of, excerpt, lines_of
from company_tools.wiki_pages import stem, telling_words, terms
from company_tools.words import is_among, words
from core.models.tokens import count_text

STRETCHES = 8
"""Shown at most; rows of one table, short items of one list, and items under one are one."""
LEAST_TOPIC, LEAST_OTHER_TOPIC = 0.2, 0.5
"""Likeness to a task, of the likest line's, of a line that concerns nobody in particular; the
second where a book and the task name subjects, and none is the same."""
RIGHTS_FIRST, RIGHTS_READ = 2, 4
LEAST_DUTY = 0.2
ON_SUBJECT, ON_ALL = 0.6, 0.5
"""How far a line is on the subject at least if it is one of the task's, and if it is all."""
ITEM_CHARS = 200
TOKENS = 750
"""Of all that is shown."""
RULES = "wiki, rules for this user:"
NO_RULES = "wiki: no line was found that rules this for the user"
CONTENT = "wiki, on the task:"
WHOLE = "wiki, its index and its page of rights, whole:"
NO_MATCH = (
    "wiki: nothing in it matches the words of the task, which may be in another language; "
    "its index and its page of rights, whole:"
)
SAME_LANGUAGE = 0.5
"""Share of a task's words that a wiki in its language has; the others are names and figures."""
INDEX_TOKENS, WHOLE_TOKENS = 300, 1_300
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
_LABEL = regex.compile(r"\W*(?:\d+\W+)?\*{1,2}[^*]{1,80}\*")
"""What a line is about, where it opens so: "2. **Staff.** Everybody who ..."."""


Place = tuple[str, int]
"""A page and the number of a line."""


class Candidate(NamedTuple):
    """A line that may be shown."""

    page: str
    number: int
    weight: float
    about: str = ""
    own: bool = False
    """Whether it is on a group of who asks."""
    binds: bool = False
    """Whether it is on nobody in particular."""


def chosen(
    pages: Mapping[str, str],
    book: Book | None,
    who: Requester | None,
    text: str,
    about: Sequence[str] = (),
    apart: Collection[str] = (),
) -> list[Place]:
    """The lines to show, as many as there is room for, those first that are likelier to decide.

    ``who``: None is a guest. ``about``: subjects of the task, in the words of the book. ``apart``:
    pages of which none is chosen.
    """
    every = [*(by_code(pages, who) if book is None else _of_book(pages, book, who))]
    places: list[Place] = []
    stretches = set[tuple[object, ...]]()
    for one in _ranked(pages, every, who, text, about):
        if one.page in apart:
            continue
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


class _Scored(NamedTuple):
    """A candidate with how far it is about the task; each figure but the last is from 0 up."""

    line: Candidate
    topic: float
    shared: float
    likeness: float
    """To the task and the rights: what a duty binds it says in the words of the rights."""
    meant: bool


def _ranked(
    pages: Mapping[str, str],
    candidates: Sequence[Candidate],
    who: Requester | None,
    text: str,
    about: Sequence[str],
) -> list[Candidate]:
    """The candidates, best first, without those that neither who asks nor the text is about."""
    texts = [_words_of(pages, one) for one in candidates]
    query = f"{text} {' '.join(about)}"
    topics = _relevance(query, texts)
    shared = [_shared(about, one.about) for one in candidates]
    weights = [
        one.weight + 3 * topic + 3 * share
        for one, topic, share in zip(candidates, topics, shared, strict=True)
    ]
    order = sorted(range(len(candidates)), key=lambda n: weights[n], reverse=True)
    rights = [n for n in order if candidates[n].own or not (about or candidates[n].binds)]
    words_of_rights = " ".join(" ".join(texts[n]) for n in rights[:RIGHTS_READ])
    likeness = _relevance(f"{query} {words_of_rights}", texts)

    def scored(n: int) -> _Scored:
        least = LEAST_OTHER_TOPIC if about and candidates[n].about else LEAST_TOPIC
        meant = topics[n] >= least or shared[n] > 0
        return _Scored(candidates[n], topics[n], shared[n], likeness[n], meant)

    every = [scored(n) for n in order]
    ordered = _by_turns(every, is_guest=who is None) if about else _own_first(every)
    return [one.line for one in ordered]


def _shared(about: Sequence[str], topics: str) -> float:
    """How far a line has a subject of the task, the first one best.

    It is less if the line is about all, or about who counts as what.
    """
    first = next((n for n, one in enumerate(about) if _shares((one,), topics)), None)
    share = 0.0 if first is None else max(ON_SUBJECT, 1 - 0.1 * first)
    return share + ON_ALL * (bool(about) and _shares(("all", "identity"), topics))


def _by_turns(every: Sequence[_Scored], is_guest: bool) -> list[_Scored]:
    """Two on the groups of who asks, and one definition or right of others: first on the subject.

    So one wrong label hides nothing.
    """

    def rank(one: _Scored) -> float:
        binds = one.line.binds * (1 + 3 * one.likeness)
        return one.line.weight + 3 * one.topic + 6 * one.shared + binds

    def turns(some: Sequence[_Scored]) -> list[_Scored]:
        own = [one for one in some if one.line.own]
        others = sorted((one for one in some if not one.line.own), key=rank, reverse=True)
        turns = [own, others] if is_guest else zip_longest(own[::2], own[1::2], others)
        return [one for turn in turns for one in turn if one]

    # What guests may hear, and what every answer to them has to say, are few lines.
    on_subject = [o for o in every if o.shared >= ON_SUBJECT or (is_guest and o.line.own)]
    left = [one for one in every if one not in on_subject]
    likely = [o for o in left if o.line.own or o.meant or o.likeness >= LEAST_DUTY]
    rest = [one for one in left if one not in likely and one.line.weight >= _NONE]
    return [*turns(on_subject), *turns(likely), *rest]


def _own_first(every: Sequence[_Scored]) -> list[_Scored]:
    """All on the groups of who asks, the best of the others behind the first two of them."""
    own = sorted(
        (one for one in every if one.line.own), key=lambda one: -(10 * one.topic + one.line.weight)
    )
    others = sorted(
        (one for one in every if not one.line.own),
        key=lambda one: -(one.topic + one.likeness + one.line.binds),
    )
    others = [one for one in others if one.meant or (one.line.binds and one.likeness >= LEAST_DUTY)]
    return [*own[:RIGHTS_FIRST], *others[:1], *own[RIGHTS_FIRST:], *others[1:]]


def _words_of(pages: Mapping[str, str], one: Candidate) -> list[str]:
    """The words of a line with those of its page's name and of what stands over it."""
    line = lines_of(pages[one.page])[one.number - 1]
    over = context_of(pages[one.page], line)
    return [*stem(one.page), *terms(f"{over}\n{line.text} {one.about}")]


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


def _of_book(pages: Mapping[str, str], book: Book, who: Requester | None) -> Iterator[Candidate]:
    """The rules of a book, each by whom it concerns as the model says, or as code reads the line.

    One wrong label hides no rule: what is said to be about others is shown last.
    """
    for rule in book:
        if who is None and not rule.who and not _shares(GUEST_TOPICS, rule.about):
            continue  # how skills, hours or teams are counted helps nobody who may not see them
        weight = _concerns(rule, who)
        if not weight:
            page = pages[rule.page]
            concern = _concern(page, lines_of(page)[rule.number - 1], who)
            weight = concern if concern > _NONE else _OTHERS
        own = bool(rule.who) and weight > _NONE
        yield Candidate(rule.page, rule.number, weight, rule.about, own, binds=not rule.who)


def _groups(rule: Rule, who: Requester | None) -> Iterator[str]:
    """The groups that a rule is about: departments as records call them, others folded."""
    left = rule.who
    for department in who.departments if who else ():
        if within(department, left):
            yield department
            left = regex.sub(regex.escape(department), "", left, flags=regex.I)
    yield from filter(None, (one.strip().casefold() for one in regex.split(r"[,;/]| and ", left)))


def _concerns(rule: Rule, who: Requester | None) -> float:
    """How closely a rule is about who asks; 0: it is about others."""
    if not rule.who:
        return _NONE
    return max((_group_weight(group, who) for group in _groups(rule, who)), default=0.0)


def _group_weight(group: str, who: Requester | None) -> float:
    if who is None:
        return {"guest": _OWN, "nobody": _GENERAL, "anybody": _GENERAL}.get(group, 0.0)
    if group in ("lead", "account manager"):
        return _OWN if (who.leads if group == "lead" else who.manages) else 0.0
    if group in who.departments:
        return _OWN if group == who.department else 0.0
    if group == "guest":
        return 0.0
    return _OWN if fuzz.ratio(group, who.department.casefold()) >= SAME_NAME else _GENERAL


def book_gives(
    page: str, text: str, book: Book, kind: Kind, who: Requester, own: bool, quote: str = ""
) -> bool:
    """Whether a book has a rule of a page that gives who asks a kind of change.

    ``quote``: a rule with these words, which may also be about nobody in particular, or a group
    that no record names. Where no label says what it lets them do, code reads an English line.
    """
    labelled = any(rule.does for rule in book)
    for rule in _rules_on(page, text, book, kind, quote):
        line = lines_of(text)[rule.number - 1].text
        if not _gives_to(rule, who, own, bool(quote)) or (not who.near and NEAR.search(line)):
            continue
        if rule.lets_change(own):
            return True
        if rule.does or (labelled and not (quote and rule.who)):
            continue
        if speaks_of_change(line, kind, who.near, own) if is_english(text) else not labelled:
            return True
    return False


def _rules_on(page: str, text: str, book: Book, kind: Kind, quote: str = "") -> Iterator[Rule]:
    """The rules of a page on a kind of change; with ``quote``: those that have its words."""
    for rule in (rule for rule in book if rule.page == page):
        line = lines_of(text)[rule.number - 1].text
        is_quoted = not quote or within(quote, line) or within(line, quote)
        if is_quoted and _shares((*_TOPICS[kind], "all"), rule.about):
            yield rule


def _gives_to(rule: Rule, who: Requester, own: bool, quoted: bool) -> bool:
    """Whether a right that a rule gives is the requester's."""
    groups = list(_groups(rule, who))
    if "nobody" in groups:
        return False
    for group in groups:
        weight = own * _GENERAL if group == "owner" else _group_weight(group, who)
        if weight == _OWN or (weight and (quoted or group in ("everybody", "anybody", "owner"))):
            return True
    return quoted and not groups


def book_speaks(page: str, text: str, book: Book, kind: Kind, quote: str) -> bool:
    """Whether words are those of a rule of a page on a kind of change."""
    return next(_rules_on(page, text, book, kind, quote), None) is not None


def referred(pages: Iterable[str], text: str) -> set[str]:
    """The pages that a text refers to by path or folder, or by the words of a name."""
    have = " ".join(words(text))

    def names(path: str) -> bool:
        folder, _, file = path.rpartition("/")
        name = " ".join(stem(file))
        if path in text or f"page on {name}" in have or (" " in name and name in have):
            return True
        return bool(folder and regex.search(rf"(?<![\w/]){regex.escape(folder)}/(?!\w)", text))

    return {path for path in pages if names(path)}


# -- by code


def by_code(pages: Mapping[str, str], who: Requester | None) -> Iterator[Candidate]:
    """The lines that may matter to who asks, without a model.

    Of other pages than those that set rights none that gives something: such a page can bind only.
    """
    departments = who.departments if who else ()
    setting = setting_rights(pages, departments, RIGHTS_SHARE)
    named = {path for text in setting.values() for path in referred(pages, text)}
    for path, page in pages.items():
        for line in filter(lambda line: line.rules, lines_of(page)):
            grouped = groups_in(line.text, departments) > 0
            # A list of rights that goes on in another page: "To see pay: Finance; Directors".
            if path in setting or not setting or (path in named and grouped):
                candidate = _right(path, page, line, who, grouped)
            else:
                candidate = _elsewhere(path, page, line, who, grouped, path in named)
            if candidate:
                yield candidate


def _right(
    path: str, page: str, line: Line, who: Requester | None, grouped: bool
) -> Candidate | None:
    """A line where rights are set; ``grouped``: it names groups, and then needs no verb."""
    concern = _concern(page, line, who)
    is_right = any(modal(line.text)) or any(modal(context_of(page, line)))
    if concern > _NONE and (is_right or (grouped and line.kind != "text")):
        return Candidate(path, line.number, concern, own=True)
    if concern:
        return Candidate(path, line.number, _NONE, binds=True)
    return Candidate(path, line.number, _OTHERS) if who else None


def _elsewhere(
    path: str, page: str, line: Line, who: Requester | None, grouped: bool, named: bool
) -> Candidate | None:
    """A line of another page; ``named``: the pages of rights name that page."""
    verbs = modal(line.text)
    gives = verbs.may > 0 and not verbs.must
    if who is None and (concern := _concern(page, line, who)):
        return None if gives and not named else Candidate(path, line.number, concern, own=True)
    binds = not gives and (verbs.must > 0 or not grouped)
    return Candidate(path, line.number, _NONE, binds=True) if binds else None


def _concern(page: str, line: Line, who: Requester | None) -> float:
    """As :func:`_concerns`, by the groups that a line or what stands over it names."""
    context, text = context_of(page, line), line.text
    if who is None:
        return _OWN if GUESTS.search(f"{context}\n{text}") else 0.0
    label = _LABEL.match(text)
    # In a short line a colon parts a right from who has it.
    line_text = text.replace(":", ";") if len(text) <= ITEM_CHARS else text
    for part in (context, label[0] if label else "", line_text):
        if groups_in(part, who.departments):
            own = belongs(part, who._replace(staff=False))
            return _OWN if own else _GENERAL if belongs(part, who) else 0.0
    return _NONE


# -- as text


class Shown(NamedTuple):
    """What a task is shown of a wiki."""

    whole: list[str]
    """Pages of which every line is shown, as code cannot choose among them."""
    rules: list[Place]
    content: list[Place]
    matches: bool
    """Whether the wiki seems to be in the language of the task."""
    setting: list[str]
    """The pages among them that set rights."""


def shown_of(
    pages: Mapping[str, str],
    book: Book | None,
    who: Requester | None,
    text: str,
    about: Sequence[str] = (),
) -> Shown:
    """The rules for who asks, then what else the wiki has on a task's text."""
    matches = _is_same_language(pages, text)
    setting = setting_rights(pages, who.departments if who else (), RIGHTS_SHARE)
    readable = book is not None or all(map(is_english, setting.values()))
    whole = [] if about or not pages or (matches and readable) else _whole_pages(pages, [*setting])
    rules = chosen(pages, book, who, text, about, whole)
    if book is None:
        content = [place for place in rules if not is_rule(pages, place)]
        rules = [place for place in rules if place not in content]
    else:
        have = {(path, n) for path, m in rules for n in lines_of(pages[path])[m - 1].needs}
        content = [
            (path, n)
            for path, n in _on(pages, f"{text} {' '.join(about)}")
            if (path, n) not in have
            and path not in whole
            and (path not in setting or _concern(pages[path], lines_of(pages[path])[n - 1], who))
        ]
    sets = {*whole, *(path for path, _ in rules)} & setting.keys()
    return Shown(whole, rules, content, matches, sorted(sets))


def _is_same_language(pages: Mapping[str, str], text: str) -> bool:
    """Whether a wiki has so many of the small words of a text as one in the same language has.

    Other words are names and figures; where there are no small words, they have to do.
    """
    have, every = _vocabulary(tuple(pages.items())), {*terms(text)}
    small = every - {*telling_words(text)}
    return any(
        bool(asked) and len(asked & have) >= SAME_LANGUAGE * len(asked) for asked in (small, every)
    )


@lru_cache(maxsize=16)
def _vocabulary(pages: tuple[tuple[str, str], ...]) -> frozenset[str]:
    return frozenset(term for path, page in pages for term in terms(f"{path} {page}"))


def _whole_pages(pages: Mapping[str, str], setting: Sequence[str]) -> list[str]:
    """The index of a wiki and its pages of rights, as far as there is room for them.

    Where no page sets rights of groups that code knows, it is the one that gives most. The index is
    the page that names most others, of several the first of the top folder.
    """
    named = {path: sum(other in text for other in pages) for path, text in pages.items()}
    index = max(pages, key=lambda path: (named[path], -path.count("/")))
    rights = setting or [max(pages, key=lambda path: giving(pages[path]))]
    whole: list[str] = []
    for path, most in ((index, INDEX_TOKENS), *((path, WHOLE_TOKENS) for path in rights)):
        if count_text("\n".join(pages[one] for one in {*whole, path})) <= most:
            whole += [path] * (path not in whole)
    return whole


def rule_text(
    pages: Mapping[str, str],
    book: Book | None,
    who: Requester | None,
    text: str,
    about: Sequence[str] = (),
) -> str:
    """What a task is shown of a wiki, for a prompt."""
    shown = shown_of(pages, book, who, text, about)
    whole = excerpt(
        pages, [(path, one.number) for path in shown.whole for one in lines_of(pages[path])]
    )
    parts = [f"{WHOLE if shown.matches else NO_MATCH}\n{whole}"] if whole else []
    if shown.rules or not whole:
        parts.append(f"{RULES}\n{excerpt(pages, shown.rules)}" if shown.rules else NO_RULES)
    if len(shown.setting) > 1:
        parts.append(f"{' and '.join(shown.setting)}: {STRICTER}")
    return "\n".join(
        [*parts, *([f"{CONTENT}\n{excerpt(pages, shown.content)}"] if shown.content else [])]
    )


def is_rule(pages: Mapping[str, str], place: Place) -> bool:
    """Whether a line has words of right or duty, or what stands over it."""
    line = lines_of(pages[place[0]])[place[1] - 1]
    return any(modal(line.text)) or any(modal(context_of(pages[place[0]], line)))


def _on(pages: Mapping[str, str], text: str) -> list[Place]:
    """The few lines that have most to do with a text, by at least two of its words."""
    lines = [(path, line) for path, page in pages.items() for line in lines_of(page) if line.rules]
    have = [[*stem(path), *terms(line.text)] for path, line in lines]
    asked = {form for word in telling_words(text) for form in _forms(word)}
    shares = _relevance(text, have)
    ranked = sorted(zip(shares, lines, have, strict=True), key=lambda row: -row[0])
    places: list[Place] = []
    for share, (path, line), own in ranked[:CONTENT_LINES]:
        matching = {word for word in own if _forms(word) & asked}
        more = [*places, (path, line.number)]
        if share < CONTENT_SHARE or len(matching) < CONTENT_WORDS:
            continue
        if count_text(excerpt(pages, more)) <= CONTENT_TOKENS:
            places = more
    return places


def excerpt_size(pages: Mapping[str, str], places: Sequence[Place]) -> tuple[int, int]:
    """How many stretches an excerpt has, and how many tokens."""
    lines = [(path, lines_of(pages[path])[number - 1]) for path, number in places]
    stretches = {_stretch(path, pages[path], line) for path, line in lines}
    return len(stretches), count_text(excerpt(pages, places))
