"""The rules that a faithful reader would name of the wiki of a generated company."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from company_tools.rule_book import Rule
from company_tools.wiki_lines import Line, context_of, lines_of
from workshop.generators.company.policy import ACCOUNT, GUEST, LEAD, STAFF, Policy, Right

SUBJECTS: dict[Right, str] = {
    "place": "places", "date": "date", "register": "records", "account_manager": "customers",
    "wiki_read": "pages", "own_pay": "pay", "own_levels": "skills", "own_hours": "hours",
    "contact": "contacts", "pay": "pay", "notes": "notes", "note_write": "notes",
    "levels": "skills", "levels_write": "skills", "load": "load", "hours": "hours",
    "status": "status", "team": "team", "pay_write": "pay", "draft_hours": "hours",
    "approved_hours": "hours", "wiki_write": "pages",
}  # fmt: skip
"""What a right is about."""
CHANGES = {
    **dict.fromkeys(("own_levels", "own_hours"), "change own"),
    **dict.fromkeys(("note_write", "levels_write", "status", "team", "pay_write"), "change"),
    **dict.fromkeys(("draft_hours", "approved_hours", "wiki_write"), "change"),
}
"""What a right lets somebody do; any other lets them see."""
WHO = {GUEST: "guest", STAFF: "everybody", LEAD: "lead", ACCOUNT: "account manager"}


def rules_of(policy: Policy, pages: Mapping[str, str]) -> Iterator[Rule]:
    """Each line that gives or refuses a right."""
    for path, page in pages.items():
        for line in filter(lambda one: one.rules, lines_of(page)):
            given = list(_rights(policy, page, line))
            for does in dict.fromkeys(does for does, *_ in given):
                who = dict.fromkeys(group for did, group, _ in given if did == does)
                about = dict.fromkeys(subject for did, _, subject in given if did == does)
                yield Rule(path, line.number, ", ".join(who), ", ".join(about), does)


def _rights(policy: Policy, page: str, line: Line) -> Iterator[tuple[str, str, str]]:
    """What a line lets a group do or refuses it, the group, and what it is about."""
    text = f"{context_of(page, line)} {line.text}"
    for group in (one for one in policy.groups if one.title in text):
        for right, words in policy.words.items():
            who = WHO.get(group.key, group.title)
            if words in line.text and right in group.may:
                yield CHANGES.get(right, "see"), who, SUBJECTS[right]
            elif words in line.text and right in group.refused:
                yield "refuse", who, SUBJECTS[right]
