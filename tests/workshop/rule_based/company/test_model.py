"""The brain answers prompts in the forms that both roles have."""

from __future__ import annotations

import json

import pytest

from core.models.prompt_json import packed
from evaluator.decision import read_decision
from tests.workshop.rule_based.company.bakery import RIGHTS, Bakery
from workshop.rule_based import provider as brains

FACTS = json.dumps(
    {"user": {"id": "b_03", "department": "Wage Office"}, "leads": [], "today": "2025-06-03"}
)
TASK = "<task>\nWhat does Åse Brækhus earn?\n</task>\n"
BRIEFING = f"<briefing>\n{FACTS}\n{RIGHTS}\n</briefing>"


def asked(text: str) -> str:
    return str(brains.reply("company", [{"role": "user", "content": text}]))


def test_look_work_and_answer() -> None:
    decision = read_decision(asked(TASK + BRIEFING))
    assert decision.decision == "PROCEED"
    reply = asked(f"<instruction>\n{decision.instruction}\n</instruction>")
    code = reply.split("<code>\n")[1].split("</code>")[0]
    parameters = json.loads(decision.instruction.split("Parameters: ")[1])
    report = Bakery().run(code, parameters)
    turn = f"INSTRUCTION:\n{decision.instruction}\nRESULT: {json.dumps(packed(report))}"
    last = read_decision(
        asked(f'{TASK}<log>\n<turn number="1">\n{turn}\n</turn>\n</log>\n{BRIEFING}')
    )
    assert last.decision == "FINISH"
    assert last.instruction == "OUTCOME: ok_answer\nMESSAGE: 41000\nLINKS: employee:b_01"


def test_a_report_that_cannot_be_read_is_no_answer() -> None:
    turn = "INSTRUCTION:\nPlaybook: company / look\nRESULT: {broken"
    last = read_decision(
        asked(f'{TASK}<log>\n<turn number="1">\n{turn}\n</turn>\n</log>\n{BRIEFING}')
    )
    assert "OUTCOME: none_clarification_needed" in last.instruction


def test_a_prompt_of_no_role() -> None:
    with pytest.raises(LookupError):
        asked("hello")
    with pytest.raises(LookupError, match="playbook/company"):
        brains.reply("nobody", [])
