"""The pages of a company's wiki, rendered from its policy: text and truth cannot part."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any

from jinja2 import DictLoader, Environment, StrictUndefined

from workshop.generators.company.policy import GUEST, STATUSES, Policy, Right, table
from workshop.generators.company.records import Firm


@dataclass(frozen=True, slots=True)
class Book:
    """What a wiki is made of: for each page the templates whose texts stand on it.

    `facts` are what templates know beside the policy, `say` phrases that pages share.
    """

    pages: Mapping[str, tuple[str, ...]]
    bought: str
    """The page that is there only once the company was bought."""
    topics: Mapping[str, str]
    """By what it explains, as somebody asks for it, the page that does."""
    facts: Mapping[str, Any]
    say: Mapping[str, str]


def draw_book(rng: Random, facts: Mapping[str, Any]) -> Book:
    """The wording and layout of a company's wiki."""
    words = table("wiki")
    scheme = rng.choice(words["schemes"])
    # The layout of the rights is drawn twice; with one draw less a seed would give another wiki.
    layout = rng.randrange(len(words["sections"]["rights"]))
    wordings = {name: rng.randrange(len(texts)) for name, texts in words["sections"].items()}
    templates = {
        name: f"{name}/{number}" for name, number in {**wordings, "rights": layout}.items()
    }
    pages = {path: tuple(templates[name] for name in names) for path, *names in scheme["pages"]}
    pages[scheme["bought"]] = (templates["bought"],)
    page_of = {name: path for path, *names in scheme["pages"] for name in names}
    return Book(
        dict(sorted(pages.items())),
        scheme["bought"],
        {topic: page_of[name] for name, topic in words["about"].items()},
        facts,
        {name: t if isinstance(t, str) else rng.choice(t) for name, t in words["say"].items()},
    )


def render(firm: Firm, book: Book, policy: Policy) -> Firm:
    """The company with the wiki that says what this policy holds."""
    facts = {**_facts(firm, book.say, policy), **book.facts}
    wiki = {
        path: "\n".join(_templates().get_template(name).render(facts) for name in parts)
        for path, parts in book.pages.items()
        if path != book.bought or policy.takeover
    }
    return replace(firm, wiki=wiki)


@cache
def _templates() -> Environment:
    sections = table("wiki")["sections"].items()
    texts = {f"{name}/{n}": text for name, many in sections for n, text in enumerate(many)}
    return Environment(
        loader=DictLoader(texts), undefined=StrictUndefined, keep_trailing_newline=True
    )


def _facts(firm: Firm, say: Mapping[str, str], policy: Policy) -> dict[str, Any]:
    """What the templates know beside the facts of the book."""
    left_out = [f"`{status}`" for status in STATUSES if status not in policy.load]
    public = (right for group in policy.groups if group.key == GUEST for right in group.may)
    needs = policy.takeover.needs if policy.takeover else ()
    payers = [group.title for group in policy.groups if "pay_write" in group.may]
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
        "load_words": _list([f"`{status}`" for status in policy.load], say["or"]),
        "load_left_out": say["left_out" if left_out else "all_count"].format(
            _list(left_out, say["or"])
        ),
        **_rights(say, policy),
        "say": say,
        "guest": _list([policy.words[right] for right in public], say["and"]),
        "needs": _list([policy.words[right] for right in needs], say["or"]),
    }


def _rights(say: Mapping[str, str], policy: Policy) -> dict[str, Any]:
    """Who may do what, by group and by right."""
    groups = []
    titles: dict[Right, list[str]] = defaultdict(list)
    for group in policy.groups:
        may = [what for right, what in policy.words.items() if right in group.may]
        refused = [policy.words[right] for right in group.refused]
        sentence = say["may"].format(_list(may, say["and"])) if may else ""
        sentence += say["may_not"].format(_list(refused, say["or"])) if refused else ""
        facts = {"may": may, "refused": refused, "sentence": sentence}
        groups.append({"title": group.title, "who": group.who, **facts})
    for group in policy.groups:
        for right in policy.words:
            if right in group.may:
                titles[right].append(group.title)
    rights = [
        {"what": policy.words[right], "titles": "; ".join(those)} for right, those in titles.items()
    ]
    return {"groups": groups, "rights": rights}


def _list(words: Sequence[str], last: str) -> str:
    """Words with commas, where one of them holds a comma with semicolons."""
    if len(words) < 2:
        return "".join(words)
    comma = "; " if any("," in word for word in words) else ", "
    return f"{comma.join(words[:-1])}{comma.rstrip() if comma == '; ' else ''}{last}{words[-1]}"
