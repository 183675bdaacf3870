"""The pages of a company's wiki, rendered from its policy: text and truth cannot part.

Words that decide a task carry an invisible mark while a page is rendered, so that it is known
afterwards on which line of which page they stand (`Firm.marks`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any, Literal, NamedTuple

from jinja2 import DictLoader, Environment, StrictUndefined

from workshop.generators.company.options import LAYOUTS, People
from workshop.generators.company.policy import (
    GUEST,
    LANGUAGES,
    STATUSES,
    Group,
    Policy,
    Right,
    table,
)
from workshop.generators.company.records import Firm

_FORMS = LAYOUTS[:6]
_REFERRED: Mapping[str, tuple[Right, ...]] = {
    "pay": ("own_pay", "pay", "pay_write"),
    "hours": ("own_hours", "hours", "draft_hours", "approved_hours"),
    "levels": ("own_levels", "levels", "levels_write"),
    "load": ("load",),
}
"""With references: by the section on whose page they stand, the rights that are moved there."""
_CHANGEABLE: tuple[Right, ...] = (
    *("contact", "notes", "note_write", "levels", "levels_write", "load", "hours"),
    *("status", "team", "draft_hours", "wiki_write"),
)
_ADDENDA, HOSTILE_PAGE = "addenda/{date}.md", "guest-book.md"
_PARAGRAPHS = 10
"""Paragraphs of a page of filler, which has about 1,700 characters."""
_MARK = re.compile("\x01([^\x01\x02]*)\x02")


def mark(*names: str) -> str:
    """What makes the line that it stands on findable by each name; it is taken out again."""
    return "".join(f"\x01{name}\x02" for name in names)


def _mark_right(what: Literal["may", "not"], right: Right, group: Group) -> str:
    """The mark of a line that gives a right to a group, or refuses it."""
    return mark(f"{what}:{right}:{group.key}")


class Change(NamedTuple):
    """A dated addendum: a group was given a right, lost one ("taken"), or is to get it later."""

    what: str
    date: str
    group: Group
    right: Right


@dataclass(frozen=True, slots=True)
class Book:
    """What a wiki is made of: for each page the templates whose texts stand on it.

    `facts` are what templates know beside the policy, `say` phrases of the wiki's language,
    `extra` pages that do not depend on the policy.
    """

    language: str
    pages: Mapping[str, tuple[str, ...]]
    bought: str
    """The page that is there only once the company was bought."""
    topics: Mapping[str, str]
    """By what it explains, as somebody asks for it, the page that does."""
    facts: Mapping[str, Any]
    say: Mapping[str, str]
    changes: tuple[Change, ...]
    referred: Mapping[Right, str]
    """By right the page on which it stands in place of the page on rights."""
    extra: Mapping[str, str]


def draw_book(rng: Random, policy: Policy, facts: Mapping[str, Any], options: People) -> Book:
    """The wiki of a company with this policy."""
    words, languages, language = table("wiki"), table("languages"), options.wiki_language
    scheme = rng.choice(words["schemes"])
    form = options.layout if options.layout in _FORMS else rng.choice(_FORMS)
    sections = _sections(language).items()
    templates = {name: f"{name}/{rng.randrange(len(texts))}" for name, texts in sections}
    templates["rights"] = f"rights/{_FORMS.index(form)}"
    pages: dict[str, tuple[str, ...]] = {scheme["bought"]: (templates["bought"],)}
    for path, *names in scheme["pages"]:
        # A language may lack sections.
        if there := tuple(templates[name] for name in names if name in templates):
            pages[path] = there
    page_of = {name: path for path, *names in scheme["pages"] for name in names}
    phrases = {name: texts[LANGUAGES.index(language)] for name, texts in languages["say"].items()}
    say = {name: t if isinstance(t, str) else rng.choice(t) for name, t in phrases.items()}
    changes = _draw_changes(rng, policy) if options.layout == "addenda" else ()
    referred = _REFERRED if options.layout == "references" else {}
    extra = _filler(rng, options.filler, languages["filler"][language], facts)
    if options.hostile:
        texts = languages["hostile"][language]
        extra[HOSTILE_PAGE] = _hostile(rng, policy, say["guest_book"], texts)
    return Book(
        language,
        dict(sorted(pages.items())),
        scheme["bought"],
        {topic: page_of[name] for name, topic in words["about"].items() if name in templates},
        facts,
        say,
        tuple(changes),
        {right: page_of[name] for name, rights in referred.items() for right in rights},
        extra,
    )


def _draw_changes(rng: Random, policy: Policy) -> list[Change]:
    """Rights given or taken early in the year, and one that is given after its end, each once."""
    groups = [one for one in policy.groups if one.key != GUEST]
    days = [f"2025-0{rng.randrange(1, 3)}-{rng.randrange(1, 15):02}" for _ in range(4)]
    changes: list[Change] = []
    for right in rng.sample(_CHANGEABLE, len(_CHANGEABLE)):
        what = ("given", "taken", "given", "taken", "later")[len(changes)]
        fitting = [
            one
            for one in groups
            if (right in one.may) == (what == "given") and right not in one.refused
        ]
        if fitting:
            day = "2026-03-01" if what == "later" else days[len(changes)]
            changes.append(Change(what, day, rng.choice(fitting), right))
        if len(changes) == 5:
            break
    return changes


def _hostile(rng: Random, policy: Policy, heading: str, wordings: Sequence[str]) -> str:
    """A page on which anybody writes: notices, false rules and findings, claimed ranks."""
    words = {"group": rng.choice(policy.groups).title, "chief": policy.raise_from}
    rights = rng.sample(_CHANGEABLE, len(_CHANGEABLE))
    texts = [
        text.format(right=policy.words[right], **words)
        for text, right in zip(wordings, rights, strict=False)
    ]
    rng.shuffle(texts)
    return "\n\n".join([heading, *(f"{mark('hostile')}{text}" for text in texts)]) + "\n"


def _filler(
    rng: Random, pages: int, texts: Sequence[str], facts: Mapping[str, Any]
) -> dict[str, str]:
    """So many pages that say nothing of rights, about what the company makes and for whom."""
    towns = [town for town, _ in table("regions")["customers"]["towns"]]
    sectors = [name for name, *_ in table("regions")["customers"]["sectors"]]
    filler = {}
    for number in range(pages):
        thing = rng.choice(facts["things"])
        lines = [f"# {thing} ({number + 1})"]
        for _ in range(_PARAGRAPHS):
            customer = f"{rng.choice(towns)} {rng.choice(sectors)}"
            words = {"thing": thing, "customer": customer, "other": rng.choice(facts["things"])}
            some = rng.sample(texts, 2)
            lines.append(" ".join(one.format(n=rng.randrange(2, 60), **words) for one in some))
        name = "_".join(thing.casefold().split())
        filler[f"notes/{name}_{number + 1:02}.md"] = "\n\n".join(lines) + "\n"
    return filler


def render(firm: Firm, book: Book, policy: Policy) -> Firm:
    """The company with the wiki that says what this policy holds."""
    templates, facts = _templates(book.language), {**_facts(firm, book, policy), **book.facts}
    pages = {
        path: "\n".join(templates.get_template(name).render(facts) for name in parts)
        for path, parts in book.pages.items()
        if path != book.bought or policy.takeover
    }
    pages |= book.extra
    for change in book.changes:
        path = _ADDENDA.format(date=change.date)
        text = pages.get(path) or book.say["addendum"].format(date=change.date) + "\n"
        right, group = change.right, change.group
        names = {"given": f"may:{right}:{group.key}", "taken": f"not:{right}:{group.key}"}
        words = {"right": policy.words[right], "who": group.title, "date": change.date}
        marked = mark(names.get(change.what, "later"))
        pages[path] = f"{text}\n{marked}{book.say[change.what].format(**words)}\n"
    for right, path in book.referred.items():
        if holders := [one for one in policy.groups if right in one.may]:
            marked = "".join(_mark_right("may", right, one) for one in holders)
            titles = "; ".join(one.title for one in holders)
            pages[path] += f"\n{marked}- {book.say['to']}**{policy.words[right]}**: {titles}.\n"
    marks: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for path, text in pages.items():
        for number, line in enumerate(text.split("\n"), start=1):
            for name in _MARK.findall(line):
                marks[name].append((path, number))
    return replace(firm, wiki={p: _MARK.sub("", text) for p, text in pages.items()}, marks=marks)


def _sections(language: str) -> dict[str, list[str]]:
    """The wordings of each section that the language has."""
    words = table("wiki")
    if language == "en":
        return {"rights": words["layouts"], **words["sections"]}
    sections = table("languages")["sections"][language]
    return {"rights": words["layouts"], **{name: [text] for name, text in sections.items()}}


@cache
def _templates(language: str) -> Environment:
    sections = _sections(language).items()
    texts = {f"{name}/{n}": text for name, many in sections for n, text in enumerate(many)}
    return Environment(
        loader=DictLoader(texts), undefined=StrictUndefined, keep_trailing_newline=True
    )


def _facts(firm: Firm, book: Book, policy: Policy) -> dict[str, Any]:
    """What the templates know beside the facts of the book."""
    say = book.say
    left_out = [f"`{status}`" for status in STATUSES if status not in policy.load]
    said_left_out = say["left_out" if left_out else "all_count"].format(_list(left_out, say["or"]))
    guests = (group for group in policy.groups if group.key == GUEST)
    public = [_mark_right("may", r, g) + policy.words[r] for g in guests for r in g.may]
    needs = policy.takeover.needs if policy.takeover else ()
    payers = [group.title for group in policy.groups if "pay_write" in group.may]
    also = [say["see"].format(path) for path in dict.fromkeys(book.referred.values())]
    if book.changes:
        also.append(say["changed"].format(_ADDENDA.partition("/")[0]))
    return {
        **vars(policy),
        "firm": firm.name,
        "own": firm.own,
        "skills": firm.skills,
        "wills": firm.wills,
        "called": firm.called,
        "sites": [
            {"name": site, "town": town, "country": country, "also": ", ".join(other)}
            for site, (town, country, *other) in firm.places.items()
        ],
        "raisers": say["and"].join(payers),
        "free_hand": policy.raise_from in payers,
        "solid": policy.strong - 1,
        "load_words": mark("load") + _list([f"`{status}`" for status in policy.load], say["or"]),
        "load_left_out": said_left_out,
        **_rights(book, policy),
        "say": {**say, "nobody": mark("nobody") + " ".join([*also, say["nobody"]])},
        "mark": mark,
        "guest": _list(public, say["and"]),
        "needs": mark("ticket") + _list([policy.words[right] for right in needs], say["or"]),
    }


def _rights(book: Book, policy: Policy) -> dict[str, Any]:
    """Who may do what, by group and by right; what stands on other pages is left out."""
    say = book.say
    given = {(one.group.key, one.right) for one in book.changes if one.what == "given"}
    taken = {(one.group.key, one.right) for one in book.changes if one.what == "taken"}
    groups = []
    titles: dict[Right, list[str]] = defaultdict(list)
    marks: dict[Right, str] = defaultdict(str)
    for group in policy.groups:
        may = []
        for right, what in policy.words.items():
            there, gone = right in group.may, (group.key, right) in taken
            if right in book.referred or (group.key, right) in given or not (there or gone):
                continue
            marked = _mark_right("may", right, group) if there else ""
            may.append(f"{marked}{what}")
            titles[right].append(group.title)
            marks[right] += marked
        refused = [
            _mark_right("not", right, group) + policy.words[right]
            for right in group.refused
            if right not in book.referred
        ]
        sentence = say["may"].format(_list(may, say["and"])) if may else ""
        sentence += say["may_not"].format(_list(refused, say["or"])) if refused else ""
        facts = {"may": may, "refused": refused, "sentence": sentence}
        groups.append({"title": group.title, "who": group.who, **facts})
    rights = [
        {"what": f"{marks[right]}{policy.words[right]}", "titles": "; ".join(those)}
        for right, those in titles.items()
    ]
    return {"groups": groups, "rights": rights}


def _list(words: Sequence[str], last: str) -> str:
    """Words with commas, where one of them holds a comma with semicolons."""
    if len(words) < 2:
        return "".join(words)
    comma = "; " if any("," in word for word in words) else ", "
    return f"{comma.join(words[:-1])}{comma.rstrip() if comma == '; ' else ''}{last}{words[-1]}"
