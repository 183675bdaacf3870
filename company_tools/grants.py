"""Whom a line of rules is about, and whether it gives them a kind of change, as code reads it.

Not a judgement of who may do what, which is the evaluator's: only whether a page that sets the
rights of groups has a sentence that gives a kind of change to a group of the requester. Where it
has none, the evaluator is asked for the rule. Where a model has read the wiki's rules, its word
on whom a line is about and on what replaces that of code.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

import regex
from rapidfuzz import fuzz

from company_tools.rule_book import Book, Rule
from company_tools.wiki_lines import Line, lines_of
from company_tools.wiki_pages import stem
from company_tools.words import is_among, within, words

# -- words by which pages give or bind, and by which they speak of kinds of changes

_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_GIVING_WORDS, _BINDING_WORDS = (frozenset(words(_WORDS[name])) for name in ("may", "must"))
_MAY_ROW, _MUST_ROW = (regex.compile(_WORDS[f"{name}_in_row"]) for name in ("may", "must"))


_ID = regex.compile(r"(?<![\p{L}\p{N}])\p{L}[\p{L}\p{N}]*_[\p{L}\p{N}_]+")
"""What looks like the id of a record, whose parts are no words."""


class Modal(NamedTuple):
    """How many words of a text give, and how many bind."""

    may: int
    must: int


@lru_cache(maxsize=16384)
def modal(text: str) -> Modal:
    """The words of a text that give or bind."""
    have = words(_ID.sub(" ", text))
    return Modal(
        sum(word in _GIVING_WORDS for word in have) + len(_MAY_ROW.findall(text)),
        sum(word in _BINDING_WORDS for word in have) + len(_MUST_ROW.findall(text)),
    )


@lru_cache(maxsize=1024)
def ruling(page: str) -> int:
    """How many lines of a page have such words."""
    return sum(any(modal(line.text)) for line in lines_of(page))


@lru_cache(maxsize=1024)
def giving(page: str) -> int:
    """How many lines of a page give something, by themselves or by what opens their list."""
    lines = lines_of(page)
    gives = {line.number for line in lines if line.kind != "heading" and modal(line.text).may > 0}
    return sum(not gives.isdisjoint(line.needs) for line in lines)


Kind = Literal["status", "team", "pay", "notes", "levels", "place", "hours", "wiki"]
_SUBJECTS: dict[Kind, str] = {
    "status": r"status|stage|phase|state\b|stands?\b|paus|archiv|reactivat",
    "team": r"teams?\b|staffing|works? on|roles?\b|shares?\b|members?\b|allocat|assign",
    "pay": r"pay\b|payroll|salar|wages?\b|compensation|remunerat|rais(?:e|ing)",
    "notes": r"notes?\b|remarks?\b|comments?\b",
    "levels": r"levels?\b|skills?\b|wills?\b|competenc",
    "place": r"location|site|department|employee (?:record|data|profile)",
    "hours": r"hours?\b|time\b|timesheets?\b|time entr|entries",
    "wiki": r"wiki|pages?\b(?! on\b)|articles?\b|documents?\b",
}
"""What a sentence about a kind of change speaks of."""
SUBJECTS = {kind: regex.compile(rf"\b(?:{words})", regex.I) for kind, words in _SUBJECTS.items()}
_ABROAD: dict[Kind, str] = {
    "pay": r"\bearn|gehalt|lohn|salaire|sueldo|stipendi|薪|工资",
    "notes": r"notiz|vermerk|remarque|nota\b|备注",
    "levels": r"stufe|niveau|nivel|livello|compét|fähig|级",
    "hours": r"stunde|heure|horas?\b|ore\b|zeit|小时|时",
    "wiki": r"seite|página|pagina|artikel|artículo|页",
}
"""The same in tasks alone, most in other languages."""


def speaks_of(kind: Kind, text: str) -> bool:
    """Whether words of a task may ask for a kind of change; of statuses and teams any may."""
    if kind in ("status", "team", "place"):
        return True
    abroad = regex.search(_ABROAD[kind], text, regex.I)
    return bool(SUBJECTS[kind].search(text) or abroad)


TITLE_CHARS = 160
"""Of what stands over a passage."""
_NO = frozenset({"", "-", "–", "—", "no", "none", "never", "n", "✗", "✘", "❌", "nein", "non"})
_YES_OR_NO = _NO - {""} | {"yes", "y", "✓", "✔", "✅", "ja", "oui", "sí", "si", "sì", "own"}
"""What the cells of a table say that is a matrix of groups and rights."""
_LABEL = regex.compile(r"(?<![\w*])(?=\*{1,2}\p{Lu}[^*\n]{0,80}\*)")


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
        [cell.strip(" *`") for cell in line.text.strip().splitlines()[0].strip("|").split("|")]
        if line.kind == "row"
        else []
    )


LEAST_GROUPS = 3
"""A page that sets rights speaks of at least so many groups; a notice speaks of one."""
NEAR_BEST = 0.5
"""Pages that set so much as this share of what the best one does have to agree with it."""
_OF_PEOPLE = frozenset({"pay", "notes", "levels", "place"})
_RECORDS = regex.compile(
    r"\b(?:employees?|personnel|people|staff)(?:'s)? (?:records?|data|profiles?)\b", regex.I
)
_EVERYTHING = regex.compile(
    r"\b(?:do|change|update|edit|manage|rights? to|access to)\b[^.;]{0,20}"
    r"\b(?:everything|anything|all of (?:the above|it|this))\b"
    r"|\b(?:full (?:access|rights?|control)|all rights|unrestricted)\b",
    regex.I,
)
_WRITES = regex.compile(
    r"\b(?:chang|set|writ|record|enter|put|mov|book|edit|updat|rais|lower|decid|rearrang|renam|"
    r"remov|delet|manag|approv|correct|log|swap|void|adjust|assign|paus|archiv|creat|maintain|"
    r"keep|modif|alter|grant|rate|rating|plac)\w*|\b(?:adds?|adding|fix)\b",
    regex.I,
)
_NOTHING = regex.compile(r"\b(?:chang|writ|edit|record|updat)\w*\s+nothing\b", regex.I)
_READS = regex.compile(
    r"\b(?:see|look\w*|read\w*|learn\w*|know\w*|told|ask\w*|hear\w*|view\w*|compar\w*|find\w*|"
    r"search\w*|rank\w*|given?|have|access|added up|consult\w*)\b",
    regex.I,
)
_NOT = regex.compile(
    r"\b(?:not|never|no|nobody|none|nothing|neither|nor|without|cannot|can't|refused|forbidden|"
    r"prohibited|denied)\b",
    regex.I,
)
_OWN = regex.compile(r"\b(?:own|themsel(?:f|ves)|oneself|personal data of)\b", regex.I)
_MEANS = regex.compile(
    r"\b(?:whoever|everybody (?:in|on|at)|all (?:who|of)|(?:the|a) whole|only for|"
    r"people (?:of|from|who)|those)\b",
    regex.I,
)
"""Of a sentence that says who is in a group."""
_MAY = regex.compile(r"\b(?:may|can|allowed|permitted|entitled|authori[sz]ed)\b", regex.I)
NEAR = regex.compile(
    r"\b(?:same|own) (?:sites?|locations?|offices?|cit(?:y|ies)|places?|towns?|branch)\b",
    regex.I,
)
"""Of rights that hold where the requester works alone."""
LEAD = regex.compile(r"\b(?:leads?|leaders?)\b", regex.I)
ACCOUNT = regex.compile(
    r"\b(?:account managers?|manages? the account|look(?:s|ing)? after)\b", regex.I
)
GENERAL = regex.compile(
    r"\b(?:everybody|everyone|anybody|anyone|whoever is in any department|"
    r"all (?:staff|employees|colleagues|departments|people)|staff|employees|personnel)\b",
    regex.I,
)
GUESTS = regex.compile(
    r"\b(?:guests?|visitors?|strangers?|anonymous|public|from outside|outsiders?|"
    r"without (?:a )?login|not signed in|freelanc\w*|contractors?|externals?)\b",
    regex.I,
)
_EXCEPT = regex.compile(
    r"\b(?:but|except|excluding|other than|not|without|save)\b[^.;]{0,40}$", regex.I
)
_BETWEEN = r"[^\p{L}\p{N}.;\n]{1,3}"
_GROUPS = regex.compile(r"[;|]")
_ENGLISH = regex.compile(
    r"\b(?:the|of|and|may|can|is|are|by|to|for|only|their|who|in|a)\b", regex.I
)
LEAST_ENGLISH = 0.06
"""Share of the words of an English page that these are, and of no page in another language."""
_LEFT_OUT = regex.compile(r"\s*(?:is|are|does|do) not\b")
_SENTENCE = regex.compile(r"(?<=[.!?])\s+|\n+")
_CLAUSE = regex.compile(r"[;,:|]|\band\b|\bor\b")


class Requester(NamedTuple):
    """Who asks, as far as rights hang on it."""

    department: str
    departments: tuple[str, ...]
    leads: bool
    """Whether they lead the project that the change is about, or one that the person is on."""
    manages: bool
    near: bool = True
    """Whether the person that it is about works at the same place."""
    staff: bool = True
    """Whether what everybody of the staff has is theirs."""


def setting_rights(
    pages: Mapping[str, str], departments: Iterable[str], share: float = NEAR_BEST
) -> dict[str, str]:
    """The pages that set the rights of groups: they speak of several, and in words of rights.

    ``share``: of what the best page has, as much as such a page has at least.
    """
    known = tuple(departments)
    weights = {path: rights_weight(text, known) for path, text in pages.items()}
    best = max(weights.values(), default=0)
    return {
        path: pages[path] for path, weight in weights.items() if weight and weight >= best * share
    }


@lru_cache(maxsize=1024)
def rights_weight(page: str, departments: tuple[str, ...]) -> int:
    """How much a page sets the rights of several groups: by them, its lines on them, what it gives.

    0 where it speaks of too few. A line of a group needs no verb: "To see pay: Finance".
    """
    groups = groups_in(page, departments)
    if groups < LEAST_GROUPS:
        return 0
    lines = sum(groups_in(line.text, departments) > 0 for line in lines_of(page))
    return groups * (1 + giving(page)) * (1 + lines) ** 2


def groups_in(text: str, departments: Iterable[str]) -> int:
    """How many groups of people a text speaks of."""
    named = sum(1 for name in departments if name and _named(name).search(text))
    return named + sum(1 for group in (LEAD, ACCOUNT, GENERAL, GUESTS) if group.search(text))


@lru_cache(maxsize=512)
def _named(department: str) -> regex.Pattern[str]:
    parts = [regex.escape(part) for part in regex.findall(r"[\p{L}\p{N}]+", department)]
    joined = _BETWEEN.join(parts)
    return regex.compile(rf"\b{joined}\b" if parts else r"(?!)", regex.I)


class _Statement(NamedTuple):
    """A sentence of a page, with the heading and the stretch of text that it stands in."""

    title: str
    text: str
    sentence: str

    def has(self, quote: str) -> bool:
        """Whether it is the rule that a quotation means.

        A heading stands over every sentence and gives nothing.
        """
        if within(quote, self.title):
            return False
        return within(quote, f"{self.title} {self.sentence}") or within(self.sentence, quote)

    @property
    def about(self) -> str:
        """Where it says whom it is about."""
        return f"{self.title} . {_opening(self.text)} . {_subject(self.sentence)}"


def gives(page: str, kind: Kind, who: Requester, own: bool, quote: str = "") -> bool:
    """Whether a page gives a group of the requester such a change; with ``quote``: that rule of it.

    A rule that is quoted may name no group at all, as one for everybody. Of a page that is not
    in English, the word of who quotes it is taken.
    """
    statements = [
        _Statement(title, text, sentence)
        for title, text in passages(page)
        for sentence in _SENTENCE.split(text)
    ]
    sentences = [one.sentence for one in statements]
    if any(GENERAL.search(s) and _is_named(who.department, s) is False for s in sentences):
        who = who._replace(staff=False)  # they are left out of what the page calls staff
    if quote:
        statements = [one for one in statements if one.has(quote)]
        if statements and not is_english(page):
            return True
    return any(_states(one, kind, who, own, quoted=bool(quote)) for one in statements)


def _states(statement: _Statement, kind: Kind, who: Requester, own: bool, *, quoted: bool) -> bool:
    """Whether a statement gives a group of the requester such a change."""
    about, sentence = statement.about, statement.sentence
    if not who.near and NEAR.search(f"{about} {sentence}"):
        return False
    named, nobody = belongs(about, who), not groups_in(about, who.departments)
    if not named and not (quoted and nobody and _MAY.search(sentence)):
        return False
    by_name = bool(_is_named(who.department, about)) or _has_role(about, who)
    return _allows(sentence, kind, own, named and by_name)


@lru_cache(maxsize=1024)
def is_english(page: str) -> bool:
    """Whether code can read what a page says beside its names."""
    return len(_ENGLISH.findall(page)) >= LEAST_ENGLISH * len(words(page))


def speaks_of_change(text: str, kind: Kind, near: bool, own: bool) -> bool:
    """Whether a sentence of an English rule gives a kind of change, whichever group it is about."""
    said = (s for s in _SENTENCE.split(text) if near or not NEAR.search(s))
    return any(_allows(sentence, kind, own, True) for sentence in said)


def _has_role(text: str, who: Requester) -> bool:
    """Whether a text names the Lead or account manager that the requester is."""
    return bool((who.leads and LEAD.search(text)) or (who.manages and ACCOUNT.search(text)))


def _opening(text: str) -> str:
    """The first sentence of a stretch, as far as it says who is meant; one group, not several."""
    first = text.partition(".")[0]
    first = first if "|" in first else first.replace(";", ",")
    match = _MAY.search(first)
    return first[: match.start()] if match else first


def _subject(sentence: str) -> str:
    """Where a sentence says whom it is about: its first words, and what a colon or a cell parts."""
    if "|" in sentence:
        return sentence
    before, colon, behind = sentence.rpartition(":")
    first = " ".join(_opening(before or sentence).split()[:7])
    listed = colon and not any(group.search(before) for group in (LEAD, GENERAL, GUESTS))
    return f"{first} ; {behind if listed else ''}"


def belongs(text: str, who: Requester) -> bool:
    """Whether a text names a group that the requester is in; of several, each stands alone."""
    return any(_is_in(part, who) for part in _GROUPS.split(text))


def _is_in(text: str, who: Requester) -> bool:
    if (named := _is_named(who.department, text)) is not None:
        return named
    if _has_role(text, who):
        return True
    return (
        who.staff
        and not (LEAD.search(text) or ACCOUNT.search(text))
        and bool(GENERAL.search(text))
        and not any(_is_named(name, text) for name in who.departments)
    )


def _is_named(department: str, text: str) -> bool | None:
    """Whether a text names a department; False: only to leave it out, None: not at all."""
    match = _named(department).search(text) if department else None
    if match is None:
        return None
    before = text[max(0, match.start() - 60) : match.start()]
    return not (_EXCEPT.search(before) or _LEFT_OUT.match(text, match.end()))


def _allows(sentence: str, kind: Kind, own: bool, loose: bool) -> bool:
    """Whether a sentence gives a kind of change; one that refuses gives nothing.

    What has no verb of its own goes with the one before it. ``loose``: a group of its own is also
    given what has no verb at all, and everything.
    """
    if _NOT.search(" ".join(sentence.split()[:4])) or _NOTHING.search(sentence):
        return False
    loose = loose and not (_MEANS.search(sentence) and not _MAY.search(sentence))
    writes, owned = loose, False
    for clause in _CLAUSE.split(sentence):
        if (first := _writes_first(clause)) is not None:
            writes, owned = first, False
        owned = owned or _OWN.search(clause) is not None
        if not clause or _NOT.search(clause) or _is_of_hours(clause, kind):
            continue
        if loose and _EVERYTHING.search(clause):
            return True
        if _speaks_of(clause, kind) and writes and (own or not owned):
            return True
    return False


def _writes_first(clause: str) -> bool | None:
    """Whether the first verb of a clause writes; False: it reads, None: there is none."""
    places = [
        (match.start(), pattern is _WRITES)
        for pattern in (_WRITES, _READS)
        if (match := pattern.search(clause))
    ]
    return min(places)[1] if places else None


def _is_of_hours(clause: str, kind: Kind) -> bool:
    """Whether only hours have the kind: their status, or the team in "hours of the team"."""
    return kind in ("team", "status") and SUBJECTS["hours"].search(clause) is not None


def _speaks_of(clause: str, kind: Kind) -> bool:
    """Whether a clause names the kind, or whole records that it is part of."""
    of_record = kind in _OF_PEOPLE and _RECORDS.search(clause)
    return bool(SUBJECTS[kind].search(clause) or of_record)


# -- a book of rules

_TOPICS: Mapping[Kind, tuple[str, ...]] = {
    "status": ("status",), "team": ("team",), "pay": ("pay",), "notes": ("notes", "records"),
    "levels": ("skills",), "place": ("places", "records"), "hours": ("hours",), "wiki": ("pages",),
}  # fmt: skip
_IS_OWN, _IS_GENERAL = 4.0, 3.0
SAME_NAME = 85
"""Of 100: a group that is called so is the department."""


def _groups(rule: Rule, who: Requester | None) -> Iterator[str]:
    """The groups that a rule is about: departments as records call them, others folded."""
    left = rule.who
    for department in who.departments if who else ():
        if within(department, left):
            yield department
            left = regex.sub(regex.escape(department), "", left, flags=regex.I)
    yield from filter(None, (one.strip().casefold() for one in regex.split(r"[,;/]| and ", left)))


def _group_weight(group: str, who: Requester | None) -> float:
    if who is None:
        return {"guest": _IS_OWN, "nobody": _IS_GENERAL, "anybody": _IS_GENERAL}.get(group, 0.0)
    if group in ("lead", "account manager"):
        return _IS_OWN if (who.leads if group == "lead" else who.manages) else 0.0
    if group in who.departments:
        return _IS_OWN if group == who.department else 0.0
    if group == "guest":
        return 0.0
    return _IS_OWN if fuzz.ratio(group, who.department.casefold()) >= SAME_NAME else _IS_GENERAL


def _shares(about: Sequence[str], topics: str) -> bool:
    have = words(topics)
    return any(is_among(word, have) for one in about for word in words(one))


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
        if _lets_change(rule, own):
            return True
        if rule.does or (labelled and not (quote and rule.who)):
            continue
        if speaks_of_change(line, kind, who.near, own) if is_english(text) else not labelled:
            return True
    return False


def _lets_change(rule: Rule, own: bool) -> bool:
    """Whether it gives a change; ``own``: of the requester's own record or hours."""
    parts = [part.strip().casefold() for part in rule.does.split(",")]
    return "change" in parts or (own and "change own" in parts)


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
        weight = own * _IS_GENERAL if group == "owner" else _group_weight(group, who)
        if weight == _IS_OWN or (weight and (quoted or group in ("everybody", "anybody", "owner"))):
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
