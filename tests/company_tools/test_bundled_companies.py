"""The companies of the bundled pack: every record is found by what a task may call it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.company_tools.kites import toolbox
from workshop.simulator.company.pack import BUNDLED_PACK

PACK = json.loads(BUNDLED_PACK.read_text(encoding="utf-8"))
COMPANIES: dict[str, dict[str, Any]] = PACK["companies"]


def names_of(table: str, one: dict[str, Any]) -> list[str]:
    """What a task may call a record."""
    name = one["name"]
    if table == "employees":
        first, *rest = name.split()
        return [name, " ".join([*rest, first]), one["id"], one["email"]]
    if table == "customers":
        return [name, one["primary_contact_email"], one["id"]]
    told = [one["description"]] * (len(one["description"].split()) >= 3)
    return [name, f"the {name.lower()} project", one["id"], *told]


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPANIES)
@pytest.mark.parametrize(
    ("table", "tool", "argument"),
    [
        ("employees", "Combo_Resolve_Person_For_Name", "name"),
        ("projects", "Combo_Resolve_Project_For_Phrase", "phrase"),
        ("customers", "Combo_Resolve_Customer_For_Phrase", "phrase"),
    ],
)
def test_every_record_is_among_the_best_for_its_names(
    name: str, table: str, tool: str, argument: str
) -> None:
    raw = COMPANIES[name]
    at = toolbox(raw, user=raw["employees"][0]["id"])
    for one in raw[table][:: 1 + len(raw[table]) // 20]:
        for said in names_of(table, one):
            answer = at.data(tool, **{argument: said})
            best = [c.get("id") for c in answer["candidates"][: answer["tied"]]]
            assert one["id"] in best, said
