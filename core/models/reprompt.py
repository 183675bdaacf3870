"""Asks a model for a reply of a known form, and once more if the reply is unusable."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

from core.models.model_call import Message, ModelCall
from core.models.model_client import ModelClient, ModelFailed
from core.models.reply_json import find_json
from core.models.reply_text import Misread, clean, has_thoughts

Read = TypeVar("Read")
BEGINNING = 100
"""Characters of a reply that nobody could read, for the person."""
UNUSABLE = "The last reply could not be used: "
"""Stands in the line that a second prompt adds, before the reason."""
SECOND_TOKENS = 2_000
"""Maximum tokens of a second reply where the model does not think: of 25 second replies of a small
model, 6 ran to the limit of the first ones and took 40 % of its time."""


class Unreadable(Exception):
    """Two replies in a row could not be used: a decision or a step is not to be had."""


def answer_of(call: ModelCall) -> str:
    """The text of a reply without thoughts and marks. Raises Misread: nothing in it counts."""
    return clean(call.text, call.finish_reason, call.reasoning)


def reprompt(
    client: ModelClient,
    messages: Sequence[Message],
    read: Callable[[ModelCall], Read],
    form: str,
    **params: Any,
) -> Read:
    """Ask for a reply and read it; if it is unreadable, send the prompt once more with a line.

    ``form``: one sentence on what a reply has to hold. The bad reply is not quoted and no example
    is given: of 20 second prompts with both, a small model copied from all, and with this line
    alone 13 of its replies could be read.

    Raises:
        Misread: neither the reply nor the second one can be read.
        ModelFailed: the model gave no answer at all.
    """
    call = client.complete(messages, **params)
    try:
        return read(call)
    except Misread as problem:
        line = f"{form} {UNUSABLE}{problem}."
    last = messages[-1]
    again = [*messages[:-1], {**last, "content": f"{last['content']}\n\n{line}"}]
    if not (call.reasoning.strip() or call.usage.reasoning or has_thoughts(call.text)):
        params = {**params, "max_tokens": SECOND_TOKENS}
    call = client.complete(again, **params)
    try:
        return read(call)
    except Misread as problem:
        begins = " ".join(call.text[: 2 * BEGINNING].split())[:BEGINNING]
        said = f'; it said: "{begins}"' if begins else ""
        raise Misread(str(problem), f"{problem.advice}{said}") from None


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
        result = find_json(answer_of(call), keys)
        if result is None:
            raise Misread(f"it holds no JSON object with {', '.join(keys)}, or differing ones")
        return read(result), ""
    except ModelFailed as failed:
        return None, str(failed)
    except Misread as problem:
        return None, f"the reply could not be used: {problem.advice}"
    except (ValueError, TypeError, KeyError) as problem:
        return None, f"the reply could not be used: {problem}"
