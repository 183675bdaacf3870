"""What a journal's entries tell of changes and of the answer, and how changes show in records."""

from __future__ import annotations

from typing import Any

import pytest

from company_tools.change import BEFORE, LOG_TIME, RECORD, RESPOND, WIKI_UPDATE
from company_tools.company_facts import CompanyFacts
from company_tools.endpoints import ENDPOINTS, entries_before, shown_entry
from company_tools.evidence import Memory
from core.erc3_client import company
from core.erc3_client.own import company_models as wire
from core.ledger import Intent, Resolved, WireCall
from core.tools.faults import OutOfReach
from tests.company_tools.kites import toolbox

ANSWER = {"message": "m", "outcome": "ok_answer", "links": []}
STATUS = "/projects/status/update"


def intent(path: str = RESPOND, **body: Any) -> Intent:
    return Intent(path=path, body=body or ANSWER, about={})


def call(outcome: str, path: str = RESPOND, **body: Any) -> WireCall:
    fields = {"path": path, "body": body or ANSWER, "kind": "write", "outcome": outcome}
    return WireCall.model_validate(fields)


def settled(took_effect: bool, **more: Any) -> Resolved:
    return Resolved(path=RESPOND, took_effect=took_effect, **more)


def folded(*entries: Any) -> CompanyFacts:
    facts = CompanyFacts(ENDPOINTS, Memory())
    for entry in entries:
        facts.take(entry)
    return facts


@pytest.mark.promise("no second answer")
@pytest.mark.parametrize(
    ("entries", "given", "pending"),
    [
        ([], 0, False),
        ([intent()], 0, True),
        ([intent(), call("unknown")], 0, True),
        ([intent(), call("failed")], 0, True),
        ([intent(), call("lost")], 0, True),
        ([intent(), call("done")], 1, False),
        ([intent(), settled(True)], 1, False),
        ([intent(), call("unknown"), settled(True)], 1, False),
        ([intent(), call("unknown"), settled(False)], 0, True),
        ([intent(), call("unknown"), settled(False, refused=True)], 0, False),
        ([intent(), call("unknown"), settled(False), intent(), call("done")], 1, False),
        ([intent(), call("unknown"), settled(False), settled(True)], 1, False),
    ],
)
def test_what_the_entries_tell_of_the_answer(entries: list[Any], given: int, pending: bool) -> None:
    facts = folded(*entries)
    assert len(facts.responses) == given
    assert (facts.pending is not None) == pending
    assert facts.changes == []


def test_a_page_that_was_written_may_be_named_whoever_wrote_it() -> None:
    body = {"file": "new.md", "content": "x", "changed_by": "una_berg"}
    written = folded(intent(WIKI_UPDATE, **body), call("done", WIKI_UPDATE, **body))
    assert written.memory.evidence.has("wiki", "new.md")
    assert written.wiki_moved
    lost = [intent(WIKI_UPDATE, **body), call("unknown", WIKI_UPDATE, **body)]
    assert not folded(*lost).memory.evidence.has("wiki", "new.md")
    found = folded(*lost, Resolved(path=WIKI_UPDATE, took_effect=True))
    assert found.memory.evidence.has("wiki", "new.md")


def test_reads_whose_answers_are_gone_are_kept_each_once() -> None:
    read = WireCall(path="/employees/get", body={"id": "a"}, kind="read", outcome="done")
    failed = read.model_copy(update={"outcome": "failed", "error": "page limit exceeded: 5 > 2"})
    facts = folded(read, read, failed)
    assert list(facts.lost_reads.values()) == [read]
    assert facts.listing.limit == 2


def test_the_last_of_equal_changes_stands_for_those_without_effect() -> None:
    body = {"id": "proj_sails", "status": "paused", "changed_by": "una_berg"}
    once = [intent(STATUS, **body), call("lost", STATUS, **body)]
    facts = folded(*once, *once, intent(STATUS, **body), call("done", STATUS, **body))
    (change,) = facts.changes
    assert (change.outcome, change.target) == ("done", "proj_sails")
    assert change.summary == "/projects/status/update proj_sails (done)"
    assert facts.changed == [change]


TEAM = [{"employee": "una_berg", "time_slice": 0.5, "role": "Lead"}]
UPDATES: dict[str, tuple[Any, dict[str, Any], dict[str, Any]]] = {
    "notes": (company.Req_UpdateEmployeeInfo, {"employee": "una_berg"}, {"notes": "new"}),
    "salary": (company.Req_UpdateEmployeeInfo, {"employee": "una_holm"}, {"salary": 1}),
    "skills": (
        company.Req_UpdateEmployeeInfo,
        {"employee": "una_berg"},
        {"skills": [{"name": "skill_sewing", "level": 1}]},
    ),
    "team": (company.Req_UpdateProjectTeam, {"id": "proj_sails"}, {"team": TEAM}),
    "status": (company.Req_UpdateProjectStatus, {"id": "proj_sails"}, {"status": "paused"}),
    "entry": (
        company.Req_UpdateTimeEntry,
        {
            "id": "te_001", "date": "2025-05-02", "work_category": "customer_project",
            "notes": "", "billable": True, "status": "draft",
        },
        {"hours": 7},
    ),
    "page": (company.Req_UpdateWiki, {"file": "rules.md"}, {"content": "new"}),
}  # fmt: skip


@pytest.mark.promise("no wrong write")
@pytest.mark.parametrize("what", UPDATES)
def test_a_change_shows_in_its_record_once_it_is_made(what: str) -> None:
    model, whose, wanted = UPDATES[what]
    at = toolbox()
    request = model(**whose, **wanted, changed_by="una_berg")
    look = ENDPOINTS[request.tool].look
    assert look is not None
    assert look(at.session, request, None) is None
    at.session.write(request)
    assert look(at.session, request, None) is not None
    at.line.plan = {path: ["before"] * 99 for path in ("/employees/get", "/projects/get")}
    at.line.plan |= {path: ["before"] * 99 for path in ("/time/get", "/wiki/load")}
    with pytest.raises(OutOfReach, match="whether it took effect is not known"):
        look(at.session, request, None)


def test_logged_time_shows_as_an_entry_that_was_not_there_before() -> None:
    at = toolbox()
    request = company.Req_LogTimeEntry(
        employee="una_berg", customer="cust_school", project="proj_sails", date="2025-05-02",
        hours=2.5, work_category="customer_project", notes="", billable=True, status="draft",
        logged_by="una_berg",
    )  # fmt: skip
    before = entries_before(at.session, request, None)
    assert before == {BEFORE: ["te_001"]}
    assert entries_before(at.session, request, {BEFORE: []}) == {BEFORE: []}
    assert shown_entry(at.session, request, before) is None
    at.session.write(request)
    shown = shown_entry(at.session, request, before)
    assert shown is not None
    assert shown.id == "te_004"
    assert shown_entry(at.session, request, None) is None
    at.line.plan["/time/search"] = [404]
    with pytest.raises(OutOfReach):
        shown_entry(at.session, request, before)
    assert ENDPOINTS[LOG_TIME].late_seconds > 0


def test_the_record_before_is_known_of_a_change_that_keeps_it() -> None:
    body = {"id": "proj_sails", "status": "paused"}
    kept = Intent(path=STATUS, body=body, about={RECORD: {"status": "active"}})
    (change,) = folded(kept).changes
    assert change.before == {"status": "active"}
    (other,) = folded(Intent(path=STATUS, body=body, about=None)).changes
    assert other.before is None


@pytest.mark.parametrize(("told", "limit"), [("5 > 3", 3), ("5 > 0", 0), ("5 > -1", None)])
def test_the_page_limit_is_learnt_from_a_refused_listing(told: str, limit: int | None) -> None:
    fields = {"path": "/projects/list", "body": {}, "kind": "read", "outcome": "failed"}
    error = f"page limit exceeded: {told}"
    assert folded(WireCall.model_validate({**fields, "error": error})).listing.limit == limit


@pytest.mark.parametrize("end", ["reply", "look"])
def test_a_change_makes_what_was_kept_of_its_kind_old(end: str) -> None:
    body = {"id": "proj_sails", "status": "paused"}
    facts = folded(intent(STATUS, **body), *[call("unknown", STATUS, **body)] * (end == "look"))
    for kind in ("projects", "employees"):
        facts.memory.kept((kind,), lambda: "kept")
    if end == "reply":
        facts.take(call("failed", STATUS, **body))
    else:
        facts.take(Resolved(path=STATUS, took_effect=True))
    assert (facts.memory.has("projects"), facts.memory.has("employees")) == (False, True)
    assert not facts.wiki_moved


def test_what_a_change_is_answered_with_was_shown() -> None:
    body = {"employee": "una_berg", "date": "2025-05-02"}
    facts = folded(intent(LOG_TIME, **body))
    made = wire.TimeEntryWithID.model_validate(
        {
            "id": "te_9", "employee": "una_berg", "date": "2025-05-02", "hours": 1.0,
            "work_category": "internal", "notes": "", "billable": False, "status": "draft",
        }
    )  # fmt: skip
    facts.take(call("done", LOG_TIME, **body), made)
    assert "te_9" in facts.memory.evidence.tokens
