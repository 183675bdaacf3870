"""Whose sentences are whose: by their own subject, else by what stands over them."""

from __future__ import annotations

import pytest

from workshop.rule_based.company.contexts import contexts, plain_name
from workshop.rule_based.company.gate import Scope, verdict
from workshop.rule_based.company.reckoning.fences import fences
from workshop.rule_based.company.rights import Requester, Rules

TIERS = """== access.md ==
# Tiers

## Tier 1: Helm

*Who: everybody in the Bridge Office.*

- Opens every record, pay included.
- Sets the status of any project and rearranges any crew.
- Cannot book hours for other people, in whatever status.

## Tier 2: Holders

*Who: the Lead of a project.*

- A Lead books hours for members of the crew.

## Tier 3

*Who: Count Room.*

- Hours and load of everybody.
- No pay.

## Closed in every tier

- A list of the pay of the whole house.
"""
LETTERS = """== letter.md ==
Dear colleague,

you, being one of us, may look up any project. What your neighbour earns is not for you.

If the register names you as Lead of a job, more comes on top. You may write down hours for the \
crew, as drafts.

The Count Room sees everybody's hours. It does not see what one person earns.
"""
PAGES = """== staff.md ==
# Staff

You may look up colleagues.

You may not see what others earn.

== check.md ==
# Spring check

So you set your own levels.

== store.md ==
# Net Store

The Net Store sees pay.

It writes notes.
"""


def requester(department: str) -> Requester:
    return Requester("p", False, department, "", "2025-05-05")


@pytest.mark.parametrize(
    ("policy", "department", "lead", "may", "may_not"),
    [
        (TIERS, "Bridge Office", False, {"pay", "status", "team", "hours"}, {"draft_hours"}),
        (TIERS, "Count Room", False, {"hours", "load"}, {"pay", "status", "team", "draft_hours"}),
        (TIERS, "Kitchen", True, {"draft_hours"}, {"status", "team", "pay"}),
        (LETTERS, "Count Room", False, {"hours", "register"}, {"pay", "draft_hours"}),
        (LETTERS, "Kitchen", True, {"draft_hours", "hours"}, {"pay"}),
        (PAGES, "Kitchen", False, {"register", "own_levels"}, {"pay", "note_write"}),
        (PAGES, "Net Store", False, {"pay", "note_write"}, {"status", "levels_write"}),
    ],
)  # fmt: skip
def test_rights_go_by_who_is_meant(
    policy: str, department: str, lead: bool, may: set[str], may_not: set[str]
) -> None:
    rules = Rules(policy)
    had = {r for r in may | may_not if rules.allows(requester(department), r, lead=lead)}
    assert had == may


def test_a_page_for_whoever_reads_it_gives_only_what_is_their_own() -> None:
    rules = Rules("== a.md ==\n# Spring check\n\nYou set your own levels. You may change notes.\n")
    assert rules.allows(requester("Kitchen"), "own_levels")
    assert not rules.allows(requester("Kitchen"), "note_write")


def test_a_tier_s_restriction_stands_in_no_other_tier_s_way() -> None:
    found = fences({"access.md": TIERS}, "hours")
    said = verdict(
        Rules(TIERS), requester("Kitchen"), "draft_hours", found, lead=True, account=False
    )
    assert said == "yes"


@pytest.mark.parametrize(("hours", "said"), [("9", "yes"), ("11", "denied")])
def test_a_bound_of_hours_is_kept(hours: str, said: str) -> None:
    more = [*fences({"a": TIERS}, "hours"), "Never more than ten hours for one person on one day."]
    scope = Scope(text=f"Log {hours} hours for Ida on the mast")
    rules = Rules(TIERS)
    told = verdict(
        rules, requester("Kitchen"), "draft_hours", more, lead=True, account=False, scope=scope
    )
    assert told == said


def test_names_are_bare() -> None:
    assert plain_name("everybody in the Bridge Office") == "Bridge Office"
    assert plain_name("Tier 4: Deck Partners") == "Deck Partners"


def test_nothing_is_everybody_s_that_names_one_group() -> None:
    titles = {g.title for g in contexts(PAGES)}
    assert {"Staff", "Net Store"} <= titles
