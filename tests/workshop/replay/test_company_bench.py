"""Recorded calls turned into a scenario that the platform can serve."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.company_tools.kites import Toolbox, toolbox
from workshop.replay.company_bench import scenario_of
from workshop.simulator.company.pack import CompanyPack
from workshop.simulator.worlds import load_pack


def saved(at: Toolbox, folder: Path, result: dict[str, Any] | None = None) -> CompanyPack:
    path = folder / "pack.json"
    scenario = scenario_of("spec", "Do it", at.ledger.calls, result)
    path.write_text(json.dumps(scenario))
    pack = load_pack(path)
    assert isinstance(pack, CompanyPack)
    return pack


def test_what_answers_have_shown_is_in_the_company(tmp_path: Path) -> None:
    at = toolbox()
    at.call("Combo_Get_Current_User_With_Profile")
    at.call("Combo_List_All_Employees", details=True)
    at.call("Combo_List_All_Time_Entries", employee="una_berg")
    at.call("Combo_Read_Wiki_Pages", files=["places/Bergen.md"])
    pack = saved(at, tmp_path)
    (company,) = pack.companies.values()
    (scenario,) = pack.scenarios
    una = next(one for one in company.employees if one.id == "una_berg")
    assert (una.notes, {one.name: one.level for one in una.skills}) == (
        "likes wind",
        {"skill_cutting": 6, "skill_sewing": 8},
    )
    assert [one.id for one in company.time_entries] == ["te_001", "te_003"]
    # What an entry only points to is there as well.
    assert {one.id for one in company.projects} == {"proj_sails"}
    assert {one.id for one in company.customers} == {"cust_school"}
    assert list(company.wiki) == ["places/Bergen.md"]
    assert scenario.user == "una_berg"


def test_changes_that_scored_are_what_is_expected(tmp_path: Path) -> None:
    at = toolbox()
    at.call("Combo_List_All_Employees", details=True)
    at.call("Combo_List_All_Projects")
    at.call("Combo_Update_Employee_For_Changes", employee="una_holm", salary=90000)
    at.call("Combo_Update_Employee_For_Changes", employee="una_berg", skills={"skill_sewing": 9})
    at.call("Req_UpdateProjectStatus", id="proj_sails", status="paused")
    result = {"score": 1, "verdict": "ok_answer"}
    (scenario,) = saved(at, tmp_path, result).scenarios
    assert scenario.expect.outcomes == ("ok_answer",)
    fields = [one.model_dump(exclude_none=True) for one in scenario.expect.events]
    assert [one["type"] for one in fields] == [
        "Evt_EmployeeSalaryUpdated",
        "Evt_EmployeeSkillsUpdated",
        "Evt_ProjectStatusChanged",
    ]
    assert fields[1]["skills"] == {"skill_sewing": 9}


def test_without_a_score_nothing_is_known_of_the_changes(tmp_path: Path) -> None:
    at = toolbox()
    at.call("Combo_List_All_Employees")
    at.call("Combo_Update_Employee_For_Changes", employee="una_holm", salary=90000)
    (scenario,) = saved(at, tmp_path, {"score": 0, "verdict": "ok_answer"}).scenarios
    assert scenario.expect.events == ()
