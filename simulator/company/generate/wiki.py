"""The pages of a company's wiki, rendered from its policy: text and truth cannot part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from simulator.company.generate.plan import Plan
from simulator.company.generate.policy import STATUSES, Group, Policy
from simulator.company.generate.records import Firm

_SUFFIX = ".jinja"
TAKEOVER_PAGE = "rules/takeover.md"
"""This page is there only once a company was bought."""


def render(firm: Firm, plan: Plan, policy: Policy) -> Firm:
    """The company with the wiki that says what this policy holds."""
    templates = Environment(
        loader=FileSystemLoader(plan.pages),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
    )
    facts = _facts(firm, policy)
    pages = {}
    for template in sorted(templates.list_templates()):
        path = template.removesuffix(_SUFFIX)
        if path != TAKEOVER_PAGE or policy.takeover:
            pages[path] = templates.get_template(template).render(facts)
    return replace(firm, wiki=pages)


def _facts(firm: Firm, policy: Policy) -> dict[str, Any]:
    left_out = [status for status in STATUSES if status not in policy.load]
    needs = policy.takeover.needs if policy.takeover else ()
    return {
        "firm": firm.name,
        "own": firm.own,
        "skills": firm.skills,
        "wills": firm.wills,
        "strong": policy.strong,
        "highest": policy.highest,
        "self_word": policy.self_word,
        "load_words": _list([f"`{status}`" for status in policy.load], "or"),
        "load_left_out": _left_out(left_out),
        "groups": [
            {"title": group.title, "who": group.who, "sentence": _sentence(group, policy)}
            for group in policy.groups
        ],
        "words": policy.words,
        "takeover": policy.takeover,
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


def _list(words: Sequence[str], last: str) -> str:
    """Words with commas, where one of them holds a comma with semicolons."""
    if not words:
        return ""
    comma = "; " if any("," in word for word in words) else ", "
    end = f"{comma}{last} " if comma == "; " else f" {last} "
    return end.join((comma.join(words[:-1]), words[-1])) if len(words) > 1 else words[0]
