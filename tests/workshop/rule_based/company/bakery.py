"""A small company of our own for the tests: records, pages, and tools that answer from them."""

from __future__ import annotations

import copy
from typing import Any

import regex

Wire = dict[str, Any]
PEOPLE: list[Wire] = [
    {
        "id": "b_01",
        "name": "Åse Brækhus",
        "department": "Ovens",
        "location": "Bergen – Bakery",
        "salary": 41000,
    },
    {
        "id": "b_02",
        "name": "Jörg Schäfer",
        "department": "Ovens",
        "location": "Bergen – Bakery",
        "salary": 43000,
    },
    {
        "id": "b_03",
        "name": "Ida Moe",
        "department": "Wage Office",
        "location": "Oslo Office",
        "salary": 52000,
    },
    {
        "id": "b_04",
        "name": "Ida Nygård",
        "department": "Chiefs",
        "location": "Oslo Office",
        "salary": 90000,
    },
]
for number, person in enumerate(PEOPLE):
    person |= {
        "email": f"{person['id']}@bakery.example",
        "notes": "",
        "skills": {"skill_dough": 5 + number},
        "wills": {"will_nights": 9},
    }
PROJECTS: list[Wire] = [
    {
        "id": "proj_rye",
        "name": "Rye Renewal",
        "description": "darker crust for the harbour kiosks",
        "customer": "cust_kiosk",
        "status": "active",
        "team": [
            {"employee": "b_01", "role": "Lead", "time_slice": 0.5},
            {"employee": "b_02", "role": "QA", "time_slice": 0.2},
        ],
    },
    {
        "id": "proj_oven",
        "name": "Oven Nine",
        "description": "our own oven gets a second door",
        "customer": "cust_bakery_internal",
        "status": "archived",
        "team": [{"employee": "b_02", "role": "Lead", "time_slice": 0.4}],
    },
]
CUSTOMERS: list[Wire] = [
    {
        "id": "cust_kiosk",
        "name": "Harbour Kiosks",
        "brief": "seven kiosks by the quay",
        "location": "Norway",
        "primary_contact_name": "Per Lie",
        "primary_contact_email": "per@kiosk.example",
        "deal_phase": "active",
        "high_level_status": "Key account",
        "account_manager": "b_04",
    },
]
RIGHTS = """# Rights

- **Strangers without a login.** May hear where our shops are and what day it is.
- **Everybody employed here.** May look up people, projects and customers; learn their own pay; \
change their own levels; record their own hours.
- **The Lead of a project.** May change its status and record draft hours for its team.
- **Wage Office.** May learn what a colleague earns, read notes and write notes, and change pay, \
once a chief has approved it in the note.
- **Chiefs.** May see how loaded others are, see others' skills, change a project's status, change \
teams and change pay.

Nobody may record approved hours for somebody else.
"""
PAGES = {
    "rights.md": RIGHTS,
    "shops.md": "# Our shops\n\nBergen and Oslo. The shop in Turku closed long ago.\n",
    "levels.md": "# Levels\n\nFrom 1 to 10; from 7 on we call it strong. "
    "Say `Levels:` to correct your own.\n\n"
    "- skill_dough: Sour dough\n- will_nights: Liking for nights\n",
    "load.md": "# Load\n\nLoad is the sum of shares over all projects that are active or paused.\n",
}


class Bakery:
    """Tools that answer from the records, and what was written with them."""

    def __init__(self, notes: dict[str, str] | None = None) -> None:
        self.people = copy.deepcopy(PEOPLE)
        for one in self.people:
            one["notes"] = (notes or {}).get(one["id"], "")
        self.written: list[tuple[str, Wire]] = []

    def run(self, code: str, p: Wire) -> Wire:
        """Run a program; what it reports."""
        reports: list[Wire] = []
        names = {*regex.findall(r"\b(?:Combo|Req)_\w+", code)}
        tools: Wire = {n: (lambda name=n, **given: self.call(name, given)) for n in names}
        exec(compile(code, "program", "exec"), {"p": p, "final_answer": reports.append, **tools})
        return reports[0]

    def call(self, name: str, given: Wire) -> Any:
        """The answer of a tool; of those that change something only that they were called."""
        match name:
            case "Combo_List_All_Employees":
                return copy.deepcopy(self.people)
            case "Combo_List_All_Projects":
                return copy.deepcopy(PROJECTS)
            case "Combo_List_All_Customers":
                return copy.deepcopy(CUSTOMERS)
            case "Combo_Read_Wiki_Pages":
                return {"pages": dict(PAGES)}
            case "Req_GetEmployee":
                return {"employee": next(x for x in self.people if x["id"] == given["id"])}
        self.written.append((name, given))
        return {}
