"""Changes: merged, sent once, settled where their answer is lost."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from company_tools.change import RECORD
from company_tools.endpoints import LATE_SECONDS
from core.erc3_client import company, retry_policy
from core.ledger import ToolFault
from core.tools.faults import Refused
from tests.company_tools.kites import HOURS, Toolbox, kites, person, toolbox
from tests.kit.combo import data_of

Call = tuple[str, dict[str, Any]]
PERSON, TEAM = "Combo_Update_Employee_For_Changes", "Combo_Update_Team_For_Changes"
ENTRY = "Combo_Update_Time_Entry_For_Changes"
LOG: Call = ("Combo_Log_Time_For_Project", HOURS)
PAUSE: Call = ("Req_UpdateProjectStatus", {"id": "proj_sails", "status": "paused"})
CHANGES: dict[str, Call] = {
    "/employees/update": (
        PERSON,
        {"employee": "una_holm", "notes": "moved", "skill_deltas": {"skill_sewing": 1}},
    ),
    "/projects/team/update": (TEAM, {"project": "proj_sails", "remove": "juergen_mueller"}),
    "/projects/status/update": (
        "Req_UpdateProjectStatus",
        {"id": "proj_sails", "status": "paused"},
    ),
    "/time/log": LOG,
    "/time/update": (ENTRY, {"id": "te_001", "hours": 3}),
    "/wiki/update": ("Combo_Write_Wiki_Pages", {"pages": {"new.md": "x\n"}}),
}
EVENTS = {path: 2 if path == "/employees/update" else 1 for path in CHANGES}


def again(at: Toolbox, call: Call) -> str:
    with pytest.raises(ToolFault) as refused:
        at.call(call[0], **call[1])
    return refused.value.text


@pytest.mark.promise("no wrong write")
@pytest.mark.parametrize("path", CHANGES)
@pytest.mark.parametrize("lost", ["before", "after", 429, 503])
def test_a_change_whose_answer_is_lost_is_made_once(path: str, lost: Any) -> None:
    at = toolbox()
    at.line.plan[path] = [lost]
    at.call(CHANGES[path][0], **CHANGES[path][1])
    assert len(at.line.events) == EVENTS[path]
    assert [c.outcome for c in at.session.facts.changes] == ["done"]
    sent = at.line.paths(path)
    assert len(sent) == (1 if lost == "after" else 2)


@pytest.mark.promise("no wrong write")
@pytest.mark.parametrize("path", CHANGES)
@pytest.mark.parametrize("taken", [True, False])
@pytest.mark.parametrize("status", [400, 403, 404, 409])
def test_a_refusal_is_looked_up_before_it_is_believed(path: str, taken: bool, status: int) -> None:
    at = toolbox()
    name, arguments = CHANGES[path]
    at.line.plan[path], at.line.then_fails = [status], taken
    with suppress(ToolFault):
        at.call(name, **arguments)
    (change,) = at.session.facts.changes
    assert change.outcome == ("done" if taken else "refused")
    assert len(at.line.events) == (EVENTS[path] if taken else 0)
    assert at.line.paths(path) == [path]
    assert at.session.unanswered == {}
    if taken:
        return
    at.call(name, **arguments)
    assert len(at.line.events) == EVENTS[path]
    assert [c.outcome for c in at.session.facts.changes] == ["done"]


def test_a_refused_change_that_was_so_before_is_no_change() -> None:
    at = toolbox()
    now = {"id": "proj_sails", "name": "", "customer": "", "status": "active", "team": []}
    at.line.plan["/projects/status/update"] = [400]
    request = company.Req_UpdateProjectStatus(id="proj_sails", status="active")
    with pytest.raises(Refused):
        at.session.write(request, {RECORD: now})
    assert at.session.facts.changed == []


def test_a_refused_change_of_what_does_not_exist_is_refused() -> None:
    at = toolbox()
    with pytest.raises(Refused):
        at.session.write(company.Req_UpdateProjectStatus(id="proj_none", status="paused"))
    (change,) = at.session.facts.changes
    assert change.outcome == "refused"


@pytest.mark.promise("no wrong write")
@pytest.mark.parametrize("path", CHANGES)
def test_a_change_that_cannot_be_settled_is_not_sent_again(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = toolbox()
    name, arguments = CHANGES[path]
    reads = {
        "/employees/update": "/employees/get",
        "/time/log": "/time/search",
        "/time/update": "/time/get",
        "/wiki/update": "/wiki/load",
    }
    read = reads.get(path, "/projects/get")
    # What comes before the change is answered, and nothing after it.
    clock = iter(range(0, 10**6, 60))
    monkeypatch.setattr(retry_policy, "now", lambda: next(clock))
    dispatch = at.line.dispatch

    def failing(request: Any) -> Any:
        if path in at.line.paths() and request.tool == read:
            raise OSError("connection lost")
        return dispatch(request)

    monkeypatch.setattr(at.line, "dispatch", failing)
    at.line.plan[path] = ["after"]
    with pytest.raises(ToolFault, match="not known"):
        at.call(name, **arguments)
    assert [c.outcome for c in at.session.facts.changes] == ["unknown"]
    monkeypatch.setattr(at.line, "dispatch", dispatch)
    if path == "/time/log":
        assert "sent before" in again(at, (name, arguments))
    elif path == "/employees/update":
        assert "as they shall be" in again(at, (name, arguments))
    else:
        with suppress(ToolFault):  # what is as asked already is not sent
            at.call(name, **arguments)
    assert at.line.paths(path) == [path]
    assert len(at.line.events) == EVENTS[path]


@pytest.mark.promise("no wrong write")
def test_logged_time_is_told_from_an_entry_like_it_that_was_there_before() -> None:
    at = toolbox()
    at.line.plan["/time/log"] = ["before"]
    made = at.data(*LOG[:1], **LOG[1])["entry"]
    assert made["id"] == "te_004"
    assert at.line.paths("/time/log") == ["/time/log"] * 2


@pytest.mark.promise("no wrong write")
@pytest.mark.parametrize("searches", [[None, 400], [None, *[502] * 40]])
def test_other_hours_wait_until_it_is_known_what_became_of_the_first(searches: list[Any]) -> None:
    at = toolbox()
    other = LOG[0], LOG[1] | {"notes": "again"}
    at.line.plan = {"/time/log": ["after"], "/time/search": searches}
    assert "is not known" in again(at, LOG)
    at.line.plan = {"/time/search": [502] * 40}
    assert "is not known" in again(at, other)
    at.line.plan = {}
    assert "took effect after all" in again(at, other)
    assert len(at.line.events) == 1
    assert [change.outcome for change in at.session.facts.changes] == ["done"]
    at.call(other[0], **other[1])
    assert len(at.line.events) == 2


@pytest.mark.promise("no wrong write")
def test_other_hours_wait_while_the_first_may_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    at = toolbox()
    at.line.plan = {"/time/log": ["before"] * 400}
    assert at.call(LOG[0], **LOG[1])["success"] is False
    body = at.line.sent[[path for path, _ in at.line.sent].index("/time/log")][1]
    waited: list[float] = []

    def rest(seconds: float) -> None:
        if not waited:
            at.line.platform.call(at.line.task, "/time/log", body)
        waited.append(seconds)

    monkeypatch.setattr(retry_policy, "rest", rest)
    monkeypatch.setattr(retry_policy, "now", lambda: sum(waited))
    at.line.plan = {}
    assert "took effect after all" in again(at, (LOG[0], LOG[1] | {"notes": "again"}))
    assert sum(waited) == LATE_SECONDS
    assert len(at.line.events) == 1


@pytest.mark.promise("no wrong write")
def test_the_same_change_is_refused_a_second_time() -> None:
    at = toolbox()
    at.call(LOG[0], **LOG[1])
    assert "sent before" in again(at, LOG)
    assert at.line.paths("/time/log") == ["/time/log"]
    for status in ("paused", "active"):
        at.call("Req_UpdateProjectStatus", id="proj_sails", status=status)
    assert "sent before" in again(at, PAUSE)


@pytest.mark.promise("no wrong write")
def test_a_step_is_not_made_twice() -> None:
    at = toolbox()
    step: Call = (
        PERSON,
        {"employee": "una_holm", "salary_delta": 10, "skill_deltas": {"skill_sewing": 1}},
    )
    at.call(step[0], **step[1])
    assert "as they shall be" in again(at, step)
    assert len(at.line.events) == 2


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        (PERSON, {"employee": "una_berg", "salary": 51_000}),
        (PERSON, {"employee": "una_berg"}),
        (PERSON, {"employee": "una_berg", "wills": {"travel": 4}}),
        (
            TEAM,
            {"project": "proj_sails", "change": [{"employee": "una_berg", "time_slice": 0.5}]},
        ),
        (ENTRY, {"id": "te_001", "status": "draft"}),
        ("Req_UpdateProjectStatus", {"id": "proj_sails", "status": "active"}),
    ],
)
def test_nothing_is_sent_where_nothing_changes(name: str, arguments: dict[str, Any]) -> None:
    at = toolbox()
    answer = at.call(name, **arguments)
    effect = data_of(answer) if "results" in answer else answer
    assert (effect["before"], effect["sent"], effect["after"]) == (None, None, None)
    assert at.session.facts.changes == []
    assert at.line.events == []


@pytest.mark.parametrize("nulls", ["keep", "clear"])
def test_an_update_changes_what_it_says_and_nothing_else(nulls: str) -> None:
    at = toolbox(null_scalars=nulls)
    answer = at.call(PERSON, employee="una_berg", skills={"cutting": "7"})
    (row,) = answer["results"]
    assert row["data"]["sent"] == row["data"]["after"] == {"skills": {"skill_cutting": 7}}
    assert row["data"]["before"] == {"skills": {"skill_cutting": 6}}
    assert row["primary"] == "una_berg"
    ((kind, event),) = at.line.events
    assert kind == "Evt_EmployeeSkillsUpdated"
    assert (event["skills"], event["wills"]) == ({"skill_cutting": 7}, {})
    assert at.call("Req_GetEmployee", id="una_berg")["employee"]["notes"] == "likes wind"


UNA, SAILS = {"employee": "una_holm"}, {"project": "proj_sails"}
BY_HOW_MUCH: list[Call] = [
    (PERSON, {**UNA, "salary": "+250"}),
    (PERSON, {**UNA, "skills": {"skill_sewing": "+1"}}),
    (PERSON, {**UNA, "wills": [{"name": "will_travel", "level": "+1"}]}),
    ("Req_UpdateEmployeeInfo", {**UNA, "salary": "+250"}),
    (ENTRY, {"id": "te_001", "hours": "+0.5"}),
    (TEAM, {**SAILS, "change": [{"employee": "una_berg", "time_slice": "+10%"}]}),
    (
        "Combo_Make_Changes_For_List",
        {"changes": [{"tool": PERSON, "arguments": {**UNA, "salary": "+250"}}]},
    ),
]
NOT_MEANT: list[tuple[Call, str]] = [
    ((PERSON, {**UNA, "skill_deltas": {"skill_sewing": 3}}), "would be 11"),
    ((PERSON, {**UNA, "skills": ["skill_sewing"]}), "would be 0"),
    ((PERSON, {**UNA, "skill_deltas": {"skill_dyeing": 1}}), "nobody has the skill"),
    ((PERSON, {"employee": "una_berg", "will_deltas": {"will_travel": -5}}), "would be -1"),
    ((PERSON, {**UNA, "salary": 1, "salary_delta": 1}), "not both"),
    ((PERSON, {**UNA, "salary_delta": -60_000}), "not below 0"),
    ((PERSON, {**UNA, "location": "  "}), "must not be empty"),
    ((TEAM, {**SAILS, "remove": "una_holm"}), "is not on the team"),
    ((TEAM, {**SAILS, "change": [{**UNA, "role": "QA"}]}), "use add"),
    ((TEAM, {**SAILS, "add": [{**UNA, "role": "QA"}]}), "needs role and time_slice"),
    (
        (TEAM, {**SAILS, "add": [{"employee": "una_berg", "role": "QA", "time_slice": 1}]}),
        "use change",
    ),
]


@pytest.mark.promise("no wrong write")
@pytest.mark.parametrize(
    ("change", "said"),
    [*((change, "by how much") for change in BY_HOW_MUCH), *NOT_MEANT],
    ids=lambda one: one if isinstance(one, str) else f"{one[0]} {[*one[1]][-1]}",
)
def test_a_change_that_cannot_be_meant_is_refused(change: Call, said: str) -> None:
    """What says by how much never becomes the value itself."""
    at = toolbox()
    assert said in again(at, change)
    assert at.line.events == []


def test_an_argument_for_a_step_takes_a_plus_sign() -> None:
    at = toolbox()
    before = at.call("Req_GetEmployee", id="una_holm")["employee"]["salary"]
    sent = at.data(PERSON, **UNA, salary_delta="+250", skill_deltas={"skill_sewing": "+1"})["sent"]
    assert sent["salary"] == before + 250


def test_a_team_is_sent_whole() -> None:
    at = toolbox()
    at.call(
        TEAM,
        project="Bright Sails",
        change=[{"Employee": "una_berg", "TimeSlice": "40%"}],
        add={"employeeId": "Una Holm", "role": "qa", "time_slice": 30},
    )
    ((_, event),) = at.line.events
    assert event["team"] == [
        {"employee": "juergen_mueller", "time_slice": 0.3, "role": "Engineer"},
        {"employee": "una_berg", "time_slice": 0.4, "role": "Lead"},
        {"employee": "una_holm", "time_slice": 0.3, "role": "QA"},
    ]


def test_time_is_logged_with_the_projects_customer_and_by_who_asks() -> None:
    at = toolbox()
    answer = at.data(
        "Combo_Log_Time_For_Project",
        employee="juergen_mueller",
        project="proj_sails",
        date="5.5.2025",
        hours="3",
        billable="true",
    )
    assert answer["roles_of_employee"] == ["Engineer"]
    assert answer["roles_of_asker"] == ["Lead"]
    ((_, event),) = at.line.events
    assert (event["customer"], event["date"]) == ("cust_school", "2025-05-05")
    assert (event["logged_by"], event["status"]) == ("una_berg", "draft")


def test_time_on_an_own_project_names_no_customer() -> None:
    at = toolbox()
    insisted = {"project": "proj_own", "allow_non_member": True}
    answer = at.data(*LOG[:1], **LOG[1] | insisted)
    assert (answer["entry"]["customer"], answer["entry"]["work_category"]) == ("", "internal")


@pytest.mark.parametrize("name", ["Combo_Log_Time_For_Project", "Req_LogTimeEntry"])
def test_hours_of_a_non_member_are_not_sent_unless_insisted_on(name: str) -> None:
    at = toolbox()
    entry = {"employee": "una_holm", "project": "proj_sails", "date": "2025-05-02"}
    entry |= {"hours": 2, "billable": True}
    if name.startswith("Req_"):
        entry |= {"work_category": "x", "notes": "", "status": "draft"}
    said = again(at, (name, entry))
    assert "una_holm is not on the team of proj_sails (una_berg, juergen_mueller)" in said
    assert at.line.paths("/time/log") == []
    insisted = LOG[1] | {"employee": "una_holm", "allow_non_member": True}
    made = at.data("Combo_Log_Time_For_Project", **insisted)
    assert (made["entry"]["employee"], made["roles_of_employee"]) == ("una_holm", [])


@pytest.mark.parametrize("name", [PERSON, "Req_UpdateEmployeeInfo"])
@pytest.mark.parametrize(
    ("said", "stored"),
    [("attic LOFT ", "Attic – Loft"), ("Harbour – Oslo", "Harbour – Oslo")],
)
def test_place_and_department_of_a_person_can_be_changed(name: str, said: str, stored: str) -> None:
    there = person("al_loft", "Al Loft", location="Attic – Loft")
    at = toolbox(kites(employees=[*kites()["employees"], there, person("bo_loft", "Bo Loft")]))
    at.call(name, employee="bo_loft", location=said, department="Design")
    ((kind, event),) = at.line.events
    assert (kind, event["employee"]) == ("Evt_EmployeeInfoUpdated", "bo_loft")
    assert event["changes"] == {"location": stored, "department": "Design"}


def test_an_entry_is_voided_without_touching_its_hours() -> None:
    at = toolbox()
    at.call(ENTRY, id="te_001", status="Voided")
    ((kind, event),) = at.line.events
    assert kind == "Evt_TimeEntryStatusChanged"
    assert event == {"id": "te_001", "status": "voided", "changed_by": "una_berg"}


def test_a_page_is_renamed_byte_for_byte() -> None:
    text = "# A\r\n\n ä – 'b'  \n\n"
    at = toolbox(kites(wiki={"a.md": text}))
    answer = at.data("Combo_Rename_Wiki_Page", old="a.md", new="b/c.md")
    assert [(e["file"], e["content"]) for _, e in at.line.events] == [
        ("b/c.md", text),
        ("a.md", ""),
    ]
    assert answer["sha1_before"] != answer["sha1_after"]
    # The pages of the new version are known without a look.
    at.line.sent.clear()
    assert at.data("Combo_Read_Wiki_Pages") == text
    assert at.line.sent == []
    assert at.session.read(company.Req_WhoAmI()).wiki_sha1 == answer["sha1_after"]


def test_pages_that_are_as_asked_are_not_written() -> None:
    at = toolbox()
    pages = {"places/Bergen.md": "We sew in Bergen.\nRent is due monthly.\n", "gone.md": ""}
    answer = at.call("Combo_Write_Wiki_Pages", pages=pages)
    assert [(row["primary"], row["data"]["written"]) for row in answer["results"]] == [
        (file, False) for file in pages
    ]
    assert at.line.paths("/wiki/update") == []
    with pytest.raises(ToolFault, match=r"there is a page 'rules\.md' already"):
        at.call("Combo_Rename_Wiki_Page", old="places/Bergen.md", new="rules.md")
