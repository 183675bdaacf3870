"""Replies of models in a company that are said whatever the prompt is, by strategy."""

from __future__ import annotations

import json
from typing import Any

STRATEGIES = ("evaluator-worker", "next-step")


def finish(strategy: str, outcome: str = "ok_answer", message: str = "Yes.") -> str:
    """The reply that ends the task."""
    if strategy == "next-step":
        final = {"outcome": outcome, "message": message, "links": "auto"}
        return _step(tool="TaskCompletion", status="solved", conditions=["c"], final=final)
    words = f"OUTCOME: {outcome}\nMESSAGE: {message}\nLINKS: auto"
    return f"THOUGHT: x\nDECISION: FINISH\nINSTRUCTION: {words}"


def act(strategy: str, tool: str, arguments: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The replies of evaluator and worker that call one tool; the worker then gives up."""
    if strategy == "next-step":
        return [_step(tool=tool, **arguments)], []
    code = f"Thought: x\n<code>\nfinal_answer({tool}(**{arguments}))\n</code>"
    gives_up = "Thought: x\n<code>\nfinal_answer('it fails')\n</code>"
    return [f"THOUGHT: x\nDECISION: PROCEED\nINSTRUCTION: Call {tool}."], [code, gives_up]


def _step(**function: Any) -> str:
    return json.dumps(
        {"current_state": "s", "plan_remaining_steps_brief": ["p"], "function": function}
    )
