"""The rule-based models of all benchmarks behind one provider: ``playbook/NAME``."""

from __future__ import annotations

import json

import regex

from core.models.model_call import Message
from core.models.providers import NOTHING_PLAYED, Played

_NAMES = ("store", "next-step", "store-literal", "company", "company-steps", "around")
TASK_CHARS = 1_000
"""Of a task that they read: their patterns are not all linear, and none is longer."""
_ANSWER = regex.compile(r"<answer>\n(.*)\n</answer>", regex.DOTALL)
_SURE_OF_NOTHING: dict[str, dict[str, object]] = {
    "names": {"names": []},
    "verdict": {"verdict": "unclear", "rule": 0, "reason": "no line decides it", "message": ""},
    "ok": {"ok": True},
    "rules": {"rules": []},
}
"""By the first field of the form."""
_FORM = regex.compile(r'^Reply with one JSON object: \{"(\w+)"', regex.MULTILINE)


def names() -> tuple[str, ...]:
    """Return the names of the models; none is loaded for that."""
    return _NAMES


def check(model: str) -> None:
    """Raises LookupError: there is no such model."""
    if model not in _NAMES:
        raise LookupError(f"there is no playbook/{model}")


def reply(model: str, messages: list[Message], played: Played = NOTHING_PLAYED) -> str:
    """Answer a prompt as the model of this name does.

    Raises:
        LookupError: the prompt is of no role that it plays, or there is no such model; or its task
            is longer than they read.
    """
    asked = "\n".join(m["content"] for m in messages if m["role"] == "user")
    _, _, task = asked.partition("<task>\n")
    if len(task.partition("\n</task>")[0]) > TASK_CHARS:
        raise LookupError(f"the task is longer than the {TASK_CHARS:,} characters that are read")
    if model in ("company", "company-steps"):
        from workshop.rule_based.company import model as company

        return company.reply(model, messages)
    if model in ("store", "store-literal", "next-step"):
        from workshop.rule_based.store import model as store

        return store.reply(model, messages)
    if model == "around":
        return _fill_form(messages)
    known = ", ".join(f"playbook/{name}" for name in _NAMES)
    raise LookupError(f"there is no model playbook/{model}; there are {known}")


def _fill_form(messages: list[Message]) -> str:
    """Fill in the form of a stage's prompt so that it changes nothing.

    So stages can be priced, and damaged answers to them be tried (``faulty/around``). Raises
    LookupError: the prompt has no form that is known.
    """
    by_role = {m["role"]: m["content"] for m in messages}
    form = _FORM.search(by_role.get("system", ""))
    field = form[1] if form else ""
    answer = _ANSWER.search(by_role.get("user", ""))
    if field == "answer" and answer:
        return json.dumps({"answer": answer[1]}, ensure_ascii=False)
    if field not in _SURE_OF_NOTHING:
        raise LookupError("the prompt is of no step around a solver")
    return json.dumps(_SURE_OF_NOTHING[field])
