"""The rule-based models of all benchmarks behind one provider: ``playbook/NAME``."""

from __future__ import annotations

from core.models.model_call import Message

_STORE = ("store", "next-step")
_LITERAL = ("store-literal",)
_COMPANY = ("company", "company-steps")
_AROUND = ("around",)
TASK_CHARS = 1_000
"""Of a task that they read: their patterns are not all linear, and none is longer."""


def names() -> tuple[str, ...]:
    """Return the names of the models; none is loaded for that."""
    return _STORE + _LITERAL + _COMPANY + _AROUND


def reply(model: str, messages: list[Message]) -> str:
    """Answer a prompt as the model of this name does.

    Raises:
        LookupError: the prompt is of no role that it plays, or there is no such model; or its task
            is longer than they read.
    """
    asked = "\n".join(m["content"] for m in messages if m["role"] == "user")
    _, _, task = asked.partition("<task>\n")
    if len(task.partition("\n</task>")[0]) > TASK_CHARS:
        raise LookupError(f"the task is longer than the {TASK_CHARS:,} characters that are read")
    if model in _COMPANY:
        from workshop.rule_based.company import model as company

        return company.reply(model, messages)
    if model in _AROUND:
        from workshop.rule_based import around

        return around.reply(messages)
    if model in _LITERAL:
        from workshop.rule_based.store import literal

        return literal.reply(messages)
    if model in _STORE:
        from workshop.rule_based.store import model as store

        return store.reply(model, messages)
    known = ", ".join(f"playbook/{name}" for name in names())
    raise LookupError(f"there is no model playbook/{model}; there are {known}")
