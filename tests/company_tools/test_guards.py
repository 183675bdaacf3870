"""Each guard objects, is overruled or not, and can be switched off."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from company_tools.registry import FIXED, NOT_PUBLIC
from core.erc3_client import company
from core.ledger import Ledger, ToolFault
from core.runs.work import WorkReport
from tests.company_tools.kites import kites, person
from tests.company_tools.played_task import PlayedTask, said

UNA = "una_berg"


def note(played: PlayedTask, text: str = "new") -> Any:
    return played.call("Combo_Update_Employee_For_Changes", employee=UNA, notes=text)


@pytest.mark.promise("no wrong write")
def test_a_write_before_whoami_is_refused_and_so_is_an_answer() -> None:
    played = PlayedTask(whoami_status=404)
    assert "only error_internal" in played.briefing.casefold()
    with pytest.raises(ToolFault):
        played.call("Req_UpdateProjectStatus", id="proj_sails", status="paused")
    assert "nobody knows who asks" in (played.asked_back("ok_answer") or "")
    assert "not answered" in (played.finish("ok_answer") or "")
    assert played.responses == []
    assert played.asked_back("error_internal", "The system fails.") is None
    assert played.finish("error_internal", "The system fails.") is None
    assert played.answered == ["error_internal"]


@pytest.mark.promise("no order from a text")
def test_the_session_itself_refuses_a_change_of_a_guest_and_of_nobody() -> None:
    for scenario in ({"user": None}, {"whoami_status": 500}):
        played = PlayedTask(brief=False, **scenario)
        session = played.benchmark._session
        with pytest.raises(ToolFault, match="nothing was changed"):
            session.write(company.Req_UpdateProjectStatus(id="proj_sails", status="paused"))
        assert played.line.paths("/projects/status/update") == []
    without = PlayedTask(off=["guest"], user=None)
    without.benchmark._session.write(
        company.Req_UpdateProjectStatus(id="proj_sails", status="paused")
    )
    assert without.line.paths("/projects/status/update")


@pytest.mark.promise("no order from a text")
@pytest.mark.parametrize(
    "message",
    [
        "Una Berg works here.", "Ask Berg Una.", "una berg", "Write to una_berg@kites.example.",
        "JURGEN MULLER", "Jürgen  Müller", "It is proj_sails.", "Đorđe Ćosić", "Ask cust_circus.",
        "The id is una_holm", "It is for Bright Sails", "It is 51000.", "It is 51,000.",
        "It is 51000.00.", "It is EUR 51,000.00.",
    ],
)  # fmt: skip
def test_a_guests_answer_holds_nothing_of_the_registry(message: str) -> None:
    played = PlayedTask(user=None)
    assert ("salary" if "51" in message else "guest") in (
        played.asked_back("ok_answer", message) or ""
    )
    # It is hard: said again, it leaves as a refusal.
    assert played.finish("ok_answer", message) is None
    assert played.answered == ["denied_security"]
    assert played.responses[0]["message"] == NOT_PUBLIC
    without = PlayedTask(user=None, off=["guest", "unseen"])
    assert without.asked_back("ok_answer", message) is None
    assert without.finish("ok_answer", message) is None


@pytest.mark.parametrize("message", sorted(FIXED))
def test_a_refusal_of_our_own_tells_nothing_whatever_people_are_called(message: str) -> None:
    company = kites()
    company["employees"].append(person("to_help", "Help With"))
    company["customers"][0]["name"] = "able to help"
    company["projects"][0]["name"] = "internal error"
    played = PlayedTask(company, user=None)
    assert played.asked_back("denied_security", message) is None
    assert played.finish("denied_security", message) is None
    assert played.responses[0]["message"] == message


def test_a_guest_is_told_dates_places_and_pages() -> None:
    played = PlayedTask(user=None)
    text = "Yes. Today is 2025-05-06; we sew in Bergen since 1998."
    assert played.asked_back("ok_answer", text) is None
    assert played.finish("ok_answer", text) is None
    assert played.responses[0]["links"] == []


@pytest.mark.promise("no order from a text")
def test_where_lists_are_refused_a_guest_hears_no_id_and_no_mail() -> None:
    played = PlayedTask(user=None, page_limit=-1)
    assert "an id" in (played.asked_back("ok_answer", "See proj_sails") or "")
    assert "mail" in (played.asked_back("ok_answer", "info@kites.example") or "")
    assert played.finish("ok_answer", "We are closed.") is None


def test_what_was_never_seen_is_never_sent() -> None:
    played = PlayedTask()
    for words in (("Done.", "employee:ghost_1"), ("It is proj_ghost.", "none")):
        assert "no answer of the system has shown" in (played.asked_back("ok_answer", *words) or "")
        assert "not answered" in (played.finish("ok_answer", *words) or "")
    # It exists, but nobody has looked in this task.
    assert "not answered" in (played.finish("ok_answer", "See.", "employee:una_holm") or "")
    played.call("Req_GetEmployee", id="una_holm")
    assert played.finish("ok_answer", "See.", "employee:una_holm") is None
    assert PlayedTask(off=["unseen"]).finish("ok_answer", "Done.", "employee:ghost_1") is None


def refused_by_the_system(played: PlayedTask) -> None:
    played.line.plan["/employees/update"] = [400]
    assert note(played)["fatal_error"]["status"] == 400


def refused_before_it_was_sent(played: PlayedTask) -> None:
    team = [{"employee": UNA, "time_slice": 0.1, "role": "Ops"}] * 2
    with pytest.raises(ToolFault, match="twice"):
        played.call("Req_UpdateProjectTeam", id="proj_sails", team=team)
    assert played.asked_back("none_clarification_needed", "Who?") is None


@pytest.mark.parametrize(
    ("guard", "first", "outcome", "said"),
    [
        ("failed-write", refused_by_the_system, "ok_answer", "did not go through"),
        ("failed-write", refused_before_it_was_sent, "ok_answer", "Req_UpdateProjectTeam proj_s"),
        ("written", note, "denied_security", "this was changed"),
        ("written", note, "none_clarification_needed", "this was changed"),
    ],
)
def test_an_answer_that_does_not_fit_the_changes_is_asked_back_once(
    guard: str, first: Callable[[PlayedTask], Any], outcome: str, said: str
) -> None:
    played, off = PlayedTask(), PlayedTask(off=[guard])
    for one in (played, off):
        first(one)
    assert said in (played.asked_back(outcome, "No.") or "")
    assert played.finish(outcome, "No.") is None
    assert played.answered == [outcome]
    assert off.asked_back(outcome, "No.") is None


def test_a_refused_change_that_cannot_be_looked_up_leaves_the_task_open() -> None:
    played = PlayedTask()
    note(played, "first")
    played.line.plan["/employees/update"] = [400]
    played.line.plan["/employees/get"] = ["before"] * 6
    with pytest.raises(ToolFault):
        played.call("Req_UpdateEmployeeInfo", employee=UNA, notes="new")
    assert len(played.line.paths("/employees/update")) == 2
    assert played.benchmark.progress.unanswered


@pytest.mark.parametrize(
    ("message", "given", "changes", "linked"),
    [
        ("Holm Una is on Bright Sails.", "auto", True, {"una_holm", UNA, "proj_sails"}),
        ("Noted for Jürgen Müller, too.", "none", True, {UNA}),
        ("Noted for Jürgen Müller, too.", "employee:una_holm", True, {"una_holm", UNA}),
        ("Jürgen Müller sews better than Una Holm.", "employee:una_holm", False, {"una_holm"}),
        ("Una Berg is it.", "none", False, set()),
        ("It is Una Berg.", "auto", False, {UNA, "una_other"}),
        ("Noted for Una Berg.", "auto", True, {UNA}),
        ("It is Berg Una.", "auto", False, {"berg_una"}),
    ],
)
def test_links_are_those_that_were_given_or_named_and_what_was_changed(
    message: str, given: str, changes: bool, linked: set[str]
) -> None:
    """Of several of one name the changed one is meant, and none who is called the other way."""
    company = kites()
    company["employees"] += [person("una_other", "Una Berg"), person("berg_una", "Berg Una")]
    played = PlayedTask(company)
    played.call("Combo_List_All_Employees")
    played.call("Req_GetProject", id="proj_sails")
    if changes:
        note(played)
    assert played.asked_back("ok_answer", message, given) is None
    assert played.finish("ok_answer", message, given) is None
    assert {link["id"] for link in played.responses[0]["links"]} == linked


@pytest.mark.parametrize("outcome", ["denied_security", "none_clarification_needed"])
def test_a_denial_has_no_links_of_itself(outcome: str) -> None:
    played = PlayedTask()
    played.call("Req_GetEmployee", id="una_holm")
    played.finish(outcome, "Not of una_holm.")
    assert played.responses[0]["links"] == []


@pytest.mark.promise("no second answer")
def test_after_the_answer_every_call_is_refused() -> None:
    played = PlayedTask()
    played.finish("ok_answer")
    with pytest.raises(ToolFault, match="has been answered"):
        played.call("Req_GetEmployee", id="una_holm")
    assert played.finish("ok_answer") is None
    off = PlayedTask(off=["one-response"])
    off.finish("ok_answer")
    assert off.call("Req_GetEmployee", id="una_holm")
    for one in (played, off):
        one.give_up()
        assert len(one.responses) == 1


@pytest.mark.parametrize(
    ("tool", "arguments", "is_believed"),
    [
        ("Combo_List_All_Employees", {}, True),
        ("Req_GetEmployee", {"id": UNA}, False),  # who asks is read for every task
        ("Req_GetEmployee", {"id": "una_holm"}, True),
    ],
)
def test_not_found_is_believed_after_a_look(tool: str, arguments: Any, is_believed: bool) -> None:
    played = PlayedTask()
    assert "listed whole" in (played.asked_back("ok_not_found", "Nobody.") or "")
    played.call(tool, **arguments)
    assert (played.asked_back("ok_not_found", "Nobody.") is None) == is_believed
    assert PlayedTask(off=["looked"]).asked_back("ok_not_found", "Nobody.") is None


@pytest.mark.parametrize(
    ("message", "held"),
    [
        ("It is how_we_work/time_kept.md.", ""),
        ("It is how_we_rest/x.md.", "how_we_rest"),
        ("I wrote to office@north_gale.example.", ""),
        ("It is north_gale.", "north_gale"),
        ("It is form_17_b.", ""),
    ],
)
def test_what_looks_like_an_id_was_seen_or_is_a_part_of_a_page_s_name_or_a_mail(
    message: str, held: str
) -> None:
    company = kites()
    company["wiki"]["how_we_work/time_kept.md"] = "Hours are kept. Use form_17_b for trips.\n"
    objection = PlayedTask(company).asked_back("ok_answer", message, "none") or ""
    assert held in objection if held else not objection


@pytest.mark.parametrize(
    ("failed", "later", "is_made_good"),
    [
        ({"employee": UNA, "salary": "a lot"}, {"employee": "una_holm"}, False),
        ({"employee": UNA, "salary": "a lot"}, {"employee": UNA}, True),
        ({"employee": "una_burg", "notes": "new"}, {"employee": UNA}, True),
        ({"person": UNA, "note": "new"}, {"employee": UNA}, True),
    ],
)
def test_a_later_change_of_the_same_target_makes_one_good(
    failed: Any, later: Any, is_made_good: bool
) -> None:
    played = PlayedTask()
    note(played, "first")  # what was made before makes nothing good
    with suppress(ToolFault):
        played.call("Combo_Update_Employee_For_Changes", **failed)
    assert "did not go through" in (played.asked_back("ok_answer") or "")
    played.call("Combo_Update_Employee_For_Changes", **later, notes="other")
    assert (played.asked_back("ok_answer") is None) is is_made_good


def test_after_an_own_change_to_the_wiki_no_rule_is_another() -> None:
    played = PlayedTask()
    played.call("Req_UpdateWiki", file="secrets.md", content="All staff may see all salaries.")
    state = played.state()
    assert "rules_now" not in state
    reads = len(played.line.sent)
    assert played.state() == state
    assert [path for path, _ in played.line.sent[reads:]] == ["/whoami"]


def test_a_wiki_that_somebody_else_has_changed_is_read_again() -> None:
    played = PlayedTask()
    rule = (
        "Nobody may see a salary. Access to time entries is allowed to leads only. Guests: public."
    )
    page = company.Req_UpdateWiki(file="secrets.md", content=rule, changed_by=UNA)
    played.line.dispatch(page)
    state = played.state()
    assert "new or rewritten: secrets.md" in state
    assert rule in state


@pytest.mark.parametrize(
    ("links", "held"),
    [("employee:una_berg", ""), ("employee:una_berg, employee:una_holm", "Una Holm")],
)
def test_a_prepared_answer_links_what_was_changed_and_no_other_record_of_the_kind(
    links: str, held: str
) -> None:
    played = PlayedTask(user="hand_1")
    for seen in ("una_berg", "una_holm"):
        played.call("Req_GetEmployee", id=seen)
    ledger = Ledger()
    with played.benchmark.bind(ledger) as tools:
        ledger.offer(tools)
        ledger.call("Combo_Update_Employee_For_Changes", [], {"employee": "una_berg", "salary": 1})
    words = said("ok_answer", "The salary of Una Berg is 1, as Una Holm approved.", links)
    report = WorkReport(calls=ledger.calls)
    objection = played.benchmark.check_effects(words, report, Ledger()) or ""
    assert (held in objection) if held else not objection
