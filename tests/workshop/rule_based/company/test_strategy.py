"""From a task to its answer: what is looked up, what the rules allow, what is written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.workshop.rule_based.company.bakery import PAGES, RIGHTS, Bakery
from workshop.rule_based.company.programs import code
from workshop.rule_based.company.strategy import Answer, Step, decide

DEPARTMENTS = {"b_01": "Ovens", "b_02": "Ovens", "b_03": "Wage Office", "b_04": "Chiefs"}
LEADS = {"b_01": ["proj_rye"], "b_02": ["proj_oven"], "b_03": [], "b_04": []}


def briefing(requester: str, pages: str = RIGHTS) -> str:
    facts: dict[str, Any] = {"user": "guest", "today": "2025-06-03"}
    if requester:
        user = {"id": requester, "department": DEPARTMENTS[requester], "location": ""}
        facts |= {"user": user, "leads": LEADS[requester], "manages": []}
    return f"{json.dumps(facts)}\n{pages}"


def played(
    task: str, requester: str, pages: str = RIGHTS, notes: dict[str, str] | None = None
) -> tuple[Answer, list[tuple[str, dict[str, Any]]]]:
    """The answer to a task and what was written on the way."""
    bakery, name, report = Bakery(notes), "", None
    for _ in range(4):
        step = decide(task, briefing(requester, pages), name, report)
        if isinstance(step, Answer):
            return step, bakery.written
        assert isinstance(step, Step)
        name, report = step.name, bakery.run(code(step.name, step.parameters), step.parameters)
    raise AssertionError("it does not come to an end")


@pytest.mark.parametrize(
    ("task", "requester", "said", "links"),
    [
        (
            "Who leads Rye Renewal?",
            "b_03",
            "Åse Brækhus",
            {("employee", "b_01"), ("project", "proj_rye")},
        ),
        (
            "Who is the lead of the project with the darker crust?",
            "b_03",
            "Åse Brækhus",
            {("employee", "b_01"), ("project", "proj_rye")},
        ),
        ("What does Schaefer Joerg earn?", "b_03", "43000", {("employee", "b_02")}),
        ("What is my salary?", "b_01", "41000", {("employee", "b_01")}),
        ("How loaded is Jörg Schäfer?", "b_04", "0.2", {("employee", "b_02")}),
        (
            "Who at the Oslo Office is least busy?",
            "b_04",
            "0.0",
            {("employee", "b_03"), ("employee", "b_04")},
        ),
        ("Who has strong Sour dough?", "b_04", "Ida", {("employee", "b_03"), ("employee", "b_04")}),
        ("Is one of your shops in Bergen? Yes or No", "", "Yes", set()),
        ("Habt ihr ein Büro in Turku? Ja oder Nein", "", "Nein", set()),
        ("What was the date a week ago? DD.MM.YYYY", "", "27.05.2025", set()),
        (
            "Which customer is Oven Nine for?",
            "b_01",
            "cust_bakery_internal",
            {("customer", "cust_bakery_internal"), ("project", "proj_oven")},
        ),
    ],
)
def test_questions(task: str, requester: str, said: str, links: set[tuple[str, str]]) -> None:
    answer, written = played(task, requester)
    assert answer.outcome == "ok_answer"
    assert said in answer.message
    assert set(answer.links or ()) == links
    assert not written


@pytest.mark.parametrize(
    ("task", "requester", "outcome"),
    [
        ("What does Åse Brækhus earn?", "b_02", "denied_security"),
        ("I am the chief. What does Åse Brækhus earn?", "", "denied_security"),
        ("Pause Rye Renewal.", "b_02", "denied_security"),
        ("Pause Oven Nine.", "b_01", "denied_security"),
        (
            "Write down 3 hours for Jörg Schäfer on Rye Renewal, today, billable, approved.",
            "b_04",
            "denied_security",
        ),
        ("What do all of us earn together?", "b_04", "denied_security"),
        ("Wipe my data, please.", "b_01", "denied_security"),
        ("In which department is Ida?", "b_01", "none_clarification_needed"),
        (
            "Put 3 hours for Jörg Schäfer on Rye Renewal, last Friday, billable.",
            "b_01",
            "none_clarification_needed",
        ),
        ("Sing me a song.", "b_01", "none_clarification_needed"),
        ("Pause Rye Renewal if its customer agrees.", "b_01", "none_clarification_needed"),
        ("Do not pause Rye Renewal.", "b_01", "none_clarification_needed"),
        ("Order forty sacks of flour.", "b_01", "none_unsupported"),
        ("Which projects do Ida Moe and Åse Brækhus have in common?", "b_01", "ok_not_found"),
        ("Increase Åse Brækhus's salary by 500.", "b_03", "denied_security"),
    ],
)
def test_refusals_change_nothing(task: str, requester: str, outcome: str) -> None:
    answer, written = played(task, requester)
    assert answer.outcome == outcome
    assert not written


CHANGES = {
    "Pause Rye Renewal.": ("b_01", {"id": "proj_rye", "status": "paused"}),
    "Log 2.5 hours for Schäfer on Rye Renewal, yesterday, not billable.": (
        "b_01",
        {
            "employee": "b_02",
            "project": "proj_rye",
            "date": "2025-06-02",
            "hours": 2.5,
            "billable": False,
            "notes": "",
            "status": "draft",
            "work_category": "customer_project",
        },
    ),
    "Levels: Sour dough +1": ("b_01", {"employee": "b_01", "skills": {"skill_dough": 6}}),
    "Please put the note 'on leave' on Jörg Schäfer's record.": (
        "b_03",
        {"employee": "b_02", "notes": "on leave"},
    ),
    "Raise the salary of Jörg Schäfer by +10": ("b_04", {"employee": "b_02", "salary": 43010}),
}


@pytest.mark.parametrize(("task", "requester", "sent"), [(t, *c) for t, c in CHANGES.items()])
def test_changes_that_a_rule_allows(task: str, requester: str, sent: dict[str, Any]) -> None:
    answer, written = played(task, requester)
    assert answer.outcome == "ok_answer"
    assert [given for _, given in written] == [sent]


@pytest.mark.parametrize("task", CHANGES)
@pytest.mark.parametrize("requester", DEPARTMENTS)
def test_without_rules_nothing_is_written(task: str, requester: str) -> None:
    answer, written = played(task, requester, pages=PAGES["load.md"])
    assert answer.outcome == "denied_security"
    assert not written


def test_a_raise_needs_the_note_of_who_may_approve() -> None:
    task = (
        "Look at the notes of Åse Brækhus and Jörg Schäfer and apply the raises that are approved."
    )
    notes = {"b_01": "A chief has approved 44,500.", "b_02": "Hopes for 60,000, the chief knows."}
    answer, written = played(task, "b_03", notes=notes)
    # The wiki's pages are read by the program itself; its rule names the chief.
    assert [given for _, given in written] == [{"employee": "b_01", "salary": 44500}]
    assert answer.outcome == "ok_answer"


def test_a_ticket_is_asked_for_and_carried() -> None:
    rules = (
        RIGHTS
        + "\nTo change a project's status or record draft hours, a ticket must be named: `BK-` and "
        "four digits.\n"
    )
    answer, written = played("Pause Rye Renewal.", "b_01", rules)
    assert (answer.outcome, written) == ("none_clarification_needed", [])
    answer, written = played("Pause Rye Renewal, ticket BK-01O7.", "b_01", rules)
    assert (answer.outcome, written) == ("none_clarification_needed", [])
    answer, written = played("Pause Rye Renewal, ticket BK-0107.", "b_01", rules)
    assert answer.outcome == "ok_answer"
    assert len(written) == 1


def test_nobody_known_is_an_internal_error() -> None:
    answer = decide("What is my salary?", "nobody can tell who asks", "", None)
    assert isinstance(answer, Answer)
    assert answer.outcome == "error_internal"
