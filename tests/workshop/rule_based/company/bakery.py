"""A small company for the tests: its briefing, and tools that answer from three records."""

from __future__ import annotations

import json
from typing import Any

Wire = dict[str, Any]
RIGHTS = """== rights.md ==
# Rights

- **Strangers without a login.** May hear where our shops are and what day it is.
- **Everybody employed here.** May look up people, projects and customers; learn their own pay; \
record their own hours.
- **The Lead of a project.** May change its status and record draft hours for its team.
- **Wage Office.** May learn what a colleague earns, read notes and write notes.

Nobody may record approved hours for somebody else.
"""
PROJECT = {
    "id": "proj_rye",
    "name": "Rye Renewal",
    "customer": "cust_kiosk",
    "customer_name": "Harbour Kiosks",
    "status": "active",
    "score": 100,
    "team": [{"employee": "b_01", "role": "Lead", "time_slice": 0.5}],
}
PERSON = {"id": "b_01", "name": "Åse Brækhus", "department": "Ovens", "salary": 41000, "notes": ""}
NAMED = (
    "entities: named: Rye Renewal (project proj_rye)\n"
    "ties: proj_rye: the user's role there: {}, account manager of its customer: another"
)


def briefing(department: str = "Ovens", rights: str = RIGHTS, **more: Any) -> str:
    """What a prompt tells of the user ``b_01``."""
    user = {"id": "b_01", "department": department}
    facts = {"user": user, "leads": ["proj_rye"], "today": "2025-06-03", **more}
    return f"{json.dumps(facts)}\n{rights}"


def answer(name: str, given: Wire, written: list[tuple[str, Wire]]) -> Any:
    """The answer of a tool; of those that change something only that they were called."""
    match name:
        case "Combo_Resolve_Project_For_Phrase":
            return {"candidates": [json.loads(json.dumps(PROJECT))], "tied": 1}
        case "Combo_List_All_Employees":
            return {"employees": [dict(PERSON)]}
        case "Req_GetEmployee":
            return {"employee": dict(PERSON)}
        case "Req_GetCustomer":
            return {"company": {"id": "cust_kiosk", "account_manager": "b_04"}}
        case "Combo_Search_Wiki_For_Words":
            return {"chunks": []}
    written.append((name, given))
    return {}


def run(code: str) -> tuple[Wire, list[tuple[str, Wire]]]:
    """What a program reports, and what it wrote."""
    reports: list[Wire] = []
    written: list[tuple[str, Wire]] = []

    class Tools(dict[str, Any]):
        def __missing__(self, name: str) -> Any:
            if not name.startswith(("Combo_", "Req_")):
                raise KeyError(name)
            return lambda **given: answer(name, given, written)

    exec(compile(code, "program", "exec"), Tools(final_answer=reports.append))
    return reports[0], written
