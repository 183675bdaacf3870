"""Replies of models in a company that are said whatever the prompt is, by strategy."""

from __future__ import annotations

import json
from typing import Any

STRATEGIES = ("evaluator-worker", "next-step")


def finish(
    strategy: str = "evaluator-worker", outcome: str = "ok_answer", message: str = "Yes.",
    links: object = "auto",
) -> str:  # fmt: skip
    """The reply that ends the task."""
    if strategy == "next-step":
        final = {"outcome": outcome, "message": message, "links": links}
        return step(tool="TaskCompletion", status="solved", conditions=["c"], final=final)
    words = f"OUTCOME: {outcome}\nMESSAGE: {message}\nLINKS: {links}"
    return f"THOUGHT: x\nDECISION: FINISH\nINSTRUCTION: {words}"


def proceed(instruction: str) -> str:
    """The evaluator's reply that has something done."""
    return f"THOUGHT: x\nDECISION: PROCEED\nINSTRUCTION: {instruction}"


def program(code: str) -> str:
    """The worker's reply with a program."""
    return f"Thought: x\n<code>\n{code}\n</code>"


def act(strategy: str, tool: str, arguments: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The replies of evaluator and worker that call one tool; the worker then gives up."""
    if strategy == "next-step":
        return [step(tool=tool, **arguments)], []
    code = program(f"final_answer({tool}(**{arguments}))")
    return [proceed(f"Call {tool}.")], [code, program("final_answer('it fails')")]


def step(**function: Any) -> str:
    """The reply of a step that calls this function."""
    return json.dumps(
        {"current_state": "s", "plan_remaining_steps_brief": ["p"], "function": function}
    )
