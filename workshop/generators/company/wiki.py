"""The pages of a company's wiki, rendered from its policy: text and truth cannot part."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import BaseLoader, DictLoader, Environment, FileSystemLoader, StrictUndefined

from workshop.generators.company.policy import GUEST, STATUSES, Group, Policy
from workshop.generators.company.records import Firm

_SUFFIX = ".jinja"
TAKEOVER_PAGE = "rules/takeover.md"
"""In a folder of templates this page is there only once a company was bought."""


@dataclass(frozen=True, slots=True)
class Book:
    """What a wiki is made of: for each page the templates whose texts stand on it.

    `source` is a folder of templates, or a file of sections with several wordings each, whose
    templates are called `SECTION/NUMBER`. `facts` are what templates know beside the policy.
    """

    source: Path
    pages: Mapping[str, tuple[str, ...]]
    bought: str
    """The page that is there only once the company was bought."""
    topics: Mapping[str, str]
    """By what it explains, as somebody asks for it, the page that does."""
    facts: Mapping[str, Any] = field(default_factory=dict)


def folder_book(folder: Path, topics: Mapping[str, str]) -> Book:
    """A wiki that has a template for each page."""
    names = (str(path.relative_to(folder)) for path in sorted(folder.rglob(f"*{_SUFFIX}")))
    pages = {name.removesuffix(_SUFFIX): (name,) for name in names}
    return Book(folder, pages, TAKEOVER_PAGE, topics)


def render(firm: Firm, book: Book, policy: Policy) -> Firm:
    """The company with the wiki that says what this policy holds."""
    templates = _templates(book.source)
    facts = {**_facts(firm, policy), **book.facts}
    pages = {
        path: "\n".join(templates.get_template(name).render(facts) for name in parts)
        for path, parts in book.pages.items()
        if path != book.bought or policy.takeover
    }
    return replace(firm, wiki=pages)


@cache
def _templates(source: Path) -> Environment:
    loader: BaseLoader = FileSystemLoader(source)
    if source.is_file():
        sections = tomllib.loads(source.read_text(encoding="utf-8"))["sections"]
        texts = ((f"{name}/{n}", t) for name, many in sections.items() for n, t in enumerate(many))
        loader = DictLoader(dict(texts))
    return Environment(
        loader=loader, undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False
    )


def _facts(firm: Firm, policy: Policy) -> dict[str, Any]:
    left_out = [status for status in STATUSES if status not in policy.load]
    groups = [
        {
            "title": group.title,
            "who": group.who,
            "sentence": _sentence(group, policy),
            "may": [policy.words[right] for right in group.may],
            "refused": [policy.words[right] for right in group.refused],
        }
        for group in policy.groups
    ]
    rights = [
        {"what": what, "titles": "; ".join(titles)}
        for right, what in policy.words.items()
        if (titles := [group.title for group in policy.groups if right in group.may])
    ]
    needs = policy.takeover.needs if policy.takeover else ()
    return {
        **vars(policy),
        "firm": firm.name,
        "own": firm.own,
        "skills": firm.skills,
        "wills": firm.wills,
        "load_words": _list([f"`{status}`" for status in policy.load], "or"),
        "load_left_out": _left_out(left_out),
        "groups": groups,
        "rights": rights,
        "guest": _list([policy.words[r] for g in policy.groups if g.key == GUEST for r in g.may]),
        "needs": _list([policy.words[right] for right in needs], "or"),
    }


def _sentence(group: Group, policy: Policy) -> str:
    """What a group may and what is refused to it, in the words of the company."""
    may = _list([policy.words[right] for right in group.may], "and")
    refused = _list([policy.words[right] for right in group.refused], "or")
    return f"May {may}." + (f" May not {refused}." if refused else "")


def _left_out(statuses: Sequence[str]) -> str:
    if not statuses:
        return "No status is left out."
    return f"Shares in projects that are {_list([f'`{s}`' for s in statuses], 'or')} do not count."


def _list(words: Sequence[str], last: str = "and") -> str:
    """Words with commas, where one of them holds a comma with semicolons."""
    if not words:
        return ""
    comma = "; " if any("," in word for word in words) else ", "
    end = f"{comma}{last} " if comma == "; " else f" {last} "
    return end.join((comma.join(words[:-1]), words[-1])) if len(words) > 1 else words[0]
