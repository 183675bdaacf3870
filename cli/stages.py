"""The steps that each benchmark brings around the solver, in the order in which they are asked."""

from __future__ import annotations

from functools import partial

from coordinator import verify
from coordinator.stages import StageSpec
from core.models.sections import NONE, Texts

NAMES = ("entities", "guest", "policy", "current_user", "wording", "verify")
"""Of all benchmarks."""


def _verify(texts: Texts) -> StageSpec:
    return StageSpec(
        "verify",
        "one call looks at the end of a task and may object once",
        "objects",
        lambda _: verify.Verify(texts),
        default=False,
        prompt=partial(verify.system, texts),
    )


def store(texts: Texts = NONE) -> tuple[StageSpec, ...]:
    """The store tells nobody a message and has no rights: none but the general one.

    ``texts``: sections over the shipped ones.
    """
    return (_verify(texts),)


def company(texts: Texts = NONE) -> tuple[StageSpec, ...]:
    """Names, guests, rights, then the words of the answer."""
    from company_tools.stages import current_user, entities, guest, policy, wording

    return (
        StageSpec(
            "entities",
            "names of the task, by rule and by one small call for what is left",
            "before",
            partial(entities.Entities, texts=texts),
            prompt=partial(entities.system, texts),
            remember=entities.remember,
        ),
        StageSpec(
            "guest",
            "the public playbook for who is not signed in",
            "before",
            partial(guest.Guest, texts=texts),
        ),
        StageSpec(
            "policy",
            "whether the asker may have it: facts and rule lines; a denial closes the task",
            "before",
            partial(policy.Policy, texts=texts),
            prompt=partial(policy.system, texts),
        ),
        StageSpec(
            "current_user",
            "Ask_Current_User(question): in words, what the user may do and is tied to",
            "tool",
            partial(current_user.CurrentUser, texts=texts),
            default=False,
            prompt=partial(current_user.system, texts),
            tool=partial(current_user.question_tool, texts=texts),
        ),
        StageSpec(
            "wording",
            "language, digits, dates, Yes or No of the message",
            "words",
            partial(wording.Wording, texts=texts),
            prompt=partial(wording.system, texts),
        ),
        _verify(texts),
    )
