"""Writes: what they change, what they leave behind as events, and what they refuse."""

from __future__ import annotations

from typing import Any

import pytest

from tests.workshop.simulator.company.bakery import (
    Site,
    SiteOf,
    Visit,
    entry,
    level,
    member,
    scenario,
)

ENTRY = {
    name: value for name, value in entry("te_007").items() if name not in ("employee", "customer")
}
BY = {"changed_by": "mara"}


def test_anybody_may_do_anything(site_of: SiteOf) -> None:
    """The API knows no permission: a guest reads salaries and writes everything."""
    site = site_of(scenario(user=None), scenario(spec_id="ben", user="ben"))
    for spec_id in ("ask", "ben"):
        visit = site.visit(spec_id)
        page = {"offset": 0, "limit": 5}
        assert visit.ask("/employees/list", **page)["employees"][0]["salary"] == 48_000
        visit.ask("/employees/update", employee="mara", salary=1, notes="owned", **BY)
        visit.ask("/projects/team/update", id="proj_rolls", team=[], **BY)
        visit.ask("/projects/status/update", id="proj_rolls", status="archived", **BY)
        visit.ask("/time/log", employee="cleo", date="2025-05-06", hours=24, logged_by="cleo")
        visit.ask("/time/update", **ENTRY | {"status": "approved"}, **BY)
        visit.ask("/wiki/update", file="rules.md", content="", **BY)
        for path in ("/time/search", "/customers/list", "/projects/list"):
            assert visit.ask(path, **page)["next_offset"] == -1
        assert len(site.acts(visit)) == 7


def test_an_employee_is_changed_field_by_field(site: Site, visit: Visit) -> None:
    after = visit.ask(
        "/employees/update",
        employee="mara",
        notes="on leave",
        salary=50_000,
        skills=[level("skill_oven", 4), level("skill_cake", 2)],
        location="Malmö",
        changed_by="ben",
    )["employee"]
    assert after == visit.ask("/employees/get", id="mara")["employee"]
    assert (after["notes"], after["salary"], after["location"]) == ("on leave", 50_000, "Malmö")
    assert after["skills"] == [level("skill_oven", 4), level("skill_cake", 2)]
    assert after["wills"] == [level("will_dawn", 8)]
    brief = visit.ask("/employees/search", query="mara", offset=0, limit=1)["employees"][0]
    assert brief == {name: after[name] for name in brief}
    found = visit.ask("/employees/search", skills=[{"name": "skill_cake"}], offset=0, limit=1)
    assert found["employees"][0]["id"] == "mara"
    who = {"employee": "mara", "changed_by": "ben"}
    skills = {"skill_dough": None, "skill_oven": 4, "skill_cake": 2}
    assert site.acts(visit) == [
        ("Evt_EmployeeSkillsUpdated", {**who, "skills": skills, "wills": {}}),
        ("Evt_EmployeeNoteUpdated", {**who, "notes": "on leave"}),
        ("Evt_EmployeeSalaryUpdated", {**who, "salary": 50_000}),
        ("Evt_EmployeeInfoUpdated", {**who, "changes": {"location": "Malmö"}}),
    ]


def test_tasks_do_not_see_each_other(site: Site) -> None:
    one, other = site.visit(), site.visit()
    one.ask("/employees/update", employee="mara", salary=1)
    one.ask("/projects/status/update", id="proj_rolls", status="paused")
    one.ask("/time/log", employee="mara", date="2025-05-06", hours=1)
    one.ask("/wiki/update", file="new.md", content="x")
    assert other.ask("/employees/get", id="mara")["employee"]["salary"] == 48_000
    assert other.ask("/projects/get", id="proj_rolls")["project"]["status"] == "active"
    assert other.refused("/time/get", id="te_051")[0] == 404
    assert "new.md" not in other.ask("/wiki/list")["paths"]
    assert site.acts(other) == []


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/employees/update", {"employee": "mara"}),
        ("/employees/update", {"employee": "mara", "notes": None, "skills": [], "wills": None}),
        ("/employees/update", {"employee": "mara", "salary": 48_000, "notes": "", **BY}),
        (
            "/employees/update",
            {"employee": "mara", "skills": [level("skill_oven", 3), level("skill_dough", 6)]},
        ),
        ("/projects/status/update", {"id": "proj_rolls", "status": "active"}),
        (
            "/projects/team/update",
            {"id": "proj_rolls", "team": [member("ben", 1.0, "QA"), member("mara", 0.5, "Lead")]},
        ),
        ("/projects/team/update", {"id": "proj_own", "team": []}),
        ("/time/update", ENTRY),
        ("/time/update", ENTRY | {"status": ""}),
        ("/wiki/update", {"file": "a/places.md", "content": "Lund\nMalmö\n"}),
        ("/wiki/update", {"file": "nobody.md", "content": ""}),
    ],
)
def test_a_call_that_changes_nothing_leaves_no_event(
    site: Site, visit: Visit, path: str, body: dict[str, Any]
) -> None:
    before = visit.ask("/whoami")
    visit.ask(path, **body)
    assert site.acts(visit) == []
    assert visit.ask("/whoami") == before


def test_nulls_may_clear_instead(site_of: SiteOf) -> None:
    patch = {"employees": {"mara": {"notes": "keep me"}}}
    site = site_of(
        scenario(patch=patch), scenario(spec_id="clear", patch=patch, null_scalars="clear")
    )
    kept, cleared = (
        site.visit(one).ask("/employees/update", employee="mara", salary=7)["employee"]
        for one in ("ask", "clear")
    )
    assert (kept["notes"], kept["department"], kept["salary"]) == ("keep me", "Bakery", 7)
    assert (cleared["notes"], cleared["department"], cleared["salary"]) == ("", "", 7)
    assert cleared["skills"] == kept["skills"]


def test_a_new_team_takes_the_place_of_the_whole_old_one(site: Site, visit: Visit) -> None:
    team = [member("cleo", 0.2, "Lead"), member("ben", 1, "QA")]
    assert visit.ask("/projects/team/update", id="proj_rolls", team=team, **BY) == {}
    by_id = team[::-1]
    assert visit.ask("/projects/get", id="proj_rolls")["project"]["team"] == by_id
    assert site.acts(visit) == [
        ("Evt_ProjectTeamUpdated", {"id": "proj_rolls", "team": by_id, **BY})
    ]
    visit.ask("/projects/team/update", id="proj_rolls", team=[])
    assert visit.ask("/projects/get", id="proj_rolls")["project"]["team"] is None
    assert site.acts(visit)[1][1] == {"id": "proj_rolls", "team": [], "changed_by": ""}


def test_a_status(site: Site, visit: Visit) -> None:
    assert visit.ask("/projects/status/update", id="proj_rolls", status="paused") == {}
    assert visit.ask("/projects/get", id="proj_rolls")["project"]["status"] == "paused"
    event = {"id": "proj_rolls", "status": "paused", "changed_by": ""}
    assert site.acts(visit) == [("Evt_ProjectStatusChanged", event)]


def test_booking_hours(site: Site, visit: Visit) -> None:
    sent = visit.send(
        "/time/log", employee="ben", project="proj_rolls", date="2025-05-05", hours=3.0
    )
    recorded_to = {
        "id": "te_051",
        "employee": "ben",
        "customer": "",
        "project": "proj_rolls",
        "date": "2025-05-05",
        "hours": 3,
        "work_category": "",
        "notes": "",
        "billable": False,
        "status": "draft",
    }
    assert sent.json() == recorded_to
    assert '"hours":3,' in sent.text
    second = visit.ask(
        "/time/log",
        employee="ben",
        date="2025-05-05",
        hours=0.25,
        status="void",
        logged_by="nobody",
    )
    assert (second["id"], second["status"], second["hours"]) == ("te_052", "void", 0.25)
    assert visit.ask("/time/get", id="te_052")["entry"]["status"] == "void"
    assert visit.ask("/time/search", status="void", offset=0, limit=1)["entries"] == [second]
    assert site.acts(visit) == [
        ("Evt_TimeEntryLogged", {**recorded_to, "logged_by": ""}),
        ("Evt_TimeEntryLogged", {**second, "logged_by": "nobody"}),
    ]


def test_the_first_entry_of_a_company(site_of: SiteOf) -> None:
    visit = site_of(scenario(patch={"time_entries": {f"te_{n:03}": None for n in (7, 8, 50)}}))
    ids = [
        visit.visit().ask("/time/log", employee="ben", date="2025-05-05", hours=1)["id"]
        for _ in range(2)
    ]
    assert ids == ["te_001"] * 2


def test_an_entry_is_sent_back_whole(site: Site, visit: Visit) -> None:
    assert visit.ask("/time/update", **ENTRY | {"status": "voided"}, **BY) == {}
    visit.ask("/time/update", **ENTRY | {"status": "draft", "hours": 4.0, "notes": "n"}, **BY)
    visit.ask("/time/update", id="te_008", date="2025-05-05", hours=1)
    assert site.acts(visit) == [
        ("Evt_TimeEntryStatusChanged", {"id": "te_007", "status": "voided", **BY}),
        (
            "Evt_TimeEntryUpdated",
            {"id": "te_007", "changes": {"hours": 4, "notes": "n", "status": "draft"}, **BY},
        ),
        (
            "Evt_TimeEntryUpdated",
            {"id": "te_008", "changes": {"work_category": ""}, "changed_by": ""},
        ),
    ]
    kept = visit.ask("/time/get", id="te_007")["entry"]
    assert (kept["employee"], kept["customer"], kept["hours"]) == ("mara", "cust_inn", 4)


def test_pages_are_made_replaced_and_deleted(site: Site, visit: Visit) -> None:
    text = visit.ask("/wiki/load", file="a/places.md")["content"]
    visit.ask("/wiki/update", file="b.md", content=text, **BY)
    visit.ask("/wiki/update", file="a/places.md", content="", **BY)
    visit.ask("/wiki/update", file="b.md", content="two\n")
    assert visit.ask("/wiki/list")["paths"] == ["b.md", "rules.md"]
    assert visit.ask("/wiki/search", query_regex="two|Lund")["results"] == [
        {"path": "b.md", "linum": 1, "content": "two\n"}
    ]
    assert site.acts(visit) == [
        ("Evt_WikiArticleUpdated", {"file": "b.md", "content": text, **BY}),
        ("Evt_WikiArticleUpdated", {"file": "a/places.md", "content": "", **BY}),
        ("Evt_WikiArticleUpdated", {"file": "b.md", "content": "two\n", "changed_by": ""}),
    ]
    company = site.simulator.platform.task(visit.task_id).world
    digests = [one for one in company.events if one.type == "Evt_WikiDigestUpdated"]
    assert digests[-1].fields == {"sha1": visit.ask("/whoami")["wiki_sha1"], "changed_by": ""}
    assert len(digests) == 3


def test_a_second_response_is_taken_and_the_task_goes_on(site: Site, visit: Visit) -> None:
    link = {"kind": "employee", "id": "nobody"}
    assert visit.ask("/respond", message="a", outcome="ok_answer", links=[link, link]) == {}
    assert visit.ask("/respond", outcome="ok_not_found") == {}
    visit.ask("/projects/status/update", id="proj_rolls", status="paused")
    assert site.acts(visit)[:2] == [
        ("ok_answer", (("employee", "nobody"), ("employee", "nobody"))),
        ("ok_not_found", ()),
    ]
    assert len(site.acts(visit)) == 3


LOG = {"employee": "mara", "date": "2025-05-05", "hours": 1}


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/employees/update", {"employee": "nobody", "salary": 1}, 404),
        ("/employees/update", {"employee": "mara", "salary": 1.5}, 400),
        ("/employees/update", {"employee": "mara", "salary": "48000"}, 400),
        ("/employees/update", {"employee": "mara", "skills": ["skill_dough"]}, 400),
        ("/employees/update", {"employee": "mara", "skills": [{"name": "skill_dough"}]}, 400),
        ("/employees/update", {"salary": 1}, 400),
        ("/projects/team/update", {"id": "nobody", "team": []}, 404),
        ("/projects/team/update", {"id": "proj_rolls", "team": [member("nobody", 1, "QA")]}, 404),
        ("/projects/team/update", {"id": "proj_rolls", "team": [member("ben", 1, "Boss")]}, 400),
        ("/projects/team/update", {"id": "proj_rolls"}, 400),
        ("/projects/status/update", {"id": "nobody", "status": "paused"}, 404),
        ("/projects/status/update", {"id": "proj_rolls", "status": "done"}, 400),
        ("/time/log", LOG | {"employee": "nobody"}, 404),
        ("/time/log", LOG | {"project": "nobody"}, 404),
        ("/time/log", LOG | {"customer": "cust_rye_internal"}, 404),
        ("/time/log", LOG | {"hours": -1}, 400),
        ("/time/log", LOG | {"date": "yesterday"}, 400),
        ("/time/log", {"employee": "mara"}, 400),
        ("/time/update", ENTRY | {"id": "nobody"}, 404),
        ("/time/update", ENTRY | {"hours": -0.5}, 400),
        ("/time/update", ENTRY | {"billable": "yes"}, 400),
        ("/wiki/update", {"file": "a.md"}, 400),
        ("/wiki/update", {"file": "", "content": "x"}, 400),
        ("/respond", {"message": "x", "outcome": "fine"}, 400),
        ("/respond", {"message": "x", "outcome": "ok_answer", "links": ["mara"]}, 400),
    ],
)
def test_a_refused_write_changes_nothing(
    site: Site, visit: Visit, path: str, body: dict[str, Any], status: int
) -> None:
    company = site.simulator.platform.task(visit.task_id).world
    tables = ("employees", "customers", "projects", "time_entries")
    before = [dict(getattr(company, name)) for name in tables], company.wiki
    found, text = visit.refused(path, **body)
    assert found == status
    assert text == "Not found" or text.startswith("invalid request: ")
    assert site.acts(visit) == []
    assert ([getattr(company, name) for name in tables], company.wiki) == before
