"""``playbook/company-steps``: the same programs, of which each step makes the first unanswered call."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import regex

from core.models.model_call import Message
from core.models.prompt_json import compact, packed, unpacked
from workshop.rule_based.company import programs
from workshop.rule_based.company.answers import Answer
from workshop.rule_based.company.strategy import decide
from workshop.rule_based.prompt import plain, section, user_text

_STEP = regex.compile(r'<step number="\d+">\n(?P<said>.*)\n(?P<came>.*)\n</step>')
_TOOL = regex.compile(r"\b(?:Combo|Req)_\w+")
_NOTE = "\nNote: "


class Wanted(BaseException):
    """A program's next call, tool and arguments. No program may catch it, so it is no Exception."""


def reply(messages: list[Message]) -> str:
    """The next step for a prompt, as JSON. Raises LookupError where it holds no task."""
    asked = user_text(messages)
    task = section("task", asked)
    if task is None:
        raise LookupError("the prompt holds no task")
    name = ""
    report: dict[str, Any] | None = None
    if steps := _STEP.findall(asked):
        try:
            name, p, seen = _note(plain(steps[-1][0]))
            came = json.loads(plain(steps[-1][1]))
            said = {"error": str(came.get("error"))}
            results = [*seen, said if "error" in came else {"value": unpacked(came["answer"])}]
            wanted = _run(name, p, results)
        except (ValueError, KeyError, TypeError):
            wanted = {"failed": "the records are too many to be read"}
        if isinstance(wanted, Wanted):
            return _call(name, p, results, wanted)
        report = wanted
    briefing, findings = section("briefing", asked) or "", section("findings", asked) or ""
    step = decide(task, briefing, name, report, findings)
    if isinstance(step, Answer):
        return _completion(step)
    first = _run(step.step, step.parameters, [])
    assert isinstance(first, Wanted), "each program calls a tool"
    return _call(step.step, step.parameters, [], first)


def _note(said: str) -> tuple[str, dict[str, Any], list[Any]]:
    """Program, parameters and earlier answers out of the last step; ValueError where it has none."""
    state = json.loads(said)["current_state"]
    name, p, seen = json.loads(state.rpartition(_NOTE)[2])
    return name, p, [unpacked(record) for record in seen]


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
        exec(compile(code, "program", "exec"), {"final_answer": reports.append, **tools})
    except Wanted as wanted:
        return wanted
    return reports[0]


def _call(name: str, p: dict[str, Any], seen: list[Any], wanted: Wanted) -> str:
    note = compact([name, p, [packed(record) for record in seen]])
    tool, arguments = wanted.args
    return _step(f"{programs.purpose(name)}{_NOTE}{note}", {"tool": tool, **arguments})


def _completion(answer: Answer) -> str:
    links = [{"kind": kind, "id": id_} for kind, id_ in answer.links]
    final = {"outcome": answer.outcome, "message": answer.message, "links": links}
    done = {"tool": "TaskCompletion", "status": "solved", "reason": "by the playbook"}
    return _step(answer.message, {**done, "conditions": [answer.outcome], "final": final})


def _step(state: str, function: dict[str, Any]) -> str:
    left = {"plan_remaining_steps_brief": ["complete with the answer"], "function": function}
    return compact({"current_state": state, **left})
