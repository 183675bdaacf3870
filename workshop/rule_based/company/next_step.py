"""``playbook/company-steps``: the same programs as typed calls, one a step."""

from __future__ import annotations

from typing import Any

from core.models.model_call import Message
from workshop.rule_based.company import programs
from workshop.rule_based.company.answers import Answer
from workshop.rule_based.company.strategy import decide
from workshop.rule_based.prompt import Instruction, section, user_text
from workshop.rule_based.stepping import Halted, Rehearsal, Wanted, last_rehearsal, render_step

_REMAINING = ["complete with the answer"]


def reply(messages: list[Message]) -> str:
    """Write the next step for a prompt, as JSON. Raises LookupError where it holds no task."""
    prompt = user_text(messages)
    task = section("task", prompt)
    if task is None:
        raise LookupError("the prompt holds no task")
    name = ""
    report: dict[str, Any] | None = None
    try:
        if rehearsal := last_rehearsal(prompt):
            name = rehearsal.instruction.step
            wanted = _run(rehearsal)
            if isinstance(wanted, Wanted):
                return rehearsal.render(wanted, programs.purpose(name), _REMAINING)
            report = wanted
    except (Halted, KeyError) as reason:
        report = {"failed": str(reason)}
    briefing, findings = section("briefing", prompt) or "", section("findings", prompt) or ""
    step = decide(task, briefing, name, report, findings)
    if isinstance(step, Instruction):
        rehearsal = Rehearsal(step)
        wanted = _run(rehearsal)
        assert isinstance(wanted, Wanted), "each program calls a tool"
        return rehearsal.render(wanted, programs.purpose(step.step), _REMAINING)
    return _completion(step)


def _run(rehearsal: Rehearsal) -> Wanted | dict[str, Any]:
    instruction = rehearsal.instruction
    return rehearsal.run(programs.code(instruction.step, instruction.parameters))


def _completion(answer: Answer) -> str:
    links = [{"kind": kind, "id": id_} for kind, id_ in answer.links]
    final = {"outcome": answer.outcome, "message": answer.message, "links": links}
    done = {"tool": "TaskCompletion", "status": "solved", "reason": "by the playbook"}
    return render_step(
        answer.message, _REMAINING, {**done, "conditions": [answer.outcome], "final": final}
    )
