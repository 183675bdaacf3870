"""``playbook/store``: a model without a key that answers the prompts of evaluator and worker.

It is a baseline. It knows nothing but its prompt: as the evaluator it reads the task text with the
grammar and the worker's last report; as the worker it fills in a program.
"""

from __future__ import annotations

from core.models.model_call import Message
from workshop.rule_based.prompt import (
    Instruction,
    carry_out,
    last_turn,
    section,
    user_text,
)
from workshop.rule_based.store import next_step, programs
from workshop.rule_based.store.facts import Facts, read_facts
from workshop.rule_based.store.grammar.read import read_order
from workshop.rule_based.store.kinds.judging import judged
from workshop.rule_based.store.matching import phrases
from workshop.rule_based.store.strategy import Decline, plan


def reply(model: str, messages: list[Message]) -> str:
    """Answer a prompt of the evaluator, of the worker, or of next-step.

    Raises LookupError: the prompt is of none of them, or a program broke off.
    """
    if model == "next-step":
        return next_step.reply(messages)
    prompt = user_text(messages)
    task = section("task", prompt)
    if task is not None:
        order, facts = read_order(task), last_facts(prompt)
        return render(plan(order, judged(phrases(order), facts)))
    instruction = section("instruction", prompt)
    if instruction is not None:
        return carry_out(instruction, programs.code)
    raise LookupError("the prompt holds neither a task nor an instruction")


def render(step: Instruction | Decline) -> str:
    """Write a step as the evaluator's decision."""
    if isinstance(step, Decline):
        return f"THOUGHT: I do not buy: {step.why}.\nDECISION: FINISH\nINSTRUCTION: DECLINED: {step.why}"
    return f"THOUGHT: {step.why}\nDECISION: PROCEED\nINSTRUCTION: {step.render()}"


def last_facts(prompt: str) -> Facts:
    """Read what the worker has reported last."""
    turn = last_turn(prompt)
    if turn is None:
        return Facts()
    instruction, report = turn
    if report is None:
        return Facts(step="unreadable")
    return read_facts(instruction.step, report, instruction.parameters)
