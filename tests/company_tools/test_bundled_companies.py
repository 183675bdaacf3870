"""The companies of the bundled pack: everybody is found by what a task may call them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from company_tools.ids import match_name
from tests.company_tools.kites import toolbox
from workshop.simulator.company.pack import BUNDLED_PACK

PACK = json.loads(BUNDLED_PACK.read_text(encoding="utf-8"))
COMPANIES: dict[str, dict[str, Any]] = PACK["companies"]


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPANIES)
def test_everybody_is_best_for_their_own_name_in_either_order(name: str) -> None:
    people = COMPANIES[name]["employees"]
    for one in people[:: 1 + len(people) // 20]:
        parts = one["name"].split()
        for said in (one["name"], " ".join([*parts[1:], parts[0]]), one["id"], one["email"]):
            scores = {
                p["id"]: match_name(said, p["id"], p["name"], p["email"]).score for p in people
            }
            assert scores[one["id"]] == max(scores.values()) >= 99


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPANIES)
def test_every_project_is_best_for_its_name_and_its_description(name: str) -> None:
    raw = COMPANIES[name]
    at = toolbox(raw, user=raw["employees"][0]["id"])
    for project in raw["projects"][:: 1 + len(raw["projects"]) // 20]:
        for said in (project["name"], f"the {project['name'].lower()} project", project["id"]):
            answer = at.data("Combo_Resolve_Project_For_Phrase", phrase=said)
            assert answer["candidates"][0]["id"] == project["id"], said
        if len(project["description"].split()) >= 3:
            answer = at.data("Combo_Resolve_Project_For_Phrase", phrase=project["description"])
            best = [c["id"] for c in answer["candidates"][: answer["tied"]]]
            assert project["id"] in best
    for customer in raw["customers"][:: 1 + len(raw["customers"]) // 20]:
        for said in (customer["name"], customer["primary_contact_email"], customer["id"]):
            answer = at.data("Combo_Resolve_Customer_For_Phrase", phrase=said)
            best = [c["id"] for c in answer["candidates"][: answer["tied"]]]
            assert customer["id"] in best, said
