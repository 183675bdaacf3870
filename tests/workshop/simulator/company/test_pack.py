"""Company packs: what is read, what a patch makes of a company, and what is refused where."""

from __future__ import annotations

from typing import Any

import pytest

from tests.workshop.simulator.company.bakery import (
    SiteOf,
    Wire,
    entry,
    member,
    pack_of,
    person,
    scenario,
)
from workshop.simulator.company.world import COMPANY


def expecting(**expect: Any) -> Wire:
    return scenario(expect={"outcomes": ["ok_answer"], **expect})


def event(type_: str, **fields: Any) -> Wire:
    return expecting(events=[{"type": type_, **fields}])


def patched(**patch: Any) -> Wire:
    return scenario(patch=patch)


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
