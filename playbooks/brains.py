"""The brains of all benchmarks behind one provider: ``playbook/NAME``, models without a key."""

from __future__ import annotations

from models.model_call import Message
from playbooks import around


def names() -> tuple[str, ...]:
    """The brains there are."""
    from playbooks.company import brain as company
    from playbooks.store import brain

    return (*brain.names(), *company.NAMES, around.NAME)


def reply(model: str, messages: list[Message]) -> str:
    """The brain's answer to a prompt.

    Raises:
        LookupError: the prompt is of no role that it plays, or the id names no brain.
    """
    if model == around.NAME:
        return around.reply(messages)
    if model.startswith("company"):
        from playbooks.company import brain as company

        if model in company.NAMES:
            return company.reply(model, messages)
    from playbooks.store import brain

    if model not in brain.names():
        known = ", ".join(f"playbook/{name}" for name in names())
        raise LookupError(f"there is no brain playbook/{model}; there are {known}")
    return brain.reply(model, messages)
