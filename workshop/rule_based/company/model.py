"""``playbook/company``: a model without a key that answers the prompts of evaluator and worker."""

from __future__ import annotations

from core.models.model_call import Message
from workshop.rule_based.company import next_step, programs
from workshop.rule_based.company.answers import Answer, done
from workshop.rule_based.company.strategy import decide
from workshop.rule_based.prompt import (
    UNKNOWN_INSTRUCTION,
    last_turn,
    read_instruction,
    section,
    user_text,
)

UNREADABLE = {"failed": "the report cannot be read"}


def reply(model: str, messages: list[Message]) -> str:
    """Answer a prompt. Raises LookupError: it is of no role played here, or a program broke off."""
    if model == "company-steps":
        return next_step.reply(messages)
    prompt = user_text(messages)
    task = section("task", prompt)
    if task is not None:
        return _evaluate(task, prompt)
    instruction = section("instruction", prompt)
    if instruction is not None:
        return _work(instruction)
    raise LookupError("the prompt holds neither a task nor an instruction")


def _evaluate(task: str, prompt: str) -> str:
    turn = last_turn(prompt)
    name, report = (turn[0].step, turn[1] or UNREADABLE) if turn else ("", None)
    findings = section("findings", prompt) or ""
    step = decide(task, section("briefing", prompt) or "", name, report, findings)
    if isinstance(step, Answer):
        return f"THOUGHT: {step.message}\nDECISION: FINISH\nINSTRUCTION: {step.render()}"
    reply = f"THOUGHT: {step.text}\nDECISION: PROCEED\nINSTRUCTION: {step.render()}"
    about = step.parameters.get("about")
    if about is None:
        return reply
    return f"{reply}\nIF DONE: {done(about).render()}"


def _work(text: str) -> str:
    instruction = read_instruction(text)
    if instruction is None or instruction.playbook != "company":
        return UNKNOWN_INSTRUCTION
    code = programs.code(instruction.step, instruction.parameters)
    return f"Thought: I follow the playbook, step {instruction.step}.\n<code>\n{code}</code>"
