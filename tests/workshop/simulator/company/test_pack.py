"""Company packs: what is read, what a patch makes of a company, and what is refused where."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.workshop.simulator.company.bakery import (
    SiteOf,
    Wire,
    bakery,
    entry,
    member,
    pack_of,
    person,
    project,
    raw_of,
    scenario,
)
from workshop.simulator import worlds
from workshop.simulator.company.world import COMPANY
from workshop.simulator.pack_files import PackError
from workshop.simulator.worlds import load_pack

Edit = Callable[[Wire], object]


def expecting(**expect: Any) -> Wire:
    return scenario(expect={"outcomes": ["ok_answer"], **expect})


def event(type_: str, **fields: Any) -> Wire:
    return expecting(events=[{"type": type_, **fields}])


def patched(**patch: Any) -> Wire:
    return scenario(patch=patch)


def test_a_file_is_read_as_any_world_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "small.json"
    path.write_text(json.dumps(raw_of()))
    assert load_pack(path) == pack_of()
    assert worlds.world_of("company-pack/1") is COMPANY


def test_defaults() -> None:
    one = pack_of().scenarios[0]
    assert (one.page_limit, one.whoami_status, one.null_scalars) == (5, 200, "keep")
    assert (one.expect.events, one.expect.links, one.expect.no_links) == ((), {}, False)


def test_what_a_scenario_does_not_change_is_shared() -> None:
    pack = pack_of(scenario(), patched(employees={"ben": {"salary": 1}}) | {"spec_id": "p"})
    plain, changed = (COMPANY.open_task(pack, one) for one in pack.scenarios)
    assert changed.employees["mara"] is plain.employees["mara"]
    assert changed.employees["ben"].full["salary"] == 1
    assert plain.employees["ben"].full["salary"] == 48_000


def test_a_patch_changes_the_company_of_one_scenario(site_of: SiteOf) -> None:
    patch = {
        "employees": {
            "ben": {"notes": "left", "skills": [{"name": "skill_dough", "level": 1}]},
            "abe": person("abe", "Abe First"),
            "zz_1": None,
        },
        "projects": {"proj_rolls": {"team": [member("abe", 0.1, "Lead")]}},
        "time_entries": {"te_050": None, "te_099": entry("te_099", employee="abe")},
        "customers": {"cust_spa": {"brief": "steam"}},
        "wiki": {"rules.md": None, "b.md": "B\n", "a/places.md": "Kiel\n"},
    }
    site = site_of(scenario(), patched(**patch) | {"spec_id": "patched"})
    visit, other = site.visit("patched"), site.visit()
    page = {"offset": 0, "limit": 5}
    people = visit.ask("/employees/list", **page)["employees"]
    assert [one["id"] for one in people] == ["mara", "ben", "cleo", "zz_0", "zz_2"]
    last = visit.ask("/employees/list", offset=9, limit=5)["employees"]
    assert [person["id"] for person in last] == ["abe"]
    ben = visit.ask("/employees/get", id="ben")["employee"]
    assert (ben["notes"], ben["name"], len(ben["skills"])) == ("left", "Ben Åström", 1)
    assert visit.refused("/employees/get", id="zz_1")[0] == 404
    assert len(visit.ask("/projects/get", id="proj_rolls")["project"]["team"]) == 1
    assert visit.ask("/customers/get", id="cust_spa")["company"]["brief"] == "steam"
    assert visit.ask("/wiki/list")["paths"] == ["a/places.md", "b.md"]
    recorded_to = visit.ask("/time/log", employee="abe", date="2025-05-06", hours=1)
    assert recorded_to["id"] == "te_100"
    assert other.ask("/wiki/list")["paths"] == ["a/places.md", "rules.md"]
    assert other.ask("/employees/get", id="ben")["employee"]["notes"] == ""
    assert other.ask("/time/log", employee="ben", date="2025-05-06", hours=1)["id"] == "te_051"


@pytest.mark.parametrize(
    ("one", "told"),
    [
        (scenario(company="rice"), "company: unknown 'rice'; the pack has rye"),
        (scenario(user="marra"), "user: the company has no employee 'marra'"),
        (scenario(today="6 May"), "today: must be a date as YYYY-MM-DD, not '6 May'"),
        (scenario(page_limit=0), "page_limit: must be at least 1, or -1 to refuse every listing"),
        (scenario(whoami_status=201), "whoami_status: must be 200, or a status from 400 to 599"),
        (scenario(null_scalars="drop"), "null_scalars: must be 'keep' or 'clear', not 'drop'"),
        (scenario(expect={"outcomes": []}), "expect.outcomes: must have at least one element"),
        (expecting(link={}), "expect.link: there is no such field"),
        (
            expecting(links={"employee": {"must": ["mary"]}}),
            "expect.links.employee.must: the company has no employee 'mary'",
        ),
        (
            expecting(links={"wiki": {"must": ["rule.md"]}}),
            "expect.links.wiki.must: the company has no wiki 'rule.md'",
        ),
        (event("Evt_Nothing"), "expect.events[0].type: must be 'Evt_TimeEntryLogged'"),
        (
            event("Evt_TimeEntryLogged", hour=3),
            "expect.events[0]: hour: there is no such field",
        ),
        (
            event("Evt_TimeEntryLogged", hours="3"),
            "expect.events[0]: hours: must be a valid",
        ),
        (
            event("Evt_TimeEntryLogged", hours={"one_of": []}),
            "expect.events[0]: hours: must have at least one element",
        ),
        (
            event("Evt_TimeEntryLogged", hours={"contains": ["3"]}),
            "expect.events[0]: hours: must be a valid number",
        ),
        (
            event("Evt_TimeEntryLogged", employee={"one_of": ["mara", "bob"]}),
            "expect.events[0].employee: the company has no employee 'bob'",
        ),
        (
            event("Evt_TimeEntryLogged", customer="cust_rye_internal"),
            "expect.events[0].customer: the company has no customer 'cust_rye_internal'",
        ),
        (
            event("Evt_TimeEntryUpdated", id="te_001", changes={"hours": 1}),
            "expect.events[0].id: the company has no time entry 'te_001'",
        ),
        (
            event("Evt_TimeEntryUpdated", id="te_007", changes={"employee": "ben"}),
            "expect.events[0]: changes.employee: there is no such field",
        ),
        (
            event("Evt_ProjectStatusChanged", id="proj_rolls", status="done"),
            "expect.events[0]: status: must be 'idea', 'exploring', 'active', 'paus",
        ),
        (
            event(
                "Evt_ProjectTeamUpdated",
                id="proj_rolls",
                team=[{"employee": "mara", "time_slice": 0.5}],
            ),
            "expect.events[0]: team.role: is missing",
        ),
        (
            event("Evt_EmployeeSkillsUpdated", employee="mara", skills={"skill_dough": "7"}),
            "expect.events[0]: skills: must be a valid integer, not '7'",
        ),
        (patched(employees={"bob": None}), "patch.employees.bob: the company has no such record"),
        (patched(employees={"bob": {"salary": 1}}), "patch.employees.bob.name: is missing"),
        (
            patched(employees={"ben": {"salary": "1"}}),
            "patch.employees.ben.salary: must be a valid",
        ),
        (patched(employees={"ben": {"id": "bob"}}), "patch.employees.ben.id: must be 'ben', not"),
        (
            patched(wiki={"rule.md": None}),
            "patch.wiki: the company has no page 'rule.md' to remove",
        ),
        (patched(employee={}), "patch.employee: there is no such field"),
        (
            scenario(faults=[{"on": "/basket/add", "nth": 1, "kind": "drop"}]),
            "faults[0].on: unknown path '/basket/add'; faults apply to /whoami, /respond",
        ),
        (
            scenario(faults=[{"on": "/whoami", "nth": 1, "kind": "drop"}] * 2),
            "faults[1]: call 1 of /whoami already has faults[0]",
        ),
    ],
)
def test_a_mistake_is_told_with_file_scenario_and_field(one: Wire, told: str) -> None:
    with pytest.raises(PackError) as caught:
        pack_of(one)
    assert str(caught.value).startswith("small.json: scenario 'ask': ")
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("company", "told"),
    [
        (
            bakery(employees=[person("a", "A", age=3)]),
            "employees[0].age: there is no such field",
        ),
        (bakery(employees=[{"id": "a"}]), "companies.rye.employees[0].name: is missing"),
        (bakery(employees=[person("a", "A")] * 2), "employees: id 'a' appears twice"),
        (
            bakery(projects=[project("p", "P", member("x", 1, "QA"))]),
            "team: the company has no 'x'",
        ),
        (bakery(projects=[project("p", "P", status="done")]), "projects[0].status: must be 'idea'"),
        (bakery(time_entries=[entry("te_1", project="x")]), "project: the company has no 'x'"),
        (bakery(time_entries=[entry("te_1", hours=-1)]), "time_entries[0].hours: must be greater"),
        (bakery(wiki={"a.md": 3}), "companies.rye.wiki.a.md: must be a valid string, not 3"),
    ],
)
def test_a_mistake_in_a_company_is_told_with_its_place(company: Wire, told: str) -> None:
    with pytest.raises(PackError) as caught:
        pack_of(rye=company)
    assert str(caught.value).startswith("small.json: companies.rye")
    assert told in str(caught.value)


def test_every_mistake_is_named_at_once() -> None:
    """First what each part is made of, then, where that is right, the names between them."""
    nested = expecting(message={"contain": ["x"]}, links={"emploee": {"must": ["mara"]}})
    staff = [person("mara", "Mara", salry=1), person("ben", "Ben", skills=[{"nam": "x"}])]
    with pytest.raises(PackError) as caught:
        pack_of(nested, rye=bakery(employees=staff))
    at = "small.json: companies.rye.employees"
    assert sorted(caught.value.mistakes) == [
        f"{at}[0].salry: there is no such field",
        f"{at}[1].skills[0].level: is missing",
        f"{at}[1].skills[0].nam: there is no such field",
        f"{at}[1].skills[0].name: is missing",
        "small.json: scenario 'ask': expect.links.emploee.[key]: must be 'employee', 'customer', "
        "'project', 'wiki', 'location', 'skill' or 'will', not 'emploee'",
        "small.json: scenario 'ask': expect.message.contain: there is no such field",
    ]
    team = [project("p", "P", member("mare", 1, "QA"))]
    with pytest.raises(PackError) as caught:
        pack_of(rye=bakery(projects=team, customers=[], time_entries=[entry("te_1")]))
    assert caught.value.mistakes == (
        "small.json: companies.rye: project 'p': team: the company has no 'mare'",
        "small.json: companies.rye: time entry 'te_1': project: the company has no 'proj_rolls'",
    )
    asks = scenario(user="maro") | {"spec_id": "a"}, scenario(company="rie")
    with pytest.raises(PackError) as caught:
        pack_of(*asks)
    assert caught.value.mistakes == (
        "small.json: scenario 'a': user: the company has no employee 'maro'",
        "small.json: scenario 'ask': company: unknown 'rie'; the pack has rye",
    )


@pytest.mark.parametrize(
    "one",
    [
        expecting(links={"customer": {"must": ["cust_rye_internal"]}}),
        expecting(links={"location": {"must": ["Kiel"]}, "skill": {"may": ["skill_x"]}}),
        expecting(
            links={"wiki": {"must": ["new.md", "rules.md"]}},
            events=[{"type": "Evt_WikiArticleUpdated", "file": "new.md"}],
        ),
        event("Evt_TimeEntryLogged", project="", customer="", logged_by="", hours=2),
        event("Evt_ProjectTeamUpdated", team={"one_of": [[], [member("ben", 1, "QA")]]}),
        event("Evt_EmployeeSkillsUpdated", skills={"a": {"one_of": [1, None]}, "b": None}),
        event("Evt_EmployeeInfoUpdated", changes={"location": {"contains": [["Lund", "Kiel"]]}}),
        event("Evt_WikiDigestUpdated", whatever=1),
        scenario(user=None, tags=["x"], proof="y", note="of another tool"),
        patched(employees={"mara": {"skills": None}}),
    ],
)
def test_what_a_pack_may_say(one: Wire) -> None:
    assert pack_of(one).scenarios


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (lambda raw: raw.update(companies=[]), "companies: must be an object"),
        (lambda raw: raw.update(scenarios=[]), "scenarios: must have at least one element"),
        (lambda raw: raw["scenarios"].append(raw["scenarios"][0]), "spec_id 'ask' appears tw"),
        (lambda raw: raw["scenarios"].append(3), "scenario number 1: must be"),
        (lambda raw: raw.pop("name"), "name: is missing"),
    ],
)
def test_a_pack_that_is_none(edit: Edit, told: str, tmp_path: Path) -> None:
    raw = raw_of()
    edit(raw)
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(raw))
    with pytest.raises(PackError, match="bad") as caught:
        load_pack(path)
    assert told in str(caught.value)
