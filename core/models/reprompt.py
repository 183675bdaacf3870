"""Asks a model for a reply of a known form, and once more if the reply is unusable."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

from core.models.model_call import Message, ModelCall
from core.models.model_client import ModelClient, ModelFailed
from core.models.reply_json import find_json
from core.models.reply_text import clean, repair

Read = TypeVar("Read")


BEGINNING = 100
"""Characters of a reply that nobody could read, for the user."""


class Misread(ValueError):
    """A reply that cannot be used; the text says why, for the model."""


class Unreadable(Exception):
    """Two replies in a row could not be used: a decision or a step is not to be had."""


def reprompt(
    client: ModelClient,
    messages: Sequence[Message],
    read: Callable[[ModelCall], Read],
    question: Callable[[Misread], str],
    **params: Any,
) -> Read:
    """Ask for a reply and read it; if it is unreadable, ask once more.

    Raises:
        Misread: neither the reply nor the second one can be read.
        ModelFailed: the model gave no answer at all.
    """
    call = client.complete(messages, **params)
    try:
        return read(call)
    except Misread as problem:
        again = repair(messages, call.text, question(problem))
    call = client.complete(again, **params)
    try:
        return read(call)
    except Misread as problem:
        begins = " ".join(call.text[: 2 * BEGINNING].split())[:BEGINNING]
        raise Misread(f'{problem}; it said: "{begins}"' if begins else str(problem)) from None


def ask_once(
    client: ModelClient,
    system: str,
    user: str,
    keys: Collection[str],
    read: Callable[[dict[str, object]], Read],
) -> tuple[Read | None, str]:
    """Return ``read`` of the object with these keys and ""; or None and the reason.

    It asks once: a reply that is empty, cut off, prose or other JSON is not sent back, and a
    model that fails gives None. Exceptions that end the task, such as a limit, are raised.
    """
    messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    try:
        call = client.complete(messages)
        cleaned = clean(call.text, call.finish_reason, call.reasoning)
        if cleaned.problem:
            raise Misread(cleaned.words)
        result = find_json(cleaned.text, keys)
        if result is None:
            raise Misread(f"it holds no JSON object with {', '.join(keys)}, or differing ones")
        return read(result), ""
    except ModelFailed as failed:
        return None, str(failed)
    except (Misread, ValueError, TypeError, KeyError) as problem:
        return None, f"the reply could not be used: {problem}"
