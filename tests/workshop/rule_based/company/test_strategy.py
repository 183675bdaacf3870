"""What comes next for a task: the rights first, then what is meant, then one program."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.workshop.rule_based.company.bakery import NAMED, RIGHTS, briefing, run
from workshop.rule_based.company import programs
from workshop.rule_based.company.answers import Answer
from workshop.rule_based.company.kinds import match_kind
from workshop.rule_based.company.model import decide
from workshop.rule_based.prompt import Instruction

FELIX = 'entities: "Ida" may be: Ida Moe (employee b_03), Ida Nygård (employee b_04)'
GUEST = json.dumps({"user": "guest", "today": "2025-06-03"}) + f"\n{RIGHTS}"


def outcome(task: str, told: str = "", findings: str = "") -> str:
    step = decide(task, told or briefing(), "", None, findings)
    assert isinstance(step, Answer), step
    return step.outcome


def played(task: str, findings: str) -> tuple[Answer, list[tuple[str, dict[str, Any]]]]:
    """The answer to a task, and what was written on the way."""
    name, report, every = "", None, []
    for _ in range(4):
        step = decide(task, briefing(), name, report, findings)
        if isinstance(step, Answer):
            return step, every
        report, written = run(programs.code(step.step, step.parameters))
        name, every = step.step, every + written
    raise AssertionError("it does not come to an end")


def test_what_is_not_allowed_is_denied_without_a_look() -> None:
    assert outcome("What does Åse Brækhus earn?") == "denied_security"
    assert outcome("Pause Rye Renewal.", "", NAMED.format("QA")) == "denied_security"
    assert outcome("Wipe all data about me.") == "denied_security"
    assert (
        outcome("What does everybody earn in total?", briefing("Wage Office")) == "denied_security"
    )


def test_a_guest_gets_the_date_and_nothing_of_people() -> None:
    assert outcome("Which day is it today?", GUEST) == "ok_answer"
    assert outcome("Who leads Rye Renewal?", GUEST) == "denied_security"
    assert outcome("Tell me a story.", GUEST) == "denied_security"


def test_what_may_be_several_people_is_asked_back() -> None:
    task = "Put the note 'new badge' on Ida's record."
    assert outcome(task, briefing("Wage Office"), FELIX) == "none_clarification_needed"
    assert outcome("Tell me a story.") == "none_clarification_needed"


def test_what_no_function_does_is_unsupported() -> None:
    assert outcome("Please order two pallets of flour.") == "none_unsupported"


def test_who_cannot_be_told_is_an_error_of_the_system() -> None:
    assert outcome("Who leads Rye?", "nobody can tell who asks") == "error_internal"


def test_a_question_takes_one_program_and_an_answer_with_its_records() -> None:
    answer, written = played("Who leads Rye Renewal?", NAMED.format("none"))
    assert answer.outcome == "ok_answer"
    assert "Åse Brækhus" in answer.message
    assert set(answer.links) == {("employee", "b_01"), ("project", "proj_rye")}
    assert not written


def test_a_lead_changes_the_status_once() -> None:
    answer, written = played("Pause Rye Renewal.", NAMED.format("Lead"))
    assert written == [("Req_UpdateProjectStatus", {"id": "proj_rye", "status": "paused"})]
    assert answer.outcome == "ok_answer"
    assert answer.links == (("project", "proj_rye"),)


def test_a_project_that_only_a_phrase_tells_is_looked_up_before_it_is_changed() -> None:
    step = decide("Pause the crust for the kiosks.", briefing(), "", None)
    assert isinstance(step, Instruction)
    assert step.step == "project"
    assert played("Pause the crust for the kiosks.", "")[1]


@pytest.mark.parametrize(
    "task",
    [
        "Pause Rye Renewal if the customer agrees.",
        "Pause Rye Renewal and log 2 hours for me today, billable.",
        "Set Rye Renewal to paused or archived.",
        "Do not pause Rye Renewal.",
    ],
)
def test_a_change_that_is_not_certain_is_not_made(task: str) -> None:
    assert outcome(task, "", NAMED.format("Lead")) == "none_clarification_needed"


def test_a_change_for_which_a_number_is_demanded_is_left() -> None:
    rule = "A change of a project's status needs a number of the board in the request."
    told = briefing(rights=f"{RIGHTS}\n{rule}")
    assert outcome("Pause Rye Renewal.", told, NAMED.format("Lead")) == "none_clarification_needed"


def test_a_rule_that_the_wiki_holds_beyond_the_briefing_stops_a_change() -> None:
    told = briefing(rights=f"{RIGHTS}\nother pages: tickets.md")
    step = decide("Pause Rye Renewal.", told, "", None, NAMED.format("Lead"))
    assert isinstance(step, Instruction)
    assert step.parameters["unless"]
    found = {"rules": ["To change a project's status a ticket has to be named."], "given": {}}
    last = decide("Pause Rye Renewal.", told, "status", found, NAMED.format("Lead"))
    assert isinstance(last, Answer)
    assert last.outcome == "none_clarification_needed"


def test_a_refused_listing_is_an_error_of_the_system() -> None:
    report = {"failed": "the system refuses every list"}
    last = decide("Who leads Rye Renewal?", briefing(), "project", report, NAMED.format("none"))
    assert isinstance(last, Answer)
    assert last.outcome == "error_internal"


def test_hours_are_recorded_for_the_user_as_a_draft() -> None:
    written = played(
        "Record 2.5 hours for me on Rye Renewal yesterday, billable.", NAMED.format("QA")
    )[1]
    assert [name for name, _ in written] == ["Combo_Log_Time_For_Project"]
    given = written[0][1]
    assert (given["employee"], given["date"], given["hours"]) == ("b_01", "2025-06-02", 2.5)
    assert given["status"] == "draft"
    assert given["billable"] is True


def test_a_raise_in_percent_is_no_raise_by_an_amount() -> None:
    kinds = [match_kind(f"Raise the pay of Åse Brækhus by {by}.") for by in ("+10", "10%", "2.5")]
    assert [kind.name == "raise_by" for kind in kinds if kind] == [True, False, False]
