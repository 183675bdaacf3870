"""The bundled pack: like the public one, unambiguous, and scored as it says."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from workshop.simulator.company.company_state import CompanyState
from workshop.simulator.company.pack import BUNDLED_PACK, CompanyPack
from workshop.simulator.company.world import ROUTES
from workshop.simulator.worlds import load_pack

PROD = {
    "read": 17,
    "set": 13,
    "workload": 6,
    "skills": 12,
    "salary": 1,
    "public": 8,
    "hours": 4,
    "wiki-read": 2,
    "write-time": 2,
    "write-employee": 8,
    "write-project": 4,
    "write-wiki": 5,
    "denied": 15,
    "clarify": 3,
    "unsupported": 2,
    "internal": 1,
}
"""How many of the 103 tasks of the largest public benchmark are of each topic."""


@pytest.fixture(scope="module")
def pack() -> CompanyPack:
    return load_pack(BUNDLED_PACK)


@pytest.fixture(scope="module")
def raw() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(BUNDLED_PACK.read_text(encoding="utf-8"))
    return found


class Run:
    """A task of the pack, played in this process."""

    def __init__(self, pack: CompanyPack, spec_id: str) -> None:
        self.scenario = next(one for one in pack.scenarios if one.spec_id == spec_id)
        self.state = CompanyState(self.scenario, pack.company_of(self.scenario))

    def ask(self, path: str, **body: Any) -> dict[str, Any]:
        route = ROUTES[path]
        return route.answer(self.state, route.request.model_validate(body))

    def all(self, path: str, field: str, **body: Any) -> Iterator[dict[str, Any]]:
        offset = 0
        while offset != -1:
            page = self.ask(path, offset=offset, limit=self.scenario.page_limit, **body)
            yield from page[field] or ()
            offset = page["next_offset"]

    def linked(self, kind: str) -> set[str]:
        return set(self.scenario.expect.links[kind].must)

    def page(self, path: str) -> str:
        return str(self.ask("/wiki/load", file=path)["content"])


def test_every_topic_is_there_in_about_the_public_proportions(raw: dict[str, Any]) -> None:
    topics = Counter(scenario["tags"][0] for scenario in raw["scenarios"])
    assert topics.keys() == PROD.keys()
    for topic, count in PROD.items():
        share = count * len(raw["scenarios"]) / sum(PROD.values())
        assert abs(topics[topic] - share) <= 2, (topic, topics[topic], share)


def test_each_outcome_and_both_companies_are_there(raw: dict[str, Any]) -> None:
    scenarios = raw["scenarios"]
    assert len({one["spec_id"] for one in scenarios}) == len(scenarios) == 63
    assert len({one["expect"]["outcomes"][0] for one in scenarios}) == 6
    assert {one["company"] for one in scenarios} == {"corvane", "jorvale"}
    assert all(one["proof"] for one in scenarios)


def test_the_large_company_is_as_large_as_the_public_one(pack: CompanyPack) -> None:
    company = pack.companies["corvane"]
    assert len(company.employees) == 150
    assert 30 <= len(company.projects) <= 60
    assert 12 <= len(company.wiki) <= 20


# What follows goes from what an agent sees to the answer, by other ways than the generator's.


def test_loads_add_up_from_the_register_by_the_page(pack: CompanyPack) -> None:
    run = Run(pack, "corvane-busiest-department")
    pages = (run.page(path) for path in run.ask("/wiki/list")["paths"])
    rule = re.search(r"status (?:is )?(`.*?)[.:]", " ".join(pages))
    assert rule
    counted = set(re.findall(r"`(\w+)`", rule[1]))
    load: Counter[str] = Counter()
    for brief in run.all("/projects/list", "projects"):
        for seat in run.ask("/projects/get", id=brief["id"])["project"]["team"]:
            load[seat["employee"]] += round(10 * seat["time_slice"] * (brief["status"] in counted))
    text = run.scenario.task_text
    everybody = list(run.all("/employees/list", "employees"))
    (asked,) = {one["department"] for one in everybody if one["department"] in text}
    people = {one["id"]: load[one["id"]] for one in everybody if one["department"] == asked}
    best = (min if "least" in text else max)(people.values())
    assert {who for who, share in people.items() if share == best} == run.linked("employee")
