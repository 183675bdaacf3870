"""A step, read out of what models really send."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from core.models.model_call import ModelCall
from core.models.reply_json import find_json, fold
from core.models.reply_text import Misread
from core.models.reprompt import answer_of
from next_step.forms import COMPLETION, PROBLEMS_SHOWN, Forms, NextStep, explain

_NAME_KEYS = ("tool", "name", "tool_name", "function", "action", "type")
"""Under which of these the name of a function comes, the right one first."""
_QUEUE_KEYS = (
    "action_queue", "functions", "actions", "next_actions", "calls", "tool_calls", "queue",
)  # fmt: skip
"""Under which of these a queue of functions comes, in the place of ``function``."""
_ARGUMENT_KEYS = ("arguments", "args", "parameters", "input", "params")
_WRAPPER = frozenset({"type", "id", "index", "function"})
"""The fields of a call as APIs have it."""
_BESIDE_QUEUE = ("response", "answer", "thoughts", "thought")
"""What stands beside a queue in the place of the state; an object is the answer of the end."""
MOST_PLANNED = 5
MOST_QUEUED = 20
EXAMPLE = (
    '{"current_state": "what is known and what is missing", "plan_remaining_steps_brief": '
    '["next", "after that"], "function": {"tool": "name of a function", "argument": "value"}}'
)
"""The form as the prompt shows it."""


@dataclass(frozen=True)
class Step:
    """A step as the model asked for it."""

    current_state: str
    plan: tuple[str, ...]
    functions: tuple[dict[str, Any], ...]
    """Each with ``tool`` first, then the arguments; checked by :meth:`Forms.check` when called."""
    prepared: str = ""
    """The final answer that holds if the functions take effect as ordered; "" for none."""

    @property
    def call(self) -> str:
        """The function as canonical JSON, or the list of those of a queue."""
        one = self.functions[0] if len(self.functions) == 1 else self.functions
        return json.dumps(one, ensure_ascii=False, separators=(",", ":"))


def read_step(forms: Forms, call: ModelCall) -> Step:
    """Read a reply; prose around it, wrappers, other spellings of keys and names are taken.

    A function that does not exist or is used wrongly is taken too: calling it says what is wrong.

    Raises:
        Misread: there is no step in it, in words for the model.
    """
    text = answer_of(call)
    fields = _with_queue(forms, text) or find_json(text, ["function"], forms.words)
    if fields is None:
        raise Misread("it holds no JSON object with the field function, or differing ones")
    functions = _functions(forms, fields["function"])
    if fold(functions[0]["tool"]) == "nextstep" and "function" in functions[0]:
        # The form itself was called, as some providers have it.
        fields, functions = functions[0], _functions(forms, functions[0]["function"])
    prepared = _take_prepared(forms, fields, functions)
    plan = fields.get("plan_remaining_steps_brief")
    steps = [plan] if isinstance(plan, str) else plan
    said = {
        "current_state": fields.get("current_state"),
        "plan_remaining_steps_brief": steps[:MOST_PLANNED] if isinstance(steps, list) else steps,
    }
    try:
        form = NextStep.model_validate({k: v for k, v in said.items() if v is not None})
    except ValidationError as error:
        raise Misread("; ".join(explain(error)[:PROBLEMS_SHOWN])) from None
    planned = tuple(form.plan_remaining_steps_brief)
    return Step(form.current_state, planned, tuple(functions[:MOST_QUEUED]), prepared)


def _with_queue(forms: Forms, text: str) -> dict[str, object] | None:
    """The step that holds a queue of functions; what stands beside it fills in its other fields."""
    for key in _QUEUE_KEYS:
        fields = find_json(text, [key], forms.words)
        queue = fields and fields[key]
        if not fields or not isinstance(queue, list) or not queue or "function" in fields:
            continue
        beside = [fields[name] for name in _BESIDE_QUEUE if name in fields]
        state = next((one for one in beside if isinstance(one, str)), None)
        answer = next((one for one in beside if isinstance(_opened(one), dict)), None)
        names = [function["tool"] or "call" for function in _functions(forms, queue)]
        filled = {"current_state": state, "plan_remaining_steps_brief": names, "if_done": answer}
        return {k: v for k, v in filled.items() if v is not None} | fields | {"function": queue}
    return None


def _take_prepared(forms: Forms, fields: dict[str, object], functions: list[dict[str, Any]]) -> str:
    """The answer that a step prepares, which is taken out of its functions; "" for none.

    Behind other functions a completion that would end the task is one: it holds if they do.
    """
    within = [function.pop("if_done", None) for function in functions]
    last = functions[-1]
    is_behind = len(functions) > 1 and last["tool"] == COMPLETION
    if is_behind and (prepared := forms.prepared(_opened(last.get("final")))):
        functions.pop()
        return prepared
    given = next((one for one in (*within, fields.get("if_done")) if one is not None), None)
    return forms.prepared(_opened(given))


def _functions(forms: Forms, value: object) -> list[dict[str, Any]]:
    """A function, or those of a queue, each with its name under ``tool``; at least one."""
    opened = _opened(value)
    queue = opened if isinstance(opened, list) else [opened]
    return [_function(forms, one) for one in queue] or [{"tool": ""}]


def _function(forms: Forms, value: object) -> dict[str, Any]:
    """A function with its name under ``tool`` and its arguments beside it."""
    function = _opened(value)
    if isinstance(function, dict) and function.keys() <= _WRAPPER and "function" in function:
        function = _opened(function["function"])
    if isinstance(function, str):
        return {"tool": forms.spelled(function)}
    if not isinstance(function, dict):
        return {"tool": ""}
    name, given = _name_and_rest(function)
    wrapper = next(iter(given)) if len(given) == 1 else ""
    if wrapper in _ARGUMENT_KEYS:
        arguments = _opened(given[wrapper])
        given = arguments if isinstance(arguments, dict) else {}
    kept = {k: v for k, v in given.items() if v is not None and k != "tool"}
    return {"tool": "" if name is None else forms.spelled(name), **kept}


def _name_and_rest(function: dict[str, Any]) -> tuple[str | None, dict[str, Any]]:
    """The name of a function, None if it has none, and what else its object holds."""
    rest = dict(function)
    key = next((k for k in _NAME_KEYS if isinstance(rest.get(k), str)), None)
    if key is not None:
        return rest.pop(key), rest
    if len(rest) == 1:
        ((name, arguments),) = rest.items()
        return name, {"arguments": arguments}
    return None, rest


def _opened(value: object) -> Any:
    """An object or a list that came as text."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        return json.loads(value, strict=False)
    except (ValueError, RecursionError):
        return value
