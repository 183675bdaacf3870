"""Rights are read out of the plain forms; a change that no form gives is nobody's."""

from __future__ import annotations

import pytest

from workshop.rule_based.company.rights import CHANGES, Requester, Rules

TITLES = """# Rights

## Visitors without a login

May hear whether we have a site in a place.

## Contractors

People of other firms. May look up colleagues' names; and record their own hours.

## Everybody employed here

All departments but Contractors. May look up names; and learn their own pay. May not change pay.

## The Lead of a project

May change the status of a project.

## Board

May learn what a named colleague earns; change the status of a project; and write pages.

Nobody, not even the Board, may record hours for somebody else that count as approved.
"""
ACTIONS = """# By action

- To **look up colleagues' names**: Contractors; All employees.
- To **change the status of a project**: The Lead of a project; Board.
- To **learn what a named colleague earns**: Board.
"""
NUMBERED = """1. **Contractors**: Guests of ours.
   - may look up colleagues' names

2. **All employees**: All departments but Contractors.
   - may look up colleagues' names

3. **Leads**: Of one project.
   - may change the status of a project

4. **Board**: All of it.
   - may change the status of a project
   - may learn what a named colleague earns
"""
BOARD, OVENS, CREW = (Requester("x", False, name) for name in ("Board", "Ovens", "Contractors"))


@pytest.mark.parametrize("policy", [TITLES, ACTIONS, NUMBERED])
def test_a_form_gives_its_group_what_it_names_and_nobody_else(policy: str) -> None:
    rules = Rules(policy)
    assert rules.allows(BOARD, "status")
    assert rules.allows(BOARD, "pay")
    assert rules.allows(OVENS, "status", lead=True)
    assert not rules.allows(OVENS, "status")
    assert not rules.allows(OVENS, "pay")
    assert rules.allows(CREW, "register")
    assert not rules.allows(CREW, "status")


def test_a_guest_is_told_what_is_given_to_guests_alone() -> None:
    guest = Requester(guest=True)
    assert Rules(TITLES).allows(guest, "place")
    assert not Rules(TITLES).allows(guest, "date")
    assert not Rules(TITLES + "\n## The public\n\nMay see pay.").allows(guest, "pay")


def test_what_nobody_may_is_no_groups() -> None:
    given = TITLES + "\n## Ovens\n\nMay record approved hours for others.\n"
    assert not Rules(given).allows(OVENS, "approved_hours")


@pytest.mark.parametrize("right", sorted(CHANGES))
def test_without_a_rule_nothing_may_be_changed(right: str) -> None:
    assert not Rules("# Bread\n\nWe bake, we change the oven, and people like it.").allows(
        BOARD, right
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "A change of a project's status needs a number of the board in the request.",
        "Whoever wants to change the status of a project has to name a ticket.",
        "**Tickets.** To change the status of a project, a ticket has to be named in the request.",
    ],
)
def test_a_rule_that_demands_a_number_is_seen(sentence: str) -> None:
    assert Rules(f"{TITLES}\n{sentence}").demands("status")
    assert not Rules(TITLES).demands("status")


def test_what_is_said_after_may_not_is_given_to_nobody() -> None:
    rules = Rules("## Ovens\n\nMay read this wiki. May not change pay or write pages.")
    assert rules.groups[0].may == {"wiki_read"}
