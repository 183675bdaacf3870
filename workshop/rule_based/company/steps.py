"""``playbook/company-steps``: the same programs as typed calls, one for each step.

A program is run from its beginning for every prompt: calls that were answered before get their
answers again, the first one without an answer is the next step. What was answered so far stands
in the ``current_state`` of the last step, because older answers are shortened; an answer that does
not fit into a prompt whole is none.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import regex

from core.models.model_call import Message
from core.models.prompt_json import compact, packed, unpacked
from workshop.rule_based.company import programs
from workshop.rule_based.company.prompt import plain, section
from workshop.rule_based.company.strategy import Answer, Step, decide

_STEP = regex.compile(r'<step number="\d+">\n(?P<said>.*)\n(?P<came>.*)\n</step>')
_TOOL = regex.compile(r"\b(?:Combo|Req)_\w+")
_NOTE = "\nNote: "
_UNREAD = {"state": "failed", "message": "the records are too many to be read", "links": []}


class Wanted(BaseException):
    """The call that a program makes next. No program may catch it, so it is no Exception."""

    def __init__(self, tool: str, arguments: dict[str, Any]) -> None:
        super().__init__(tool)
        self.tool = tool
        self.arguments = arguments


def reply(messages: list[Message]) -> str:
    """The next step for a prompt, as JSON. Raises LookupError where it holds no task."""
    asked = "\n".join(m["content"] for m in messages if m["role"] == "user")
    task, briefing = section("task", asked), section("briefing", asked) or ""
    if task is None:
        raise LookupError("the prompt holds no task")
    name, report = "", None
    steps = [(plain(m["said"]), plain(m["came"])) for m in _STEP.finditer(asked)]
    if steps:
        try:
            name, parameters, seen = _note(steps[-1][0])
            results = [*seen, _came(steps[-1][1])]
            outcome = _run(name, parameters, results)
        except (ValueError, KeyError, TypeError):
            name, outcome = name or "look", _UNREAD
        if isinstance(outcome, Wanted):
            return _call(name, parameters, results, outcome)
        report = outcome
    step = decide(task, briefing, name, report, section("findings", asked) or "")
    if isinstance(step, Answer):
        return _completion(step)
    return _begun(step)


def _begun(step: Step) -> str:
    outcome = _run(step.name, step.parameters, [])
    if not isinstance(outcome, Wanted):
        raise LookupError(f"the program {step.name} calls nothing")
    return _call(step.name, step.parameters, [], outcome)


def _note(said: str) -> tuple[str, dict[str, Any], list[Any]]:
    """Program, parameters and earlier answers out of the last step; ValueError where it has none."""
    state = json.loads(said)["current_state"]
    name, parameters, seen = json.loads(state.rpartition(_NOTE)[2])
    return name, parameters, [unpacked(record) for record in seen]


def _came(text: str) -> dict[str, Any]:
    """What the last call was answered, as a record. Raises Cut where it is not whole."""
    said = json.loads(text)
    if "error" in said:
        return {"error": str(said["error"])}
    return {"value": unpacked(said["answer"])}


def _run(name: str, p: dict[str, Any], results: list[Any]) -> Wanted | dict[str, Any]:
    """A program's next call, or its report."""
    code = programs.code(name, p)
    reports: list[dict[str, Any]] = []
    left = list(results)

    def tool(name: str) -> Callable[..., Any]:
        def answer(**arguments: Any) -> Any:
            if not left:
                raise Wanted(name, arguments)
            record = left.pop(0)
            if "error" in record:
                raise RuntimeError(record["error"])
            return record["value"]

        return answer

    tools = {found: tool(found) for found in _TOOL.findall(code)}
    try:
        exec(compile(code, "program", "exec"), {"p": p, "final_answer": reports.append, **tools})
    except Wanted as wanted:
        return wanted
    return reports[0]


def _call(name: str, p: dict[str, Any], seen: list[Any], wanted: Wanted) -> str:
    note = compact([name, p, [packed(record) for record in seen]])
    return compact(
        {
            "current_state": f"Playbook company, {name}.{_NOTE}{note}",
            "plan_remaining_steps_brief": ["read what is needed", "complete with the answer"],
            "function": {"tool": wanted.tool, **wanted.arguments},
        }
    )


def _completion(answer: Answer) -> str:
    links = [{"kind": kind, "id": id_} for kind, id_ in answer.links or ()]
    final = {"outcome": answer.outcome, "message": answer.message, "links": links}
    return compact(
        {
            "current_state": answer.message,
            "plan_remaining_steps_brief": ["complete"],
            "function": {
                "tool": "TaskCompletion",
                "status": "solved",
                "reason": "by the playbook",
                "conditions": [answer.outcome],
                "final": final if answer.links is not None else {**final, "links": "auto"},
            },
        }
    )
