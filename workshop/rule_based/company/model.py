"""The brain ``playbook/company``: a model without a key that answers the agent's own prompts.

It is a baseline. It knows nothing but its prompt: as the evaluator it reads task, briefing and the
worker's last report; as the worker it fills in a program.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import regex

from core.models.model_call import Message
from core.models.prompt_json import unpacked
from workshop.rule_based.company import programs, steps
from workshop.rule_based.company.prompt import section
from workshop.rule_based.company.strategy import Answer, decide

_TURN = regex.compile(r"<turn [^>]*>\n(.*?)\n</turn>", regex.DOTALL)
_RESULT = regex.compile(r"^RESULT: (.*)$", regex.MULTILINE)
_NOT_RUN = regex.compile(
    r"^ERROR: Code execution failed:\n(?:  line .*\n)*(.*)(?s:.*)^RESULT: none$", regex.MULTILINE
)
_HEADER = regex.compile(r"^Playbook: company / (\w+)$", regex.MULTILINE)
_PARAMETERS = regex.compile(r"^Parameters: (\{.*\})\s*$", regex.MULTILINE)
STEPS = "company-steps"
UNREADABLE = {"state": "failed", "message": "the report cannot be read", "links": []}


def reply(model: str, messages: list[Message]) -> str:
    """The answer to a prompt of the evaluator or of the worker, or of an agent of steps.

    Raises:
        LookupError: the prompt is of none of them, or tells of a program that could not run.
    """
    if model == STEPS:
        return steps.reply(messages)
    asked = "\n".join(m["content"] for m in messages if m["role"] == "user")
    task = section("task", asked)
    if task is not None:
        return _evaluate(task, asked)
    instruction = section("instruction", asked)
    if instruction is not None:
        return _work(instruction)
    raise LookupError("the prompt holds neither a task nor an instruction")


def _evaluate(task: str, asked: str) -> str:
    name, report = _last(asked)
    findings = section("findings", asked) or ""
    step = decide(task, section("briefing", asked) or "", name, report, findings)
    if isinstance(step, Answer):
        if turns_refused(asked):
            step = replace(step, links=None)
        return f"THOUGHT: {step.message}\nDECISION: FINISH\nINSTRUCTION: {step.closing()}"
    return f"THOUGHT: {step.why}\nDECISION: PROCEED\nINSTRUCTION: {step.instruction()}"


def turns_refused(asked: str) -> bool:
    """Whether the last FINISH was not taken."""
    turns = _TURN.findall(asked)
    return bool(turns) and _RESULT.search(turns[-1]) is None


def _last(asked: str) -> tuple[str, dict[str, Any] | None]:
    """The last step and its report; no report before the first step.

    Raises LookupError: the step's program did not run to its end, so that nothing is known.
    """
    turns = _TURN.findall(asked)
    if not turns:
        return "", None
    worked = [turn for turn in turns if _RESULT.search(turn)] or turns
    if broken := _NOT_RUN.search(worked[-1]):
        raise LookupError(f"its program does not run in this sandbox: {broken[1]}")
    header = _HEADER.search(worked[-1])
    result = _RESULT.findall(worked[-1])
    if header is None or not result:
        return "look", UNREADABLE
    try:
        report = unpacked(json.loads(result[-1]))
    except ValueError:
        report = None
    return header[1], report if isinstance(report, dict) else UNREADABLE


def _work(instruction: str) -> str:
    header, found = _HEADER.search(instruction), _PARAMETERS.search(instruction)
    parameters = json.loads(found[1]) if found else {}
    if header is None or not parameters:
        return (
            "Thought: This instruction follows no playbook that I know.\n"
            "<code>\nfinal_answer({'error': 'no playbook for this instruction'})\n</code>"
        )
    code = programs.code(header[1], parameters)
    return f"Thought: I follow the playbook, step {header[1]}.\n<code>\np = {parameters!r}\n{code}</code>"
