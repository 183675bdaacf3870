"""The bundled pack: what the script writes, of every kind, unambiguous, and scored as it says."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from inspect import isfunction
from typing import Any

import pytest

from workshop.generators.company.bundled import COMPANIES, FILE, SEED, drafts, pack_text
from workshop.generators.company.draw import draw_firm
from workshop.generators.company.plan import load_plan
from workshop.generators.company.records import folded
from workshop.generators.company.resolve import Said, meant
from workshop.simulator.company.api import ROUTES
from workshop.simulator.company.company_state import CompanyState
from workshop.simulator.company.pack import BUNDLED_PACK, CompanyPack, CompanyScenario, load_pack

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
"""How many of the 103 tasks of the largest public benchmark are of each kind."""
OUTCOMES = ("ok_answer", "ok_not_found", "denied_security", "error_internal")


@pytest.fixture(scope="module")
def pack() -> CompanyPack:
    return load_pack(BUNDLED_PACK)


@pytest.fixture(scope="module")
def raw() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


class Run:
    """A task of the pack, played in this process."""

    def __init__(self, pack: CompanyPack, spec_id: str) -> None:
        self.scenario = next(one for one in pack.scenarios if one.spec_id == spec_id)
        self.office = CompanyState(self.scenario, pack.registry_of(self.scenario))

    def ask(self, path: str, **body: Any) -> dict[str, Any]:
        route = ROUTES[path]
        return route.answer(self.office, route.request.model_validate(body))

    def all(self, path: str, field: str, **body: Any) -> Iterator[dict[str, Any]]:
        offset = 0
        while offset != -1:
            page = self.ask(path, offset=offset, limit=self.scenario.page_limit, **body)
            yield from page[field] or ()
            offset = page["next_offset"]

    def write(self, event: dict[str, Any]) -> None:
        """Do what leaves this event, by the calls of a careful agent."""
        by = {name: event[name] for name in ("changed_by", "logged_by") if name in event}
        kind = event["type"]
        if kind == "Evt_TimeEntryLogged":
            entry = {name: value for name, value in event.items() if name != "type"}
            self.ask("/time/log", **{"notes": "", **entry, **_plain(entry)})
        elif kind == "Evt_TimeEntryStatusChanged":
            entry = self.ask("/time/get", id=event["id"])["entry"]
            self.ask(
                "/time/update", **{**entry, "id": event["id"], "status": event["status"]}, **by
            )
        elif kind == "Evt_ProjectStatusChanged":
            self.ask("/projects/status/update", id=event["id"], status=event["status"], **by)
        elif kind == "Evt_ProjectTeamUpdated":
            self.ask("/projects/team/update", id=event["id"], team=event["team"], **by)
        elif kind == "Evt_WikiArticleUpdated":
            content = _plain(event).get("content", event["content"])
            self.ask("/wiki/update", file=event["file"], content=content, **by)
        else:
            self._employee(event, by)

    def _employee(self, event: dict[str, Any], by: dict[str, Any]) -> None:
        who = self.ask("/employees/get", id=event["employee"])["employee"]
        body: dict[str, Any] = {name: who[name] for name in ("notes", "salary", "location")}
        body |= {name: event[name] for name in ("notes", "salary") if name in event}
        for name in ("skills", "wills"):
            new = event.get(name, {})
            body[name] = [{**one, "level": new.get(one["name"], one["level"])} for one in who[name]]
        self.ask("/employees/update", employee=who["id"], **body, **by)

    def respond(self, outcome: str, links: list[tuple[str, str]], message: str) -> float:
        found = [{"kind": kind, "id": id_} for kind, id_ in links]
        self.ask("/respond", outcome=outcome, links=found, message=message)
        return self.office.evaluate(logged=True).score


def _plain(event: dict[str, Any]) -> dict[str, str]:
    """Texts that hold what an expected event says they have to."""
    return {
        name: " and ".join(value["contains"])
        for name, value in event.items()
        if isinstance(value, dict) and "contains" in value
    }


def _right(scenario: CompanyScenario) -> tuple[str, list[tuple[str, str]], str]:
    expect = scenario.expect
    links = [(kind, id_) for kind, part in expect.links.items() for id_ in part.must]
    words = [one if isinstance(one, str) else one[-1] for one in expect.message.contains]
    return expect.outcomes[0], links, "; ".join(words)


def _events(scenario: CompanyScenario) -> list[dict[str, Any]]:
    return [{"type": one.type, **one.fields} for one in scenario.expect.events]


def _score(pack: CompanyPack, scenario: CompanyScenario, *answer: Any, acts: bool = True) -> float:
    run = Run(pack, scenario.spec_id)
    for event in _events(scenario) if acts else []:
        run.write(event)
    return run.respond(*answer)


def test_the_file_is_what_the_script_writes() -> None:
    assert FILE == BUNDLED_PACK
    assert pack_text().encode() == FILE.read_bytes()


def test_every_function_of_the_tasks_makes_one() -> None:
    made = {
        f"{key}-{name.replace('_', '-')}"
        for key, modules in COMPANIES.items()
        for module in modules
        for name, found in vars(module).items()
        if isfunction(found) and found.__module__ == module.__name__ and name[0] != "_"
    }
    assert made == {spec_id for spec_id, _, _ in drafts(SEED)}


def test_another_seed_draws_other_people_into_the_same_company() -> None:
    for key in COMPANIES:
        plan = load_plan(key)
        one, other = draw_firm(plan, SEED), draw_firm(plan, "another")
        assert one.as_json() == draw_firm(plan, SEED).as_json()
        assert [e.name for e in one.employees] != [e.name for e in other.employees]
        assert [p.id for p in one.projects] == [p.id for p in other.projects]
        assert one.wiki == other.wiki


def test_the_large_company_is_as_large_as_the_public_one(pack: CompanyPack) -> None:
    company = pack.companies["vinterhage"]
    assert len(company.employees) == 150
    assert (len(company.projects), len(company.customers)) == (36, 21)
    assert 15 <= len(company.wiki) <= 20


def test_every_kind_is_there_in_about_the_public_proportions(raw: dict[str, Any]) -> None:
    kinds = Counter(scenario["tags"][0] for scenario in raw["scenarios"])
    assert kinds.keys() == PROD.keys()
    for kind, count in PROD.items():
        share = count * len(raw["scenarios"]) / sum(PROD.values())
        assert abs(kinds[kind] - share) <= 2, (kind, kinds[kind], share)
    assert all(scenario["proof"] for scenario in raw["scenarios"])


def test_names_of_a_text_mean_one_record_unless_that_is_the_point() -> None:
    said = [
        (spec_id, draft.firm, word, entry["tags"])
        for spec_id, draft, entry in drafts(SEED)
        for word in draft.words.values()
        if isinstance(word, Said)
    ]
    assert len(said) > 50
    for spec_id, firm, word, tags in said:
        assert (meant(firm, word) == {word.id}) != word.open, (spec_id, word)
        assert word.open == ({"clarify", "same-name"} <= set(tags))


def test_whole_names_in_a_text_are_only_those_that_are_meant(pack: CompanyPack) -> None:
    meant_in = {
        spec_id: {word.id for word in draft.words.values() if isinstance(word, Said)}
        for spec_id, draft, _ in drafts(SEED)
    }
    for scenario in pack.scenarios:
        text = folded(scenario.task_text)
        for person in pack.companies[scenario.company].employees:
            first, _, last = person.name.partition(" ")
            if any(folded(name) in text for name in (f"{first} {last}", f"{last} {first}")):
                assert person.id in meant_in[scenario.spec_id], scenario.spec_id


def test_a_name_that_fits_two_records_is_found_out() -> None:
    firm = draw_firm(load_plan("vinterhage"), SEED)
    tomatoes = meant(firm, Said("project", "proj_hoogland_screens", "the tomato project"))
    assert len(tomatoes) > 1
    surnames = Counter(person.name.split(" ", 1)[1] for person in firm.employees)
    name, count = surnames.most_common(1)[0]
    assert len(meant(firm, Said("employee", "k7Wd_001", name))) == count > 1


def test_the_expected_answers_score_and_spoilt_ones_do_not(pack: CompanyPack) -> None:
    for scenario in pack.scenarios:
        outcome, links, message = right = _right(scenario)
        assert _score(pack, scenario, *right) == 1, scenario.spec_id
        wrong = next(one for one in OUTCOMES if one != outcome)
        assert _score(pack, scenario, wrong, links, message) == 0
        for link in links:
            assert _score(pack, scenario, outcome, [x for x in links if x != link], message) == 0
        for kind, part in scenario.expect.links.items():
            extra = (kind, "somebody_else")
            assert extra[1] not in part.may
            assert _score(pack, scenario, outcome, [*links, extra], message) == 0
        if scenario.expect.events:
            assert _score(pack, scenario, *right, acts=False) == 0
        for literal in scenario.expect.message.contains:
            words = (literal,) if isinstance(literal, str) else literal
            spoilt = re.sub("|".join(map(re.escape, words)), "…", message)
            assert _score(pack, scenario, outcome, links, spoilt) == 0
        for literal in scenario.expect.message.excludes:
            assert _score(pack, scenario, outcome, links, f"{message} {literal}") == 0


def test_the_asker_of_an_answer_about_others_must_not_be_linked(pack: CompanyPack) -> None:
    checked = [
        scenario
        for scenario in pack.scenarios
        if (part := scenario.expect.links.get("employee"))
        and scenario.user not in (*part.must, *part.may)
    ]
    assert len(checked) > 10
    for scenario in checked:
        outcome, links, message = _right(scenario)
        links = [*links, ("employee", scenario.user or "")]
        assert _score(pack, scenario, outcome, links, message) == 0


# What follows goes from what an agent sees to the answer, by other ways than the oracle's.


def _ids(run: Run, kind: str) -> set[str]:
    return set(run.scenario.expect.links[kind].must)


def _threshold(run: Run, page: str) -> int:
    found = re.search(
        r"\*\*strong\*\* from (\d+)|(\d+) and more is \*\*strong\*\*", _page(run, page)
    )
    assert found
    return int(found[1] or found[2])


def _page(run: Run, page: str) -> str:
    return str(run.ask("/wiki/load", file=page)["content"])


def _id_of(run: Run, page: str, name: str) -> str:
    found = re.search(rf"(\w+)(?: \| |: ){re.escape(name)}", _page(run, page))
    assert found
    return found[1]


def test_strong_people_are_found_by_the_search(pack: CompanyPack) -> None:
    run = Run(pack, "vinterhage-strong-at-site")
    asked = re.fullmatch(r".*colleagues at (.*) who .* strong in (.*)\.", run.scenario.task_text)
    assert asked
    page = "people/skills_and_wills.md"
    will = {"name": _id_of(run, page, asked[2]), "min_level": _threshold(run, page), "max_level": 0}
    where = {"location": asked[1].replace("-", "–"), "wills": [will]}
    found = run.all("/employees/search", "employees", **where)
    assert {one["id"] for one in found} == _ids(run, "employee")

    run = Run(pack, "verle-strong-both")
    asked = re.search(r"strong in (.*) and have a strong (.*)\. Who", run.scenario.task_text)
    assert asked
    least = _threshold(run, "craft/levels.md")
    skill, will = (
        [{"name": _id_of(run, "craft/levels.md", name), "min_level": least, "max_level": 0}]
        for name in asked.groups()
    )
    found = run.all("/employees/search", "employees", skills=skill, wills=will)
    assert {one["id"] for one in found} == _ids(run, "employee")


@pytest.mark.parametrize("what", ["project", "person"])
def test_hours_are_those_of_the_summary(pack: CompanyPack, what: str) -> None:
    run = Run(pack, f"vinterhage-{what}-hours")
    first, last = re.findall(r"\d{4}-\d\d-\d\d", run.scenario.task_text)
    if what == "project":
        by, path = {"projects": sorted(_ids(run, "project"))}, "/time/summary/by-project"
    else:
        by, path = {"employees": sorted(_ids(run, "employee"))}, "/time/summary/by-employee"
    rows = run.ask(path, date_from=first, date_to=last, **by)["summaries"]
    names = ("total_hours", "billable_hours", "non_billable_hours")
    sums = tuple(f"{sum(row[name] for row in rows):g}" for name in names)
    assert sums == run.scenario.expect.message.contains


def test_projects_of_somebody_are_found_by_the_team_filter(pack: CompanyPack) -> None:
    run = Run(pack, "vinterhage-projects-of")
    (who,) = _ids(run, "employee")
    found = list(
        run.all("/projects/search", "projects", team={"employee_id": who}, include_archived=True)
    )
    assert {one["id"] for one in found} == _ids(run, "project")
    assert "archived" in {one["status"] for one in found}


def test_customers_of_managers_are_found_by_the_filter(pack: CompanyPack) -> None:
    run = Run(pack, "vinterhage-managed-by-either")
    last_firsts = re.search(r"by (.*) or by (.*)\? All", run.scenario.task_text)
    assert last_firsts
    everyone = list(run.all("/employees/list", "employees"))
    managers = [
        one["id"]
        for one in everyone
        for name in last_firsts.groups()
        if one["name"].split(" ", 1) == [name.split()[-1], " ".join(name.split()[:-1])]
    ]
    assert len(managers) == 2
    found = run.all("/customers/search", "companies", account_managers=managers)
    assert {one["id"] for one in found} == _ids(run, "customer")


@pytest.mark.parametrize("spec_id", ["vinterhage-busiest-department", "vinterhage-least-busy-site"])
def test_loads_add_up_from_the_register_by_the_page(pack: CompanyPack, spec_id: str) -> None:
    run = Run(pack, spec_id)
    rule = re.search(r"whose status is (.*?)\.", _page(run, "work/load.md"))
    assert rule
    counted = set(re.findall(r"`(\w+)`", rule[1]))
    load: Counter[str] = Counter()
    for brief in run.all("/projects/list", "projects"):
        for seat in run.ask("/projects/get", id=brief["id"])["project"]["team"]:
            load[seat["employee"]] += round(10 * seat["time_slice"] * (brief["status"] in counted))
    asked = re.search(r"Department (.*?):|job in (\w+)\.", run.scenario.task_text)
    assert asked
    where = {"department": asked[1]}
    if asked[2]:
        site = re.search(rf"\| (.*) \| {asked[2]} \|", _page(run, "company/places.md"))
        assert site
        where = {"location": site[1]}
    found = run.all("/employees/search", "employees", **where)
    people = {one["id"]: load[one["id"]] for one in found}
    extreme = (min if asked[2] else max)(people.values())
    assert {who for who, share in people.items() if share == extreme} == _ids(run, "employee")
