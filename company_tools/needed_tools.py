"""Which tools an instruction can need: a worker is shown these whole, and the others by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import regex

from company_tools.stages.language import language
from core.ledger import Tool

_CHANGE = (
    r"set|change|update|add|remove|raise|lower|increase|reduce|write|replace|move|swap|assign|put|"
    r"archive|pause|activate|reactivate|record|log|book|enter|void|correct|rename|delete|save|"
    r"create|make|apply|give|empty|edit|exchange|append"
)
_TIME = r"hours?|time(?! slice)|timesheets?|entry|entries|te_\w+|billable|voided"
_SUBJECTS = {
    "Combo_Get_Current_User_With_Profile": r"users?|requester",
    "Combo_Get_Permission_Facts_For_Action": r"rights?|permissions?",
    "Combo_List_All_Time_Entries": _TIME,
    "Combo_Sum_Hours_For_Period": _TIME,
    "Combo_Log_Time_For_Project": _TIME,
    "Combo_Update_Time_Entry_For_Changes": _TIME,
    "Combo_Sum_Workload_For_Employees": r"workloads?|loads?|time slices?|shares?|bus\w+|capacity",
    "Combo_Match_Employees_For_Skills": r"skill\w*|will\w*|levels?",
    "Combo_Resolve_Person_For_Name": r"resolve|find|search|candidates?|called|contacts?",
    "Combo_Resolve_Project_For_Phrase": r"resolve|find|search|candidates?|called|described",
    "Combo_Resolve_Customer_For_Phrase": r"resolve|find|search|candidates?|called|described",
    "Combo_Search_Wiki_For_Words": r"wiki|pages?|\w+\.md",
    "Combo_Read_Wiki_Pages": r"wiki|pages?|\w+\.md",
    "Combo_Write_Wiki_Pages": r"wiki|pages?|\w+\.md",
    "Combo_Rename_Wiki_Page": r"wiki|pages?|\w+\.md",
    "Combo_Update_Employee_For_Changes": (
        r"salar\w+|pay|notes?|locations?|departments?|skill\w*|will\w*|levels?"
    ),
    "Combo_Update_Team_For_Changes": r"teams?|roles?|members?|time slices?|shares?",
    "Req_UpdateProjectStatus": r"status\w*",
}
"""Words by which an instruction speaks of what a tool is for; what is not here is always shown."""
_WORDS = {
    name: regex.compile(rf"(?<![\p{{L}}\p{{N}}_])(?:{words})(?![\p{{L}}\p{{N}}_])", regex.I)
    for name, words in _SUBJECTS.items()
}
_ORDER = regex.compile(rf"\b(?:{_CHANGE})\b", regex.I)
_NO_ORDER = regex.compile(r"\b(?:change nothing|nothing else|(?:do not|don't) change \w+)", regex.I)


def as_needed(tools: Iterable[Tool], instruction: str) -> list[Tool]:
    """The tools, those by name alone that an instruction in English does not speak of.

    Of a tool that writes it has to order a change as well. In other languages all are shown.
    """
    if language(instruction) not in ("", "english"):
        return list(tools)
    orders = _ORDER.search(_NO_ORDER.sub(" ", instruction)) is not None
    return [
        tool
        if (tool.kind == "read" or orders) and _speaks_of(tool, instruction)
        else replace(tool, name_only=True)
        for tool in tools
    ]


def _speaks_of(tool: Tool, instruction: str) -> bool:
    words = _WORDS.get(tool.name)
    return words is None or tool.name in instruction or words.search(instruction) is not None
