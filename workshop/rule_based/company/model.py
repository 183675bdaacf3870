"""``playbook/company``: a model without a key that answers the prompts of evaluator and worker."""

from __future__ import annotations

from typing import Any

from core.models.model_call import Message
from workshop.rule_based.company import programs
from workshop.rule_based.company.answers import Answer, done
from workshop.rule_based.company.strategy import decide
from workshop.rule_based.prompt import (
    Instruction,
    carry_out,
    last_turn,
    section,
    user_text,
)
from workshop.rule_based.stepping import Halted, Rehearsal, Wanted, last_rehearsal, render_step

_UNREADABLE = {"failed": "the report cannot be read"}
_REMAINING = ["complete with the answer"]


def reply(model: str, messages: list[Message]) -> str:
    """Answer a prompt of the evaluator, of the worker, or, as ``company-steps``, of next-step.

    Raises LookupError: it is of none of them, or a program broke off.
    """
    prompt = user_text(messages)
    task, instruction = section("task", prompt), section("instruction", prompt)
    if task is not None:
        return _step(task, prompt) if model == "company-steps" else _evaluate(task, prompt)
    if instruction is None or model == "company-steps":
        raise LookupError("the prompt holds neither a task nor an instruction")
    return carry_out(instruction, programs.code)


def _evaluate(task: str, prompt: str) -> str:
    turn = last_turn(prompt)
    name, report = (turn[0].step, turn[1] or _UNREADABLE) if turn else ("", None)
    briefing, findings = section("briefing", prompt) or "", section("findings", prompt) or ""
    step = decide(task, briefing, name, report, findings)
    if isinstance(step, Answer):
        return f"THOUGHT: {step.message}\nDECISION: FINISH\nINSTRUCTION: {step.render()}"
    reply = f"THOUGHT: {step.text}\nDECISION: PROCEED\nINSTRUCTION: {step.render()}"
    about = step.parameters.get("about")
    return reply if about is None else f"{reply}\nIF DONE: {done(about).render()}"


def _step(task: str, prompt: str) -> str:
    """The next step, as JSON: of the program that runs, else of what its report leads to."""
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
    links = [{"kind": kind, "id": id_} for kind, id_ in step.links]
    completion = {
        "tool": "TaskCompletion",
        "status": "solved",
        "reason": "by the playbook",
        "conditions": [step.outcome],
        "final": {"outcome": step.outcome, "message": step.message, "links": links},
    }
    return render_step(step.message, _REMAINING, completion)


def _run(rehearsal: Rehearsal) -> Wanted | dict[str, Any]:
    instruction = rehearsal.instruction
    return rehearsal.run(programs.code(instruction.step, instruction.parameters))
