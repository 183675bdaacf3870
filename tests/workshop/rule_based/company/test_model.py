"""Both roles are played over their prompts; steps make the same calls one by one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.models.prompt_json import compact, packed
from tests.replies import read_decision
from tests.workshop.rule_based.company.bakery import NAMED, answer, briefing, run
from workshop.rule_based import provider


def asked(text: str, model: str = "company") -> str:
    return str(provider.reply(model, [{"role": "user", "content": text}]))


def prompt(task: str, turns: str = "") -> str:
    told = f"<findings>\n{NAMED.format('Lead')}\n</findings>\n<briefing>\n{briefing()}\n</briefing>"
    return f"<task>\n{task}\n</task>\n<log>\n{turns}\n</log>\n{told}"


def test_look_work_and_answer() -> None:
    decision = read_decision(asked(prompt("Who leads Rye Renewal?")))
    assert decision.decision == "PROCEED"
    reply = asked(f"<instruction>\n{decision.instruction}\n</instruction>")
    report, _ = run(reply.split("<code>\n")[1].split("</code>")[0])
    result = f"INSTRUCTION:\n{decision.instruction}\nRESULT: {json.dumps(packed(report))}"
    turn = f'<turn number="1">\n{result}\n</turn>'
    last = read_decision(asked(prompt("Who leads Rye Renewal?", turn)))
    assert last.decision == "FINISH"
    assert last.instruction.startswith("OUTCOME: ok_answer\nMESSAGE: Åse Brækhus")


def test_a_report_that_cannot_be_read_is_no_answer() -> None:
    turn = '<turn number="1">\nINSTRUCTION:\nPlaybook: company / project\nRESULT: {broken\n</turn>'
    last = read_decision(asked(prompt("Who leads Rye Renewal?", turn)))
    assert "OUTCOME: none_clarification_needed" in last.instruction


def test_a_prompt_of_no_role() -> None:
    with pytest.raises(LookupError):
        asked("hello")
    with pytest.raises(LookupError, match="playbook/company"):
        provider.reply("nobody", [])


@pytest.mark.parametrize(
    ("task", "writes"), [("Who leads Rye Renewal?", 0), ("Pause Rye Renewal.", 1)]
)
def test_steps_come_to_the_same_end(task: str, writes: int) -> None:
    steps, written = "", list[tuple[str, dict[str, Any]]]()
    for number in range(1, 9):
        said = asked(
            prompt(task).replace("<log>", f"<steps>\n{steps}</steps>\n<log>"), "company-steps"
        )
        call = json.loads(said)["function"]
        name = call.pop("tool")
        if name == "TaskCompletion":
            assert call["final"]["outcome"] == "ok_answer"
            assert len(written) == writes
            return
        came = f'{{"answer":{compact(packed(answer(name, call, written)))}}}'
        steps += f'<step number="{number}">\n{said}\n{came}\n</step>\n'
    raise AssertionError("it does not come to an end")
