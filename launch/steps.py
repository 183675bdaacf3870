"""The steps that each benchmark brings around the solver, in the order in which they are asked."""

from __future__ import annotations

from coordinator import verify
from coordinator.steps import StepKind

NAMES = ("entities", "guest", "policy", "wording", "verify")
"""Of all benchmarks."""
_VERIFY = StepKind(
    "verify",
    "one call looks at the end of a task and may object once",
    "objects",
    lambda _: verify.Verify(),
    default=False,
    prompt=verify.system,
)


def store() -> tuple[StepKind, ...]:
    """The store tells nobody a message and has no rights: none but the general one."""
    return (_VERIFY,)


def company() -> tuple[StepKind, ...]:
    """Names, guests, rights, then the words of the answer."""
    from company_tools.steps import entities, guest, policy, wording

    return (
        StepKind(
            "entities",
            "names of the task, by rule and by one small call for what is left",
            "before",
            entities.Entities,
            prompt=entities.system,
        ),
        StepKind("guest", "the public playbook for who is not signed in", "before", guest.Guest),
        StepKind(
            "policy",
            "whether the asker may have it: facts and rule lines; a denial closes the task",
            "before",
            policy.Policy,
            prompt=policy.system,
        ),
        StepKind(
            "wording",
            "language, digits, dates, Yes or No of the message",
            "words",
            wording.Wording,
            prompt=wording.system,
        ),
        _VERIFY,
    )
