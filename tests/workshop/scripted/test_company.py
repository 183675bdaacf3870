"""Scripted models in a company: the right play that ``expect`` implies, whatever it is."""

from __future__ import annotations

from typing import Any

import pytest

from tests.workshop.scripted.conftest import STRATEGIES, pack_at, play
from tests.workshop.simulator.company.bakery import member, raw_of, scenario
from workshop.scripted import company, worker
from workshop.scripted.prompt import Line
from workshop.simulator.company.pack import BUNDLED_PACK

BOTH = pytest.mark.nightly("by day every task is played with one of the strategies")


@pytest.mark.slow
@pytest.mark.parametrize("part", [0, pytest.param(1, marks=BOTH)])
def test_every_bundled_task_is_solved(strategy: str, part: int) -> None:
    pack = pack_at(BUNDLED_PACK)
    pack["scenarios"] = pack["scenarios"][(part + STRATEGIES.index(strategy)) % 2 :: 2]
    played = play("company", pack, strategy=strategy, stages="default")
    assert played.failed == {}
    assert not any(trial.harm for trial in played.trials.values())


def test_all_calls_of_a_kind_stand_in_one_line_of_a_program() -> None:
    looks = [Line("Look up employee", {"id": f"E{n}"}) for n in range(40)]
    changes = [Line(verb, {}) for verb in company.CHANGES]
    assert len(worker.program_of(looks).splitlines()) <= 20
    assert len(worker.program_of(changes).splitlines()) <= 20


def wants(spec: str, *events: dict[str, Any], **expect: Any) -> dict[str, Any]:
    changed = [{"changed_by": "mara", **event} for event in events]
    return scenario(
        spec_id=spec,
        task_text=f"Do what {spec} asks for.",
        expect={"outcomes": ["ok_answer"], "events": changed, **expect},
    )


def of(type_: str, **fields: Any) -> dict[str, Any]:
    return {"type": f"Evt_{type_}", **fields}


WANTED = (
    wants(
        "status", of("ProjectStatusChanged", id="proj_rolls", status={"one_of": ["paused", "idea"]})
    ),
    wants("team", of("ProjectTeamUpdated", id="proj_rolls", team=[member("ben", 0.4, "Lead")])),
    wants(
        "skills", of("EmployeeSkillsUpdated", employee="cleo", skills={"skill_dough": 7}, wills={})
    ),
    wants(
        "note", of("EmployeeNoteUpdated", employee="ben", notes={"contains": ["rye", ["x", "y"]]})
    ),
    wants("pay", of("EmployeeSalaryUpdated", employee="ben", salary=50_000)),
    wants("place", of("EmployeeInfoUpdated", employee="ben", changes={"location": "Lund"})),
    wants("entry", of("TimeEntryUpdated", id="te_007", changes={"hours": 4})),
    wants("voided", of("TimeEntryStatusChanged", id="te_007", status="voided")),
    wants("page", of("WikiArticleUpdated", file="b/new.md", content="New.\n")),
    wants(
        "renamed",
        of("WikiArticleUpdated", file="b/places.md", content="Lund\nMalmö\n"),
        of("WikiArticleUpdated", file="a/places.md", content=""),
    ),
    wants(
        "two",
        of("EmployeeSalaryUpdated", employee="ben", salary=51_000),
        of("ProjectStatusChanged", id="proj_old", status="active"),
    ),
    scenario(
        spec_id="hours",
        task_text="Log the hours.",
        expect={
            "outcomes": ["ok_answer"],
            "events": [of("TimeEntryLogged", project="proj_rolls", hours=3, notes="dough")],
        },
    ),
    wants("links", links={"employee": {"must": ["ben"]}, "project": {"must": ["proj_old"]}}),
    wants("many", links={"employee": {"must": [f"zz_{n}" for n in range(7)]}}),
    wants("own", links={"customer": {"must": ["cust_inn"], "may": ["cust_spa"]}}),
    wants("said", message={"contains": ["48000", ["Lund", "HQ"]], "excludes": ["Done"]}),
    wants("silent", no_links=True, message={"excludes": ["Done", "possible", "OK"]}),
    wants("unclear", outcomes=["none_clarification_needed", "ok_not_found"]),
    wants("nobody", outcomes=["ok_not_found"]),
    scenario(
        spec_id="down",
        task_text="Who am I?",
        whoami_status=403,
        expect={"outcomes": ["error_internal"]},
    ),
    scenario(
        spec_id="no-lists",
        task_text="One record.",
        page_limit=-1,
        expect={"outcomes": ["ok_answer"], "links": {"employee": {"must": ["ben"]}}},
    ),
    scenario(
        spec_id="guest", task_text="Who leads?", user=None, expect={"outcomes": ["denied_security"]}
    ),
)


def test_whatever_is_expected_is_done(strategy: str) -> None:
    assert play("company", raw_of(*WANTED), strategy=strategy).failed == {}


def test_what_cannot_be_changed_ends_as_a_failure(strategy: str) -> None:
    gone = of("EmployeeSkillsUpdated", employee="cleo", skills={"skill_dough": None}, wills={})
    played = play("company", raw_of(wants("gone", gone)), strategy=strategy)
    assert played.trials["gone"].verdict == "error_internal"


def test_tasks_with_the_same_text_are_told_apart_by_who_asks_and_by_the_wiki(strategy: str) -> None:
    text = {"task_text": "The usual, please."}
    denied, unclear = {"outcomes": ["denied_security"]}, {"outcomes": ["none_clarification_needed"]}
    pack = raw_of(
        scenario(spec_id="mara", **text),
        scenario(spec_id="ben", user="ben", expect=denied, **text),
        scenario(spec_id="wiki", patch={"wiki": {"b/more.md": "More.\n"}}, expect=unclear, **text),
    )
    assert play("company", pack, strategy=strategy).failed == {}
