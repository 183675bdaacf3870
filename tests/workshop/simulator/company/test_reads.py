"""People, customers, projects: pages, nulls, ids that are not there, what each filter sees."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workshop.simulator.company.bakery import SiteOf, Visit, bakery, person, scenario
from workshop.simulator.company.world import paged
from workshop.simulator.world import Refusal

PAGE = {"offset": 0, "limit": 5}
MARA = {
    "id": "mara",
    "name": "Mara Voss",
    "email": "mara@rye.example",
    "salary": 48000,
    "location": "Lund",
    "department": "Bakery",
}
LISTS = {
    "/employees/list": "employees",
    "/employees/search": "employees",
    "/customers/list": "companies",
    "/customers/search": "companies",
    "/projects/list": "projects",
    "/projects/search": "projects",
    "/time/search": "entries",
}


def ids(answer: dict[str, Any], field: str) -> list[str]:
    return [one["id"] for one in answer[field] or ()]


def test_whoami_of_an_employee_and_of_a_guest(site_of: SiteOf) -> None:
    site = site_of(
        scenario(), scenario(spec_id="guest", user=None), scenario(spec_id="x", whoami_status=404)
    )
    who = site.visit().ask("/whoami")
    sha1 = who.pop("wiki_sha1")
    assert len(sha1) == 40
    assert who == {
        "current_user": "mara",
        "is_public": False,
        "location": "Lund",
        "department": "Bakery",
        "today": "2025-05-06",
    }
    assert site.visit("guest").ask("/whoami") == {
        "current_user": "",
        "is_public": True,
        "location": "",
        "department": "",
        "today": "2025-05-06",
        "wiki_sha1": sha1,
    }
    assert site.visit("x").refused("/whoami") == (404, "Not found")


@pytest.mark.parametrize(("path", "field"), LISTS.items())
def test_a_page_has_five_at_most(visit: Visit, path: str, field: str) -> None:
    assert visit.refused(path, offset=0, limit=10) == (400, "page limit exceeded: 10 > 5")
    assert visit.refused(path, offset=0, limit=-1)[0] == 400
    assert visit.refused(path, offset=-1, limit=1)[0] == 400
    first = visit.ask(path, offset=0, limit=1)
    assert (len(first[field]), first["next_offset"]) == (1, 1)
    assert visit.ask(path)[field] is None
    assert visit.ask(path)["next_offset"] == 0
    assert visit.refused(path, offset=99, limit=5)[0] == 500


def test_pages_are_followed_to_the_end(visit: Visit) -> None:
    found, offset = [], 0
    while offset != -1:
        page = visit.ask("/employees/list", offset=offset, limit=5)
        found += ids(page, "employees")
        offset = page["next_offset"]
    assert found == ["mara", "ben", "cleo", *(f"zz_{n}" for n in range(7))]
    assert visit.ask("/employees/list", offset=5, limit=5)["next_offset"] == -1
    at_the_end = {"employees": None, "next_offset": -1}
    assert visit.ask("/employees/list", offset=10, limit=5) == at_the_end
    assert visit.ask("/employees/search", offset=10, limit=5) == at_the_end
    assert visit.ask("/time/search", offset=3, limit=5)["entries"] is None
    status, text = visit.refused("/employees/list", offset=11, limit=5)
    assert (status, "simulated" in text) == (500, True)


@pytest.mark.parametrize(("limit", "asked"), [(4, 5), (2, 3), (-1, 1)])
def test_a_task_may_have_another_limit(site_of: SiteOf, limit: int, asked: int) -> None:
    visit = site_of(scenario(page_limit=limit)).visit()
    for path in LISTS:
        text = f"page limit exceeded: {asked} > {limit}"
        assert visit.refused(path, offset=0, limit=asked) == (400, text)
    if limit == -1:
        text = "page limit exceeded: 0 > -1"
        assert [visit.refused(path) for path in LISTS] == [(400, text)] * len(LISTS)
        assert visit.ask("/employees/get", id="mara")["employee"]["name"] == "Mara Voss"


@given(st.integers(0, 30), st.integers(1, 7), st.integers(1, 7))
def test_whoever_follows_next_offset_sees_all_once(total: int, limit: int, largest: int) -> None:
    limit = min(limit, largest)
    rows, seen, offset = list(range(total)), [], 0
    while offset != -1:
        page, following = paged(rows, offset, limit, largest)
        assert following == -1 or following == offset + len(page) < total
        seen += page
        offset = following
    assert seen == rows
    assert paged(rows, total, limit, largest) == ([], -1)
    with pytest.raises(Refusal) as caught:
        paged(rows, total + 1, limit, largest)
    assert caught.value.status == 500


def test_records_as_lists_and_get_show_them(visit: Visit) -> None:
    assert visit.ask("/employees/search", query="mara", **PAGE)["employees"] == [MARA]
    assert visit.ask("/employees/get", id="mara")["employee"] == {
        **MARA,
        "notes": "",
        "skills": [{"name": "skill_dough", "level": 6}, {"name": "skill_oven", "level": 3}],
        "wills": [{"name": "will_dawn", "level": 8}],
    }
    ben = visit.ask("/employees/get", id="ben")["employee"]
    assert (ben["skills"], ben["wills"]) == (None, None)
    brief = {
        "id": "cust_inn",
        "name": "Harbour Inn",
        "location": "Sweden",
        "deal_phase": "active",
        "high_level_status": "New",
    }
    assert visit.ask("/customers/list", **PAGE)["companies"][0] == brief
    assert visit.ask("/customers/get", id="cust_inn") == {
        "company": {
            **brief,
            "brief": "bread every morning",
            "primary_contact_name": "Ida Berg",
            "primary_contact_email": "ida@inn.example",
            "account_manager": "mara",
        },
        "found": True,
    }
    brief = {
        "id": "proj_rolls",
        "name": "Rolls at Dawn",
        "customer": "cust_inn",
        "status": "active",
    }
    assert visit.ask("/projects/search", query="rolls a", **PAGE)["projects"] == [brief]
    found = visit.send("/projects/get", id="proj_rolls")
    assert found.json() == {
        "project": {
            **brief,
            "description": "rolls before six",
            "team": [
                {"employee": "mara", "time_slice": 0.5, "role": "Lead"},
                {"employee": "ben", "time_slice": 1, "role": "QA"},
            ],
        },
        "found": True,
    }
    assert '"time_slice":1,' in found.text
    assert visit.ask("/projects/get", id="proj_own")["project"]["team"] is None


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/employees/list", "next_offset employees"),
        ("/employees/search", "next_offset employees"),
        ("/customers/list", "next_offset companies"),
        ("/customers/search", "companies next_offset"),
        ("/projects/list", "next_offset projects"),
        ("/projects/search", "projects next_offset"),
        ("/time/search", "entries next_offset total_hours total_billable total_non_billable"),
        ("/wiki/list", "sha1 paths"),
        ("/whoami", "current_user is_public location department today wiki_sha1"),
    ],
)
def test_the_order_of_the_fields_of_an_answer(visit: Visit, path: str, fields: str) -> None:
    assert list(visit.ask(path, **PAGE)) == fields.split()


@pytest.mark.parametrize(
    ("path", "id_", "record", "fields"),
    [
        (
            *("/employees/get", "mara", "employee"),
            "id name email salary notes location department skills wills",
        ),
        (
            *("/customers/get", "cust_inn", "company"),
            "id name brief location primary_contact_name primary_contact_email deal_phase "
            "high_level_status account_manager",
        ),
        (
            *("/projects/get", "proj_rolls", "project"),
            "id name description customer status team",
        ),
        (
            *("/time/get", "te_007", "entry"),
            "employee customer project date hours work_category notes billable status",
        ),
    ],
)
def test_the_order_of_the_fields_of_a_record(
    visit: Visit, path: str, id_: str, record: str, fields: str
) -> None:
    assert list(visit.ask(path, id=id_)[record]) == fields.split()


def test_ids_that_nobody_has(visit: Visit) -> None:
    assert visit.ask("/projects/get", id="nobody") == {"project": None, "found": False}
    for path in ("/employees/get", "/customers/get", "/time/get"):
        assert visit.refused(path, id="nobody") == (404, "Not found")
    assert visit.refused("/customers/get", id="cust_rye_internal") == (404, "Not found")
    assert visit.refused("/wiki/load", file="nobody.md") == (404, "Not found")


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"query": "VOSS"}, ["mara", "cleo"]),
        ({"query": "Voss Mara"}, []),
        ({"query": "astrom"}, []),
        ({"query": "åSTR"}, ["ben"]),
        ({"query": "ben@rye"}, ["ben"]),
        ({"query": "zz_3"}, ["zz_3"]),
        ({"query": "voss\0mara"}, []),
        ({"location": "HQ – Malmö"}, ["ben"]),
        ({"location": "HQ - Malmö"}, []),
        ({"location": "hq – malmö"}, []),
        ({"department": "Sales", "location": "Lund"}, []),
        ({"manager": "mara"}, []),
        ({"skills": [{"name": "skill_dough", "min_level": 6}]}, ["mara", "cleo"]),
        ({"skills": [{"name": "skill_dough", "min_level": 7}]}, ["cleo"]),
        ({"skills": [{"name": "skill_dough", "min_level": 1, "max_level": 6}]}, ["mara"]),
        ({"skills": [{"name": "skill_dough", "max_level": 0}]}, ["mara", "cleo"]),
        ({"wills": [{"name": "will_dawn", "min_level": None, "max_level": None}]}, ["mara"]),
        ({"skills": [{"name": "skill_dough"}, {"name": "skill_oven"}]}, ["mara"]),
        ({"skills": [{"name": "skill_dough"}], "wills": [{"name": "will_dawn"}]}, ["mara"]),
    ],
)
def test_searches_for_people(visit: Visit, filters: dict[str, Any], found: list[str]) -> None:
    answer = visit.ask("/employees/search", **filters, **PAGE)
    assert ids(answer, "employees") == found
    assert answer["next_offset"] == -1
    assert bool(found) == (answer["employees"] is not None)


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({}, ["proj_rolls", "proj_own"]),
        ({"include_archived": True}, ["proj_rolls", "proj_old", "proj_own"]),
        ({"query": "dawn"}, ["proj_rolls", "proj_own"]),
        ({"query": "proj_own"}, []),
        ({"query": "cust_inn"}, []),
        ({"customer_id": "cust_inn"}, ["proj_rolls"]),
        ({"customer_id": "cust_rye_internal"}, ["proj_own"]),
        ({"status": ["archived"], "include_archived": True}, ["proj_old"]),
        ({"status": ["paused", "active"]}, ["proj_rolls", "proj_own"]),
        ({"team": {"employee_id": "mara"}, "include_archived": True}, ["proj_rolls", "proj_old"]),
        ({"team": {"role": "QA"}}, ["proj_rolls"]),
        ({"team": {"employee_id": "mara", "role": "QA"}}, []),
        ({"team": {"employee_id": "mara", "role": "Lead"}}, ["proj_rolls"]),
        ({"team": {"employee_id": "mara", "min_time_slice": 0.6}}, []),
        ({"team": {"min_time_slice": 0.6}}, ["proj_rolls"]),
        ({"team": {"role": "", "min_time_slice": None}}, ["proj_rolls", "proj_own"]),
    ],
)
def test_searches_for_projects(visit: Visit, filters: dict[str, Any], found: list[str]) -> None:
    assert ids(visit.ask("/projects/search", **filters, **PAGE), "projects") == found


def test_the_list_of_projects_shows_archived_ones(visit: Visit) -> None:
    listed = visit.ask("/projects/list", **PAGE)
    assert ids(listed, "projects") == ["proj_rolls", "proj_old", "proj_own"]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({}, ["cust_inn", "cust_spa"]),
        ({"query": "BREAD"}, ["cust_inn"]),
        ({"query": "spa"}, ["cust_spa"]),
        ({"query": "norway"}, []),
        ({"query": "ida"}, []),
        ({"deal_phase": ["idea", "paused"]}, ["cust_spa"]),
        ({"locations": ["Norway", "sweden"]}, ["cust_spa"]),
        ({"account_managers": ["mara"], "deal_phase": ["active"]}, ["cust_inn"]),
        ({"account_managers": ["ben"]}, []),
    ],
)
def test_searches_for_customers(visit: Visit, filters: dict[str, Any], found: list[str]) -> None:
    assert ids(visit.ask("/customers/search", **filters, **PAGE), "companies") == found


def test_records_are_served_in_the_order_of_the_pack(site_of: SiteOf) -> None:
    people = [person("mara", "M"), person("zoe", "Z"), person("ann", "A")]
    companies = {"rye": bakery(employees=people, projects=[], time_entries=[])}
    visit = site_of(companies=companies).visit()
    assert ids(visit.ask("/employees/list", **PAGE), "employees") == ["mara", "zoe", "ann"]
    assert ids(visit.ask("/employees/search", **PAGE), "employees") == ["mara", "zoe", "ann"]
    assert visit.ask("/projects/list", **PAGE) == {"projects": None, "next_offset": -1}
    assert visit.ask("/projects/search", **PAGE) == {"projects": None, "next_offset": -1}


def test_the_task_may_be_called_under_five_roots(visit: Visit) -> None:
    for root in ("erc3-dev", "erc3", "company", "erc3-test", "erc3-prod"):
        answer = visit.post(f"/{root}/{visit.task_id}/whoami", tool="/whoami")
        assert answer.json()["current_user"] == "mara"
    assert visit.post(f"/store/{visit.task_id}/whoami").status_code == 404
    assert visit.refused("/products/list") == (404, "Not found")
