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
from next_step.forms import PROBLEMS_SHOWN, Forms, explain

_NAME_KEYS = ("tool", "name", "tool_name", "function", "action", "type")
"""Under which of these the name of a function comes, the right one first."""
_QUEUE_KEYS = ("functions", "actions", "next_actions", "calls", "tool_calls", "queue")
"""Under which of these a queue of functions comes, in the place of ``function``."""
_ARGUMENT_KEYS = ("arguments", "args", "parameters", "input", "params")
MOST_PLANNED = 5
EXAMPLE = (
    '{"current_state": "what is known and what is missing", "plan_remaining_steps_brief": '
    '["next", "after that"], "function": {"tool": "name of a function", "argument": "value"}}'
)
"""The form as the prompt shows it."""
_PLACEHOLDERS = frozenset(
    fold(name) for name in ("name of a function", "...", "function", "name", "<name>", "string")
)
"""Keys that models use for the name of a function."""


@dataclass(frozen=True)
class Step:
    """A step as the model asked for it."""

    current_state: str
    function: dict[str, Any]
    """``tool`` first, then the arguments; checked by :meth:`Forms.check` before it is called."""
    prepared: str = ""
    """The final answer that holds if the function takes effect as ordered; "" for none."""
    plan: tuple[str, ...] = ()
    """The steps that are still to be taken."""

    @property
    def call(self) -> str:
        """The function as canonical JSON."""
        return json.dumps(self.function, ensure_ascii=False, separators=(",", ":"))


def read_step(forms: Forms, call: ModelCall) -> Step:
    """Read a reply; prose around it, wrappers, other spellings of keys and names are taken.

    Of a queue of functions or steps it is the first: what comes next depends on its answer.
    A function that does not exist or is used wrongly is taken too: calling it says what is wrong.

    Raises:
        Misread: there is no step in it, in words for the model.
    """
    text = answer_of(call)
    fields = (
        _with_queue(forms, text)
        or find_json(text, ["function"], forms.words)
        or _first_of_steps(forms, text)
    )
    if fields is None:
        raise Misread("it holds no JSON object with the field function, or differing ones")
    filled = _filled(forms, fields)
    prepared = forms.prepared(_opened(filled["function"].pop("if_done", fields.get("if_done"))))
    if fold(filled["function"]["tool"]) in _PLACEHOLDERS:
        raise Misread("it only repeats the form; fill it in with a function and its arguments")
    try:
        forms.step.model_validate(filled)
    except ValidationError as error:
        own = [e for e in explain(error) if not e.startswith(("function.", "function:"))]
        if own:
            raise Misread("; ".join(own[:PROBLEMS_SHOWN])) from None
    return Step(
        current_state=filled["current_state"],
        function=filled["function"],
        prepared=prepared,
        plan=tuple(filled["plan_remaining_steps_brief"]),
    )


def _with_queue(forms: Forms, text: str) -> dict[str, object] | None:
    """The step that holds a queue of functions, with the first of them in its place."""
    for key in _QUEUE_KEYS:
        fields = find_json(text, ["current_state", key], forms.words)
        queue = fields and fields[key]
        if fields and isinstance(queue, list) and queue and "function" not in fields:
            return {**fields, "function": queue}
    return None


def _first_of_steps(forms: Forms, text: str) -> dict[str, object] | None:
    before = text[: text.find("{")].rstrip()
    if not before.endswith("["):
        return None
    try:
        steps, _ = json.JSONDecoder(strict=False).raw_decode(text, len(before) - 1)
    except (ValueError, RecursionError):
        return None
    return find_json(json.dumps(steps[0]), ["function"], forms.words) if steps else None


def _filled(forms: Forms, fields: dict[str, object]) -> dict[str, Any]:
    """The form's own fields, with the whims of models taken out of them."""
    function = _function(forms, fields["function"])
    if fold(function["tool"]) == "nextstep" and "function" in function:
        # The form itself was called, as some providers have it.
        fields, function = function, _function(forms, function["function"])
    plan = fields.get("plan_remaining_steps_brief")
    steps = [plan] if isinstance(plan, str) else plan
    form: dict[str, Any] = {
        "current_state": fields.get("current_state"),
        "plan_remaining_steps_brief": steps[:MOST_PLANNED] if isinstance(steps, list) else steps,
        "function": function,
    }
    return {name: value for name, value in form.items() if value is not None}


def _function(forms: Forms, value: object) -> dict[str, Any]:
    """A function with its name under ``tool`` and its arguments beside it."""
    function = _opened(value)
    if isinstance(function, list):  # of a queue the first; each may be in the wrapper of an API
        function = _opened(function[0]) if function else None
        wrapped = function.get("function") if isinstance(function, dict) else None
        function = wrapped if isinstance(wrapped, dict) else function
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


def _opened(value: object) -> object:
    """An object or a list that came as text."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        opened: object = json.loads(value, strict=False)
    except (ValueError, RecursionError):
        return value
    return opened
