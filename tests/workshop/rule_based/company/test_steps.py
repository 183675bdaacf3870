"""The same programs one call at a time: what was answered stands in the prompt alone."""

from __future__ import annotations

import json
from typing import Any

from core.models.prompt_json import compact, packed
from tests.workshop.rule_based.company.bakery import RIGHTS, Bakery
from workshop.rule_based import provider as brains

FACTS = json.dumps(
    {"user": {"id": "b_01", "department": "Ovens"}, "leads": ["proj_rye"], "today": "2025-06-03"}
)


def prompt(task: str, steps: list[tuple[str, str]]) -> list[Any]:
    told = "".join(
        f'<step number="{n}">\n{said}\n{came}\n</step>\n' for n, (said, came) in enumerate(steps, 1)
    )
    text = (
        f"<task>\n{task}\n</task>\n<steps>\n{told}</steps>\n"
        f"<briefing>\n{FACTS}\n{RIGHTS}\n</briefing>"
    )
    return [{"role": "user", "content": text}]


def played(task: str) -> tuple[dict[str, Any], list[tuple[str, dict[str, Any]]]]:
    """The completion of a task and what was written on the way."""
    bakery = Bakery()
    steps: list[tuple[str, str]] = []
    for _ in range(8):
        said = str(brains.reply("company-steps", prompt(task, steps)))
        function = json.loads(said)["function"]
        if function["tool"] == "TaskCompletion":
            final: dict[str, Any] = function["final"]
            return final, bakery.written
        name, arguments = function.pop("tool"), function
        steps.append((said, f'{{"answer":{compact(packed(bakery.call(name, arguments)))}}}'))
    raise AssertionError("it does not come to an end")


def test_a_question() -> None:
    final, written = played("Who leads Rye Renewal?")
    assert final["outcome"] == "ok_answer"
    assert final["links"] == [
        {"kind": "employee", "id": "b_01"},
        {"kind": "project", "id": "proj_rye"},
    ]
    assert not written


def test_a_change_is_made_once() -> None:
    final, written = played("Pause Rye Renewal.")
    assert final["outcome"] == "ok_answer"
    assert written == [("Req_UpdateProjectStatus", {"id": "proj_rye", "status": "paused"})]


def test_an_answer_that_is_cut_is_none() -> None:
    said = str(brains.reply("company-steps", prompt("Who leads Rye Renewal?", [])))
    cut = '{"answer":{"columns":["id","name"],"rows":[["b_01","Åse"]],"more":90}}'
    last = json.loads(str(brains.reply("company-steps", prompt("Who leads Rye?", [(said, cut)]))))
    assert last["function"]["final"]["outcome"] == "none_clarification_needed"
