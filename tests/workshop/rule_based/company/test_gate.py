"""A change needs a sentence that gives it, and none in its way that is not understood."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workshop.rule_based.company import gate
from workshop.rule_based.company.reckoning.fences import fences
from workshop.rule_based.company.rights import Requester, Rules

TABLE = """# Rights

| Signed in as | Looks at | Changes | Is refused |
|---|---|---|---|
| Lead of a project | everything | the status of that project | notes |
| Wardens | + notes | notes of anyone | status of projects |
| Staff Circle | everything | teams, status, notes | pay |
"""
LIST = """# Access

1. Employees: read projects and people, their own pay.
2. The person with the role Lead on a project: statement 1, and the status of that project.
3. Wardens: statement 1, and notes of people; edit notes.
4. Staff Circle: all of the above; teams, status, notes.
"""
PROSE = """# Who decides what

Everyone on our own payroll may look up people and projects. Whoever leads a project may in \
addition change the status of that project. The Wardens read and write notes. The Staff Circle may \
do all of this, and also change teams.
"""
GIVEN = {"table": TABLE, "list": LIST, "prose": PROSE}
RIGHTS = ("status", "team", "note_write", "pay_write", "wiki_write", "levels_write", "draft_hours")
IN_THE_WAY = (
    "Leading does not include the status.",
    "The status of a project is moved by the account manager and by no one else.",
    "Only the Harbour Master touches the status of a project.",
    "The status is a matter for the Harbour Master alone.",
    "No status is changed without the Harbour Master.",
    "Never pause a project in summer.",
    "A lead who wants a project paused goes to the Harbour Master.",
    "Nothing is to be changed in December.",
    "Projects are not closed by those who lead them.",
    "Unless the Harbour Master agrees, the status of a project stays what it is.",
)
circle, warden = Requester("c", department="Staff Circle"), Requester("w", department="Wardens")
plain = Requester("p", department="Kitchen")


def verdict(
    policy: str, requester: Requester, right: str, lead: bool = False, more: str = ""
) -> str:
    found = fences({"rules.md": policy, "more.md": more}, gate.noun(right))
    return gate.verdict(Rules(policy), requester, right, found, lead=lead, account=False)


@pytest.mark.parametrize("policy", GIVEN.values(), ids=GIVEN)
def test_what_is_read_is_given_and_to_nobody_else(policy: str) -> None:
    assert verdict(policy, plain, "status", lead=True) == "yes"
    assert verdict(policy, plain, "status") == "denied"
    assert verdict(policy, warden, "note_write") == "yes"
    assert verdict(policy, plain, "note_write", lead=True) == "denied"
    assert verdict(policy, circle, "team") == "yes"
    assert verdict(policy, plain, "team") == "denied"


@pytest.mark.parametrize("policy", GIVEN.values(), ids=GIVEN)
@pytest.mark.parametrize("said", IN_THE_WAY)
def test_a_sentence_in_the_way_on_any_page_stops_a_lead(policy: str, said: str) -> None:
    assert verdict(policy, plain, "status", lead=True, more=said) != "yes"


@pytest.mark.parametrize("policy", GIVEN.values(), ids=GIVEN)
@given(
    more=st.lists(st.sampled_from(IN_THE_WAY)), right=st.sampled_from(RIGHTS), lead=st.booleans()
)
def test_more_restrictions_never_give_a_change(
    policy: str, more: list[str], right: str, lead: bool
) -> None:
    for requester in (plain, warden, circle):
        if verdict(policy, requester, right, lead) != "yes":
            added = f"{policy}\n{' '.join(more)}\n"
            assert verdict(added, requester, right, lead) != "yes"


@pytest.mark.parametrize(
    "given_",
    [
        "The Lead of a project may change its status if the Harbour Master agrees.",
        "The Lead of a project may change its status after a talk with the client.",
        "The Lead of a project may change the status of internal projects.",
        "The Lead of a project may change its status once the client has signed.",
    ],
)
def test_a_right_under_a_condition_is_not_taken(given_: str) -> None:
    assert verdict(f"# Rights\n\n{given_}\n", plain, "status", lead=True) != "yes"


def test_a_ticket_on_any_page_is_found() -> None:
    more = "Every change of a record needs a ticket in the request: `QX-` and exactly three digits."
    found = fences({"rules.md": PROSE, "more.md": more}, gate.noun("status"))
    ticket = gate.ticket_of(Rules(PROSE), found, ["status"])
    assert ticket is not None
    assert ticket.good("pause it, QX-123") == "QX-123"
    assert ticket.good("pause it") is None
