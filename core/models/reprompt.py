"""A model is asked, and asked back once where its reply cannot be used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from core.models.model_call import Message, ModelCall
from core.models.model_client import ModelClient
from core.models.reply_text import repair

Read = TypeVar("Read")


class Misread(ValueError):
    """A reply that cannot be used; the text says why, for the model."""


class Unreadable(Exception):
    """Two replies in a row could not be used: a decision or a step is not to be had."""


def reprompt(
    door: ModelClient,
    messages: Sequence[Message],
    read: Callable[[ModelCall], Read],
    question: Callable[[Misread], str],
    **params: Any,
) -> Read:
    """Ask for a reply and read it; where it cannot be read, once more behind a question.

    Raises:
        Misread: neither the reply nor the second one can be read.
        ModelFailed: the model gave no answer at all.
    """
    call = door.complete(messages, **params)
    try:
        return read(call)
    except Misread as problem:
        again = repair(messages, call.text, question(problem))
    return read(door.complete(again, **params))
