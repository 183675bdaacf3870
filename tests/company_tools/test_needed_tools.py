"""Which tools a worker is shown whole for an instruction, and which by name alone."""

from __future__ import annotations

import pytest

from company_tools.toolbox import as_needed, shown_tools
from core.ledger import Tool
from worker.worker import system_prompt

WRITES = "Combo_Update_Employee_For_Changes"


def offered() -> list[Tool]:
    return [tool for tool in shown_tools() if tool.told and not tool.final]


def shown(instruction: str) -> set[str]:
    return {tool.name for tool in as_needed(offered(), instruction) if not tool.name_only}


@pytest.mark.parametrize(
    ("instruction", "needed"),
    [
        ("Set the salary of employee kim_vos to 50000 and report before and after.", WRITES),
        ("Rename the wiki page a.md to b.md.", "Combo_Rename_Wiki_Page"),
        ("Archive the project proj_a: set its status to archived.", "Req_UpdateProjectStatus"),
        ("Log 3 hours for kim_vos on proj_a.", "Combo_Log_Time_For_Project"),
        ("Report the hours of kim_vos in May.", "Combo_Sum_Hours_For_Period"),
        ("Report everybody's workload over all projects.", "Combo_Sum_Workload_For_Employees"),
        ("Resolve the person called Vos.", "Combo_Resolve_Person_For_Name"),
        ("Read proj_a.", "Req_GetProject"),
    ],
)
def test_a_tool_that_an_instruction_speaks_of_is_shown_whole(instruction: str, needed: str) -> None:
    assert needed in shown(instruction)


def test_a_look_up_is_shown_no_tool_that_writes() -> None:
    kinds = {tool.name: tool.kind for tool in offered()}
    asked = "Read employee kim_vos and report the salary and the notes. Change nothing."
    assert all(kinds[name] == "read" for name in shown(asked))


def test_an_instruction_in_another_language_is_shown_all_tools() -> None:
    names = {tool.name for tool in offered()}
    assert shown("Bitte lies die Person und sage, wie die Notiz ist und was sie verdient.") == names
    assert shown("读取员工记录并报告薪水") == names


def test_a_worker_is_told_the_names_of_the_tools_that_it_is_not_shown() -> None:
    text = system_prompt(as_needed(offered(), "Read employee kim_vos."))
    assert all(tool.name in text for tool in offered())
    assert len(text) < len(system_prompt(offered())) / 2
