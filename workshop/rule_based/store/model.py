"""The playbook brain: ``playbook/store``, a model without a key that answers the same prompts.

It is a baseline. It knows nothing but its prompt: as the evaluator it reads the task text with the
grammar and the worker's last report; as the worker it fills in a playbook's program.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import regex

from core.models.model_call import Message
from core.models.prompt_json import unpacked
from workshop.rule_based.store import literal, next_step
from workshop.rule_based.store.facts import Facts, read_facts
from workshop.rule_based.store.grammar import read_order
from workshop.rule_based.store.kinds.judging import judged
from workshop.rule_based.store.library import program
from workshop.rule_based.store.playbook import Decline, read_instruction
from workshop.rule_based.store.strategy import plan
from workshop.rule_based.store.variant_selection import phrases

_TASK = regex.compile(r"<task>\n(.*?)\n</task>", regex.DOTALL)
_TURN = regex.compile(r"<turn [^>]*>\n(.*?)\n</turn>", regex.DOTALL)
_RESULT = regex.compile(r"^RESULT: (.*)$", regex.MULTILINE)
_INSTRUCTION = regex.compile(r"<instruction>\n(.*?)\n</instruction>", regex.DOTALL)


STEPS = "next-step"


def reply(model: str, messages: list[Message]) -> str:
    """The answer to a prompt of the evaluator or of the worker, or of an agent of steps.

    Raises:
        LookupError: the prompt is of none of them.
    """
    if model == STEPS:
        return next_step.reply(messages)
    asked = "\n".join(m["content"] for m in messages if m["role"] == "user")
    task = _TASK.search(asked)
    if task:
        rules = literal.system_of(messages) if model == literal.NAME else None
        return _evaluate(task[1], asked, rules)
    instruction = _INSTRUCTION.search(asked)
    if instruction:
        return _work(instruction[1])
    raise LookupError("the prompt holds neither a task nor an instruction")


def _evaluate(task: str, asked: str, rules: str | None = None) -> str:
    """``rules``: what alone is followed; None: all that is known."""
    order, facts = read_order(task), _last_facts(asked)
    if rules is not None:
        order = literal.as_told(order, rules)
    step = plan(order, judged(phrases(order), facts))
    if rules is not None:
        step = literal.buys_all_the_same(rules)(facts, step)
    if isinstance(step, Decline):
        return f"THOUGHT: I do not buy: {step.why}.\nDECISION: FINISH\nINSTRUCTION: DECLINED: {step.why}"
    return f"THOUGHT: {step.why}\nDECISION: PROCEED\nINSTRUCTION: {step.instruction()}"


def _last_facts(asked: str) -> Facts:
    turns = _TURN.findall(asked)
    if not turns:
        return Facts()
    header = read_instruction(turns[-1])
    result = _RESULT.findall(turns[-1])
    if header is None or not result:
        return Facts(step="unreadable")
    _, step, parameters = header
    try:
        report = unpacked(json.loads(result[-1]))
    except ValueError:  # Cut is one: half a report is none
        report = None
    if not isinstance(report, Mapping):
        return Facts(step="unreadable")
    return read_facts(step, report, parameters)


def _work(instruction: str) -> str:
    header = read_instruction(instruction)
    code = program(header[0], header[1]) if header else None
    if header is None or code is None:
        return (
            "Thought: This instruction follows no playbook that I know.\n"
            "<code>\nfinal_answer({'error': 'no playbook for this instruction'})\n</code>"
        )
    playbook, step, parameters = header
    return f"Thought: I follow {playbook}, step {step}.\n<code>\np = {parameters!r}\n{code}</code>"
