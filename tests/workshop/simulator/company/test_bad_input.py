"""Bodies of every kind on all 24 paths: an error body or an answer, and nothing half done."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from tests.workshop.simulator.company.bakery import Site, Visit, entry, level, member, pack_of
from workshop.simulator.company.world import ROUTES
from workshop.simulator.server import serve

FIRST = {"offset": 0, "limit": 1}
PERIOD = {"date_from": "2025-01-01", "date_to": "2025-12-31"}
HOURS = entry("te_007")
VALID: dict[str, dict[str, Any]] = {
    "/whoami": {},
    "/respond": {"message": "m", "outcome": "ok_answer", "links": [{"kind": "wiki", "id": "x"}]},
    "/employees/list": FIRST,
    "/employees/search": {
        "query": "mara",
        "location": "Lund",
        "department": "",
        "manager": "",
        "skills": [{"name": "skill_dough", "min_level": 1, "max_level": 9}],
        "wills": [{"name": "will_dawn"}],
        **FIRST,
    },
    "/employees/get": {"id": "mara"},
    "/employees/update": {
        "employee": "mara",
        "notes": "n",
        "salary": 1,
        "skills": [level("skill_dough", 2)],
        "wills": [level("will_dawn", 2)],
        "location": "l",
        "department": "d",
        "changed_by": "mara",
    },
    "/customers/list": FIRST,
    "/customers/get": {"id": "cust_inn"},
    "/customers/search": {
        "query": "inn",
        "deal_phase": ["active"],
        "account_managers": ["mara"],
        "locations": ["Sweden"],
        **FIRST,
    },
    "/projects/list": FIRST,
    "/projects/get": {"id": "proj_rolls"},
    "/projects/search": {
        "query": "rolls",
        "customer_id": "cust_inn",
        "status": ["active"],
        "team": {"employee_id": "mara", "role": "Lead", "min_time_slice": 0.1},
        "include_archived": True,
        **FIRST,
    },
    "/projects/team/update": {"id": "proj_rolls", "team": [member("ben", 0.5, "QA")]},
    "/projects/status/update": {"id": "proj_rolls", "status": "paused", "changed_by": "ben"},
    "/time/log": {name: HOURS[name] for name in HOURS if name != "id"} | {"logged_by": "ben"},
    "/time/update": HOURS | {"changed_by": "ben"},
    "/time/get": {"id": "te_007"},
    "/time/search": {
        "employee": "mara",
        "customer": "",
        "project": "",
        "work_category": "",
        "billable": "billable",
        "status": "draft",
        **PERIOD,
        **FIRST,
    },
    "/time/summary/by-project": {"customers": [], "projects": [], "employees": [], **PERIOD},
    "/time/summary/by-employee": {"employees": ["mara"], "billable": "billable", **PERIOD},
    "/wiki/list": {},
    "/wiki/load": {"file": "rules.md"},
    "/wiki/search": {"query_regex": "draft|time"},
    "/wiki/update": {"file": "new.md", "content": "x", "changed_by": "ben"},
}
ANSWERS = {path: TypeAdapter(route.response) for path, route in ROUTES.items()}

texts = st.sampled_from(["", "mara", "te_007", "proj_rolls", "draft", "2025-01-01", "(", "\0", "é"])
numbers = st.integers() | st.integers(-2, 6) | st.sampled_from([10**30, -(10**30), 2**63])
leaves = st.none() | st.booleans() | numbers | st.floats(allow_nan=False) | texts | st.text()
fields = st.sampled_from(sorted({name for body in VALID.values() for name in body} | {"name"}))
junk = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(fields, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A path, and a body that is right but for some fields, or not at all."""
    path = draw(st.sampled_from(list(VALID)))
    body = dict(VALID[path])
    for name in draw(st.lists(st.sampled_from(list(body) or ["x"]), max_size=3, unique=True)):
        if draw(st.booleans()):
            body[name] = draw(junk)
        else:
            body.pop(name, None)
    return path, draw(st.just(body) | st.dictionaries(fields, junk, max_size=4))


def state(site: Site, visit: Visit) -> Any:
    company = site.simulator.platform.task(visit.task_id).world
    tables = ("employees", "customers", "projects", "time_entries")
    rows = [{id_: id(row) for id_, row in getattr(company, name).items()} for name in tables]
    return rows, company.wiki.sha1, len(company.events), len(company.responses)


def check(site: Site, visit: Visit, path: str, answer: httpx.Response, before: Any) -> None:
    found = answer.json()
    if answer.status_code == 200:
        ANSWERS[path].validate_python(found)
        return
    assert found.keys() == {"status", "error", "code"}
    assert found["status"] == answer.status_code
    assert found["error"]
    if answer.status_code == 500:
        assert found["error"].startswith("offset ")
    else:
        assert answer.status_code in (400, 404)
    assert state(site, visit) == before


def test_there_is_a_right_body_for_each_path(site: Site) -> None:
    assert list(VALID) == list(ROUTES)
    visit = site.visit()
    for path, body in VALID.items():
        ANSWERS[path].validate_python(visit.ask(path, **body))


@pytest.fixture(scope="module")
def kept(
    connections: httpx.Client, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Site, Visit]]:
    """A platform that writes every call down, and a task; what it wrote gives the same again."""
    path = tmp_path_factory.mktemp("kept") / "state.jsonl"
    with serve(pack_of(), state=path) as running:
        site = Site(running, connections)
        visit = site.visit()
        yield site, visit
    with serve(pack_of(), state=path) as again:
        assert Site(again, connections).acts(visit) == site.acts(visit)


@settings(max_examples=150)
@given(call=calls())
def test_bodies_that_are_almost_right(
    kept: tuple[Site, Visit], call: tuple[str, dict[str, Any]]
) -> None:
    (site, visit), (path, body) = kept, call
    before = state(site, visit)
    url = f"{site.simulator.base_url}/erc3-dev/{visit.task_id}{path}"
    answer = site.http.post(url, content=json.dumps(body).encode())
    check(site, visit, path, answer, before)


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b"3",
        b"null",
        b'{"limit": NaN}',
        b'{"limit": 1e999}',
        b'{"query": "\\ud800"}',
        b"\xff\xfe",
        b"[" * 5000,
        b'{"limit":' + b"9" * 5000 + b"}",
    ],
    ids=lambda body: repr(body[:12]),
)
def test_bodies_that_are_no_objects(site: Site, body: bytes) -> None:
    visit = site.visit()
    before = state(site, visit)
    for path in VALID:
        url = f"{site.simulator.base_url}/erc3/{visit.task_id}{path}"
        answer = site.http.post(url, content=body)
        if body[:1] != b"{":
            assert answer.status_code == 400
        check(site, visit, path, answer, before)
