"""Workload, skills and hours, with ties and zeros."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.ledger import ToolFault
from tests.company_tools.kites import Toolbox, level, person, project, staffed, toolbox


def test_workload_counts_every_status_and_shows_zeros_and_ties() -> None:
    answer = toolbox().data("Combo_Sum_Workload_For_Employees")
    sums = {one["id"]: one["workload"] for one in answer["people"]}
    assert len(sums) == 12
    assert (sums["una_berg"], sums["juergen_mueller"], sums["una_holm"]) == (0.7, 0.4, 0.0)
    assert answer["most"] == ["una_berg"]
    assert len(answer["least"]) == 10
    assert answer["people"][0]["projects"][1]["status"] == "archived"


def test_workload_of_statuses_and_places() -> None:
    at = toolbox()
    active = at.data("Combo_Sum_Workload_For_Employees", statuses="Active", department="SEWING")
    assert {one["id"]: one["workload"] for one in active["people"]}["una_berg"] == 0.5
    one = at.data("Combo_Sum_Workload_For_Employees", location="Dock - Bergen")
    assert [p["id"] for p in one["people"]] == ["djordje_cosic"]
    with pytest.raises(ToolFault, match="more than one location"):
        at.data("Combo_Sum_Workload_For_Employees", location="dock bergen")
    with pytest.raises(ToolFault, match="no department 'Moon'; there are: 'Sales', 'Sewing'"):
        at.data("Combo_Sum_Workload_For_Employees", department="Moon")


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 10)), max_size=12))
@settings(max_examples=25)
def test_tenths_add_up_without_dust(slices: list[tuple[int, int]]) -> None:
    staff = [person("una_berg", "Una Berg"), *(person(f"p_{n}", f"P Nr{n}") for n in range(4))]
    made = [
        project(f"proj_{at}", f"Job {at}", "", (f"p_{who}", tenths / 10, "QA"))
        for at, (who, tenths) in enumerate(slices)
    ]
    at = toolbox(staffed(*staff, projects=made))
    answer = at.data("Combo_Sum_Workload_For_Employees")
    wanted = {f"p_{n}": sum(t for who, t in slices if who == n) / 10 for n in range(4)}
    wanted["una_berg"] = 0.0
    assert {one["id"]: one["workload"] for one in answer["people"]} == wanted
    assert sorted(answer["most"]) == sorted(
        w for w, s in wanted.items() if s == max(wanted.values())
    )


def matched(at: Toolbox, **asked: Any) -> list[str]:
    return [one["id"] for one in at.data("Combo_Match_Employees_For_Skills", **asked)["people"]]


def test_people_who_have_the_levels_highest_first() -> None:
    at = toolbox()
    answer = at.data("Combo_Match_Employees_For_Skills", skills={"skill_sewing": 8})
    assert [one["id"] for one in answer["people"]] == ["juergen_mueller", "una_berg", "una_holm"]
    assert answer["most"] == ["juergen_mueller"]
    assert answer["least"] == ["una_berg", "una_holm"]
    assert answer["people"][1]["skills"] == {"skill_sewing": 8}
    assert matched(at, skills={"Sewing": 8}, department="sales") == ["una_holm"]
    assert matched(at, skills=["skill_sewing"], not_in_project="proj_sails") == ["una_holm"]
    assert matched(at, skills={"skill_sewing": 1}, wills={"travel": 1}) == ["una_berg"]


def test_a_skill_that_nobody_has_is_an_error_that_names_the_others() -> None:
    with pytest.raises(ToolFault, match="skill_cutting, skill_sewing"):
        matched(toolbox(), skills={"juggling": 3})


def test_levels_of_many_people_are_told_whatever_they_are() -> None:
    staff = [
        person(f"p_{n:02}", f"P Nr{n}", skills=[level("skill_a", n % 11), level("skill_b", 3)])
        for n in range(60)
    ]
    staff.append(person("una_berg", "Una Berg"))
    at = toolbox(staffed(*staff))
    answer = at.data("Combo_Match_Employees_For_Skills", skills={"skill_a": 0, "skill_b": 0})
    assert {one["id"]: one["skills"]["skill_a"] for one in answer["people"]} == {
        f"p_{n:02}": n % 11 for n in range(60)
    }


def test_hours_of_a_period_with_what_stands_behind_them() -> None:
    at = toolbox()
    may = {"date_from": "1.5.2025", "date_to": "31.05.2025"}
    answer = at.data("Combo_Sum_Hours_For_Period", **may)
    assert (answer["total"], answer["billable"], answer["other"]) == (3.7, 2.5, 1.2)
    assert answer["by_status"] == {"draft": 2.5, "voided": 1.2}
    assert [e["id"] for e in answer["entries"]] == ["te_001", "te_002"]
    hers = at.data("Combo_Sum_Hours_For_Period", **may, employee="Berg Una", project="Bright Sails")
    assert hers["total"] == 2.5
    none = at.data("Combo_Sum_Hours_For_Period", **may, customer="Circus Luna")
    assert (none["total"], none["entries"]) == (0.0, [])
    with pytest.raises(ToolFault, match="is after date_to"):
        at.data("Combo_Sum_Hours_For_Period", date_from="2025-06-01", date_to="2025-05-01")
