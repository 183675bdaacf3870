"""Rights are read out of sentences of any company; what is not read is no permission."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workshop.rule_based.company.gate import Scope, verdict
from workshop.rule_based.company.rights import Requester, Rules
from workshop.rule_based.company.things import CHANGES, EVERY, PLAIN

SECTIONS = """# Rights at the bakery

## Passers-by without a login
Whoever is not signed in. May hear where our shops are and what day it is. May not read these \
pages; or learn what a colleague earns.

## Season hands
From another firm. May look up projects and people, and learn their own pay. May not see others' \
hours, change a project's status or write notes.

## Everybody employed by the bakery
All but the Season hands. May look up people and projects; learn their own pay; and correct their \
own levels. May not learn what a colleague earns.

## Lead of a project
For that project. May change the status of the project and record draft hours for its team.

## Wage Office
May learn what a colleague earns, read notes and write notes.

Nobody may record approved hours for somebody else.
"""
LIST = """# Who may what

1. Strangers: our shops and the date. Nothing more.
2. Season hands: the register and the wiki; they change nothing.
3. Staff: the directory (without pay), skills, own pay.
4. Project leads: status of what they lead, draft hours for the team.
5. Wage Office: pay of anyone, notes, others' hours; never the status of projects.
"""
PROSE = """# Permissions

Strangers may hear the date and where our shops are. Everyone employed here can look up people and \
projects and see their own pay. Only the Wage Office sees salaries of others. It can also read \
notes. A project lead may change the status of the project. Only the Chiefs may write, rename and \
delete wiki pages.
"""
TABLE = """# Rights

| who | may | may not |
|---|---|---|
| Strangers | hear the date and where our shops are | anything else |
| All staff | look up people and projects, see their own pay | see others' pay |
| Wage Office | see others' pay, write notes | change a project's status |
| Lead of a project | change its status | see others' pay |
"""
PASSIVE = """# Who sees what

Strangers who are not logged in may only hear the date and where our shops are. Everyone employed \
here may look up people and projects and see their own pay. What a colleague earns may be seen by \
the Wage Office only. The Wage Office does not change the status of a project. A project's status \
may be changed by its lead and the Chiefs.
"""
STYLES = {"passive": PASSIVE, "sections": SECTIONS, "list": LIST, "prose": PROSE, "table": TABLE}
OPEN = PLAIN | {"account_manager", "levels", "load", "hours"}
"""What is open to employees where no rule speaks of it."""
guest = Requester(guest=True)
baker = Requester("b", department="Ovens")
wages = Requester("w", department="Wage Office")
season = Requester("s", department="Season hands")


@pytest.mark.parametrize("policy", STYLES.values(), ids=STYLES)
def test_who_sees_pay(policy: str) -> None:
    rules = Rules(policy)
    assert rules.allows(wages, "pay")
    assert not rules.allows(baker, "pay")
    assert not rules.allows(baker, "pay", lead=True)
    assert rules.allows(baker, "own_pay")


@pytest.mark.parametrize("policy", STYLES.values(), ids=STYLES)
def test_a_guest_hears_the_date_and_places_alone(policy: str) -> None:
    rules = Rules(policy)
    assert {r for r in EVERY if rules.allows(guest, r)} == {"date", "place"}


@pytest.mark.parametrize("policy", STYLES.values(), ids=STYLES)
def test_only_the_lead_changes_the_status(policy: str) -> None:
    rules = Rules(policy)
    assert rules.allows(baker, "status", lead=True)
    assert not rules.allows(baker, "status")
    assert not rules.allows(wages, "status")


@pytest.mark.parametrize("policy", [SECTIONS, LIST], ids=["sections", "list"])
def test_outsiders_have_their_own_rights_alone(policy: str) -> None:
    rules = Rules(policy)
    assert rules.outsider(season)
    assert not rules.outsider(baker)
    assert rules.allows(season, "register")
    assert not {r for r in CHANGES if rules.allows(season, r)}


def test_what_nobody_may_a_group_may_not_either() -> None:
    rules = Rules(SECTIONS + "\n**Chiefs.** May do all of the above and record approved hours.\n")
    chief = Requester("c", department="Chiefs")
    assert rules.allows(chief, "pay")
    assert rules.allows(chief, "status")
    assert not rules.allows(chief, "approved_hours")


@given(st.text(max_size=200))
def test_a_text_without_rules_gives_no_change_and_no_look_at_others(text: str) -> None:
    rules = Rules(text.replace("may", "").replace("|", ""))
    if not any(g.may for g in rules.groups):
        assert {r for r in EVERY if rules.allows(baker, r)} <= OPEN
        assert not {r for r in EVERY if rules.allows(guest, r)} - {"date", "place"}


@pytest.mark.parametrize(
    ("said", "good", "bad"),
    [
        (
            "A change of a project's status needs a ticket: `BK-` and four digits.",
            "BK-0417",
            "BK-O417",
        ),
        ("Every change of a status must name a ticket such as OV-12-AB7.", "OV-99-XY1", "OV-9-XY1"),
        (
            "To change a team, a code must be named: `Z`, two capital letters and three digits.",
            "ZAB123",
            "Zab123",
        ),
    ],
)
def test_tickets_have_the_shape_that_the_policy_describes(said: str, good: str, bad: str) -> None:
    ticket = Rules(f"# Changes\n\n{said}\n").ticket
    assert ticket is not None
    assert ticket.good(f"under {good}, please") == good
    assert ticket.good(f"under {bad}, please") is None


def test_a_ticket_of_unknown_shape_is_never_good() -> None:
    ticket = Rules("# Changes\n\nEvery change of a status needs a ticket of the chief.\n").ticket
    assert ticket is not None
    assert ticket.good("ticket 1") is None


@pytest.mark.parametrize(
    "said",
    [
        "The Ovens do not see salaries.",
        "Salaries of others are off limits for the Ovens.",
        "Everyone may see who manages a customer, and their own salary.",
        "Ovens: notes and salaries of others are forbidden.",
        "Project leads may change pay.",
    ],
)
def test_no_such_sentence_gives_a_right_to_pay(said: str) -> None:
    rules = Rules(f"# Rights\n\n{said}\n")
    assert not rules.allows(baker, "pay")
    assert not rules.allows(baker, "pay_write")
    assert not rules.allows(baker, "notes")


def test_a_group_is_no_other_one_with_a_word_in_common() -> None:
    rules = Rules("# Rights\n\n**Wage Office.** May change pay.\n")
    assert rules.allows(wages, "pay_write")
    assert not rules.allows(Requester("x", department="Shop Office"), "pay_write")


ACTIONS = """# Rights

- Read the pay of another person: Wage Office and the Ovens.
- Change pay: Wage Office alone.
- Change levels: only the Wage Office, after a talk with the person.
- Change the status of a project: the Lead of the project.
- Write notes: Wage Office and nobody else.
- Write pages below ovens/: Ovens.
- Record one's own hours: everybody with a login.
- Change a team: nobody.
"""


def test_entries_that_name_the_action_first_give_it_to_the_groups_behind_it() -> None:
    rules = Rules(ACTIONS)
    assert rules.allows(baker, "pay")
    assert not rules.allows(baker, "pay_write")
    assert rules.allows(wages, "pay_write")
    assert rules.allows(wages, "note_write")
    assert not rules.allows(baker, "note_write")
    assert not rules.allows(wages, "team")
    assert rules.allows(baker, "own_hours")
    assert not rules.allows(guest, "own_hours")
    assert rules.allows(baker, "status", lead=True)
    assert not rules.allows(baker, "status")


@pytest.mark.parametrize(
    ("right", "who", "expected"),
    [("pay_write", wages, "yes"), ("note_write", wages, "yes"), ("own_hours", baker, "yes"),
     ("levels_write", wages, "unread"), ("team", wages, "denied")],
)  # fmt: skip
def test_what_narrows_an_action_and_is_not_understood_stops_the_change(
    right: str, who: Requester, expected: str
) -> None:
    assert verdict(Rules(ACTIONS), who, right, (), lead=False, account=False) == expected


@pytest.mark.parametrize(
    "text",
    ["Not allowed:\n- Change pay: Wage Office.", "## Who has to agree\n- Change pay: Wage Office.",
     "- Change pay: Wage Office. Ask the Ovens first.", "- Change pay below ten: Wage Office.",
     "- Change pay: Wage Office,\n  if the Ovens say so.",
     "- Change pay: everybody but the Wage Office.",
     "- Change pay: not the Wage Office.", "- Change pay, as agreed: Wage Office."],
)  # fmt: skip
def test_no_change_comes_of_a_narrowed_entry(text: str) -> None:
    assert verdict(Rules(text), wages, "pay_write", (), lead=False, account=False) != "yes"


def test_a_right_to_a_folder_or_a_status_is_none_to_others() -> None:
    rules = Rules("# Rights\n\n- Write pages below ovens/: Ovens.\n- Pause a project: its Lead.\n")

    def said(right: str, scope: Scope) -> str:
        return verdict(rules, baker, right, (), lead=True, account=False, scope=scope)

    assert said("wiki_write", Scope(paths=("ovens/tin.md",))) == "yes"
    assert said("wiki_write", Scope(paths=("ovens/tin.md", "rights.md"))) == "denied"
    assert said("wiki_write", Scope()) == "denied"
    assert said("status", Scope("paused")) == "yes"
    assert said("status", Scope("archived")) == "denied"


@pytest.mark.parametrize(
    "said",
    [
        "A customer's *phase* says how far we are with them, in the words of a project's status.",
        "Explorations of a customer are its projects with status exploring.",
        "Everything here has a status, a team and a note.",
    ],
)
@pytest.mark.parametrize("heading", ["Customers", "Customer Care"])
def test_a_sentence_of_how_something_is_gives_no_change(heading: str, said: str) -> None:
    rules = Rules(f"# {heading}\n\n{said} Every customer has one account manager.\n")
    requester = Requester("x", department="Customer Care")
    for right in CHANGES:
        assert verdict(rules, requester, right, (), lead=False, account=False) != "yes"
    if heading == "Customers":
        assert not rules.allows(requester, "status")


@pytest.mark.parametrize(
    "page",
    [
        "**Ovens**\n\nAll there.\n- may write notes\n- may not change the status of a project",
        "# Wiki\n\nA page is deleted by saving it empty. The status is set by clicking at it.",
        "# Office\n\nMay change the status of a project.",
    ],
)
@pytest.mark.parametrize("department", ["Ovens", "IT", "Shop Office"])
def test_what_is_said_of_others_or_refused_in_a_list_is_given_to_nobody(
    department: str, page: str
) -> None:
    rules, requester = Rules(page), Requester("x", department=department)
    for right in ("status", "wiki_write", "pay_write"):
        assert verdict(rules, requester, right, (), lead=False, account=False) != "yes"


def test_of_two_groups_the_one_of_the_very_name_is_meant() -> None:
    rules = Rules(
        "# Rights\n\n**Bread.** May change pay.\n\n**Bread Sales.** May write notes.\n\n"
        "**Staff Office.** May change the status of a project.\n"
    )
    assert rules.allows(Requester("x", department="Bread Sales"), "note_write")
    assert not rules.allows(Requester("x", department="Bread Sales"), "pay_write")
    assert rules.allows(Requester("x", department="Staff Office"), "status")
    assert not rules.allows(Requester("x", department="Shop Office"), "status")


def test_who_decides_on_a_raise_does_not_enter_it() -> None:
    rules = Rules("# Pay\n\nA raise is decided by the Ovens: it is written into the note.\n")
    assert not rules.allows(baker, "pay_write")


@pytest.mark.parametrize(
    "who",
    ["which Loaned Bakers is not", "but Loaned Bakers", "other than those in Loaned Bakers"],
)
def test_whom_the_staff_leaves_out_is_an_outsider(who: str) -> None:
    rules = Rules(f"# Rights\n\n**Staff.** Everybody on our payroll, {who}. May change teams.\n")
    assert rules.outsider(Requester("x", department="Loaned Bakers"))
    assert not rules.allows(Requester("x", department="Loaned Bakers"), "team")
    assert rules.allows(baker, "team")


@pytest.mark.parametrize(
    "said",
    [
        "May read the register of people and projects, pay, notes and contact persons left aside.",
        "May see the register and ask what they themselves earn.",
    ],
)
def test_what_is_left_aside_or_ones_own_is_no_look_at_others(said: str) -> None:
    rules = Rules(f"# Rights\n\n**Staff.** Everybody employed here. {said}\n")
    assert not any(rules.allows(baker, right) for right in ("pay", "notes", "contact"))
    assert rules.allows(baker, "register")
