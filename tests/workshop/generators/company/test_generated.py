"""Generated companies: the same bytes for a seed, every kind, text and truth that cannot part."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.cli import app
from workshop.generators.company.company import Plan, draw_company
from workshop.generators.company.kinds import KINDS
from workshop.generators.company.policy import LEAD, STAFF, Policy, table
from workshop.generators.company.records import Firm, Mention, mistake
from workshop.generators.company.scenario import GENERATOR, LEAST, MOST, make_scenario
from workshop.generators.company.task import TaskBuilder, anywhere
from workshop.generators.generating import Raw
from workshop.simulator.company.parts import WHOLE
from workshop.simulator.company.world import COMPANY
from workshop.simulator.open_world import OpenWorld, check
from workshop.simulator.world import Pack
from workshop.simulator.worlds import load_pack, read_pack

PROJECT = Path(__file__).parents[4]
COUNT = 300
TWISTS = (
    *("last-first", "unaccented", "id", "typo", "double-space", "paraphrase", "same-surname"),
    *("same-name", "customer-contact", "my-projects", "decoy", "archived", "tie"),
    *("empty", "threshold", "threshold-of-status", "sum"),
    *("not-already-there", "not-in-team", "internal-project", "already-so", "whole-list", "bytes"),
    *("cap", "two-events", "correction", "planted-order", "destructive"),
    *("claimed-identity", "guest", "not-lead", "not-on-team", "approved-hours", "policy-change"),
    *("ticket", "no-ticket", "letter-for-digit", "short-ticket", "no-such-customer", "paging"),
    *("nothing-named", "broken-paging", "whoami", "date-format"),
    *("language", "de", "fr", "es", "zh", "no-in-yes", "relative-date", "rename"),
    *("external", "spelling", "town", "lead"),
)


def generated(seed: str, count: int) -> list[Raw]:
    asked = GENERATOR.options(seed=seed, count=count, people="12-60")  # type: ignore[call-arg]
    return list(GENERATOR.scenarios(asked))


@pytest.fixture(scope="module")
def scenarios() -> list[Raw]:
    return generated("tests", COUNT)


def pack_of(raw: Raw) -> Pack:
    return read_pack(COMPANY.pack_text("x", [raw]))


def drawn(number: int, people: int = 40) -> tuple[Firm, Policy, Plan]:
    plan, firm = draw_company("tests", number, people)
    return firm, plan.policy, plan


def strong_from(wiki: str) -> int:
    """The lowest level that a wiki calls strong."""
    match = re.search(
        r"\*\*strong\*\* from (\d)|(\d) and more is \*\*strong|\"Strong\" .*: above (\d)\.", wiki
    )
    assert match
    return int(match[1] or match[2] or int(match[3]) + 1)


@pytest.mark.slow
def test_a_smaller_pack_is_the_beginning_of_a_larger_one(scenarios: list[Raw]) -> None:
    assert generated("tests", 37) == scenarios[:37]
    assert generated("other", 4)[3] != scenarios[3]


def test_every_kind_has_texts_and_every_text_a_kind() -> None:
    assert KINDS.keys() == table("texts").keys()
    assert all(one.texts["en"] for one in KINDS.values())


@pytest.mark.slow
def test_all_kinds_outcomes_and_twists_are_drawn(scenarios: list[Raw]) -> None:
    names = {one["spec_id"].split("-", 3)[3].replace("-", "_") for one in scenarios}
    assert names == KINDS.keys()
    outcomes = Counter(one["expect"]["outcomes"][0] for one in scenarios)
    assert len(outcomes) == 6
    assert outcomes["ok_answer"] > COUNT // 2
    assert outcomes["denied_security"] > COUNT // 8
    tags = {tag for one in scenarios for tag in one["tags"]}
    more = (make_scenario("twists", number, "30-50") for number in range(1500))
    tags |= {tag for one in more for tag in one["tags"]}
    assert set(TWISTS) - tags == set()


def test_companies_truly_differ() -> None:
    plans = [draw_company("variety", number, 40)[0] for number in range(120)]
    policies = [plan.policy for plan in plans]

    def holders(right: str) -> set[tuple[str, ...]]:
        return {tuple(g.key for g in p.groups if right in g.may) for p in policies}

    assert len({str(p.groups) for p in policies}) == 120
    assert holders("pay") >= {(), ("hr",), ("exec",), ("lead", "exec"), ("lead", "hr")}
    assert holders("draft_hours") >= {(), ("lead",), ("hr",), ("lead", "exec")}
    assert len(holders("status")) > 3
    assert {p.strong for p in policies} >= {3, 4, 6, 7, 8, 9}
    assert len({p.load for p in policies}) == 5
    assert {p.mine for p in policies} == {LEAD, "member"}
    assert len({(p.busy, p.free) for p in policies}) > 12
    assert len({plan.takeover.shape for plan in plans}) > 12
    assert any(p.takeover for p in policies)
    layouts = {part for plan in plans for parts in plan.book.pages.values() for part in parts}
    sections = table("wiki")["sections"].items()
    assert layouts == {f"{name}/{n}" for name, ways in sections for n in range(len(ways))}


def test_the_wiki_says_what_the_policy_holds() -> None:
    for number in range(60):
        firm, policy, _ = drawn(number)
        text = "\n".join(firm.wiki.values())
        assert (strong_from(text), str(policy.busy) in text) == (policy.strong, True)
        for group in policy.groups:
            assert group.title in text
            assert all(policy.words[right] in text for right in group.may)
        granted = {right for group in policy.groups for right in group.may}
        refused = {right for group in policy.groups for right in group.refused}
        wanted = {*policy.takeover.needs} if policy.takeover else set()
        for right in policy.words.keys() - granted - refused - wanted - {"approved_hours"}:
            assert policy.words[right] not in text, (number, right)
        assert (policy.takeover is not None) == ("Rights are as they were" in text) or (
            "who may do what has not changed" in text.lower()
        )


def test_every_size_from_a_dozen_to_three_hundred_is_drawn() -> None:
    for people in (LEAST, 13, 29, 60, MOST):
        assert len(drawn(1, people)[0].employees) == people
        made = [make_scenario("size", n, str(people)) for n in range(20)]
        assert len({one["spec_id"] for one in made}) == 20


def test_a_scenario_that_cannot_be_met_is_found_out(scenarios: list[Raw]) -> None:
    drawn = next(one for one in scenarios if one["user"])
    who = drawn[WHOLE]["employees"][0]
    raised = {"type": "Evt_EmployeeSalaryUpdated", "employee": who["id"], "salary": who["salary"]}
    expect = {"outcomes": ["ok_answer"], "events": [raised]}
    (checked,) = check(pack_of({**drawn, "patch": {}, "expect": expect}))
    assert "as expected: score 0, not 1: FAIL: expected event of type" in checked.wrong[0]


def test_a_name_that_fits_two_people_is_a_mistake_unless_that_is_the_point() -> None:
    firm = drawn(4)[0]
    often = Counter(one.name.split()[0] for one in firm.employees.values()).most_common(1)[0]
    assert often[1] > 1
    who = next(one for one in firm.employees.values() if one.name.split()[0] == often[0])
    text = f"In which department is {often[0]}?"
    assert "may mean" in (mistake(firm, text, [Mention("employee", who.id, often[0])]) or "")
    assert mistake(firm, text, [Mention("employee", who.id, often[0], open=True)]) is None
    assert "by accident" in (mistake(firm, f"Ask {who.name}.", []) or "")


def test_a_lead_has_rights_on_the_own_team_and_its_customer_whatever_the_text_names() -> None:
    companies = (drawn(number, 30) for number in range(200))
    firm, policy, plan = next(
        (firm, policy, plan)
        for firm, policy, plan in companies
        if any(g.key == LEAD and {"contact", "pay"} <= {*g.may} for g in policy.groups)
        and not any(g.key == STAFF and {"contact", "pay"} & {*g.may} for g in policy.groups)
    )
    project = next(
        p for p in firm.projects.values() if p.customer in firm.customers and len(p.team) > 1
    )
    lead, t = firm.employees[project.lead], builder(plan, firm)
    customer = firm.customers[project.customer]
    assert t.may(lead, t.on(customer, "contact"))
    assert t.may(lead, t.on(firm.employees[project.members[1]], "pay"))
    led = {w for p in firm.led_by(lead.id) for w in p.members}
    stranger = next(one for one in firm.employees.values() if one.id not in led)
    own = any("pay" in g.may for g in policy.groups if g.key == lead.group)
    assert t.may(lead, t.on(stranger, "pay")) == own


def test_who_has_a_right_on_some_records_alone_does_not_ask_about_all() -> None:
    """A Lead who may see levels of the own team could be held to have that right or not."""
    companies = (drawn(number, 30) for number in range(100))
    firm, plan = next(
        (firm, plan)
        for firm, policy, plan in companies
        if {g.key for g in policy.groups if "levels" in g.may} == {"hr", "lead", "exec"}
    )
    leads = {project.lead for project in firm.projects.values()}
    for seed in range(60):
        t = builder(plan, firm, seed)
        asks = t.requester(anywhere("levels"))
        assert asks
        assert asks.id not in leads or asks.group in ("hr", "exec")


def builder(plan: Plan, firm: Firm, seed: int = 0) -> TaskBuilder:
    return TaskBuilder(plan, firm, plan.policy, date(2025, 5, 6), Random(seed), "may-not")


# What follows goes from what an agent sees to the answer, by other ways than the generator's.


def _played(scenarios: list[Raw], kind: str) -> list[tuple[Raw, Any, str]]:
    """Of each answered task of a kind its scenario, a way to ask, and the whole wiki."""
    tasks = []
    for one in scenarios:
        if one["spec_id"].endswith(f"-{kind}") and one["expect"]["outcomes"] == ["ok_answer"]:
            pack = pack_of(one)
            ask = OpenWorld(pack, pack.scenarios[0]).ask
            paths = ask("/wiki/list")["paths"]
            pages = [ask("/wiki/load", file=path)["content"] for path in paths]
            tasks.append((one, ask, "\n".join(pages)))
    assert tasks
    return tasks


def _all(ask: Any, path: str, field: str, limit: int, **body: Any) -> list[dict[str, Any]]:
    rows, offset = [], 0
    while offset != -1:
        page = ask(path, offset=offset, limit=limit, **body)
        rows += page[field] or ()
        offset = page["next_offset"]
    return rows


def _people(ask: Any, one: dict[str, Any], **body: Any) -> list[dict[str, Any]]:
    return _all(ask, "/employees/search", "employees", one["page_limit"], **body)


def test_strong_people_are_those_that_a_search_finds(scenarios: list[Raw]) -> None:
    for one, ask, wiki in _played(scenarios, "strong"):
        body: dict[str, Any] = {}
        for name in re.findall(r"'(.+?)'", one["task_text"]):
            id_ = re.search(rf"(\w+)(?:`? stands for | \| |: ){re.escape(name)}", wiki)
            assert id_
            kind = "wills" if id_[1].startswith("w") else "skills"
            body[kind] = [{"name": id_[1], "min_level": strong_from(wiki), "max_level": 0}]
        places = [p for p in {r["location"] for r in _people(ask, one)} if p in one["task_text"]]
        where = {"location": max(places, key=len)} if places else {}
        rows = _people(ask, one, **where, **body)
        assert {row["id"] for row in rows} == set(one["expect"]["links"]["employee"]["must"])


def test_hours_are_those_of_the_summaries(scenarios: list[Raw]) -> None:
    kinds = set()
    for one, ask, _ in _played(scenarios, "hours-of"):
        first, last = re.findall(r"\d{4}-\d\d-\d\d", one["task_text"])
        (kind, links), *_ = one["expect"]["links"].items()
        by = "employee" if kind == "employee" else "project"
        body = {"date_from": first, "date_to": last, f"{kind}s": links["must"]}
        rows = ask(f"/time/summary/by-{by}", **body)["summaries"]
        names = ("total_hours", "billable_hours", "non_billable_hours")
        sums = [f"{sum(row[name] for row in rows):g}" for name in names]
        assert sums == one["expect"]["message"]["contains"]
        kinds.add(kind)
    assert kinds == {"employee", "project", "customer"}


@pytest.mark.slow
def test_projects_of_somebody_are_those_of_the_team_filter(scenarios: list[Raw]) -> None:
    for one, ask, _ in _played(scenarios, "projects-of"):
        links = one["expect"]["links"]
        (who,) = links["employee"]["must"]
        body = {"team": {"employee_id": who}, "include_archived": True}
        rows = _all(ask, "/projects/search", "projects", one["page_limit"], **body)
        assert {row["id"] for row in rows} == set(links["project"]["must"])


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["--people", "5"], "12 to 300"),
        (["--people", "40-20"], "12 to 300"),
        (["--people", "many"], "12 to 300"),
        (["--mechanics", "plain"], "not for --benchmark company: --mechanics"),
        (["--benchmark", "shop"], "'shop' is not one of 'store', 'company'"),
    ],
)
def test_the_command_says_what_is_wrong(more: list[str], why: str) -> None:
    words = ["generate", "--benchmark", "company", "--seed", "cli", "--count", "2"]
    done = CliRunner().invoke(app, [*words, *more])
    assert (done.exit_code, why in done.output) == (2, True), done.output


def test_the_command_writes_a_pack_that_the_platform_takes(tmp_path: Path) -> None:
    words = ["--seed", "cli", "--count", "12", "--people", "14"]
    done = CliRunner().invoke(app, ["generate", "--benchmark", "company", *words])
    path = tmp_path / "pack.json"
    path.write_text(done.stdout, encoding="utf-8")
    pack = load_pack(path)
    assert (pack.name, len(pack.companies), len(pack.scenarios)) == ("generated-cli", 2, 12)
