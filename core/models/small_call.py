"""One small question to a model, whose answer is one JSON object; a bad answer is none."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeVar

from core.models.model_client import ModelClient, ModelFailed
from core.models.reply_json import find_json
from core.models.reply_text import clean
from core.models.reprompt import Misread

Read = TypeVar("Read")


def ask_once(
    door: ModelClient,
    system: str,
    user: str,
    keys: Collection[str],
    read: Callable[[dict[str, object]], Read],
) -> tuple[Read | None, str]:
    """What ``read`` makes of the object with these keys, and "" – or None, and why there is none.

    It is asked once: a reply that is empty, cut off, prose or other JSON is not asked back, and a
    model that does not answer is no answer. What ends the task is raised, as a limit is.
    """
    messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    try:
        call = door.complete(messages)
        cleaned = clean(call.text, call.finish_reason, call.reasoning)
        if cleaned.problem:
            raise Misread(cleaned.words)
        found = find_json(cleaned.text, keys)
        if found is None:
            raise Misread(f"it holds no JSON object with {', '.join(keys)}, or differing ones")
        return read(found), ""
    except ModelFailed as failed:
        return None, str(failed)
    except (Misread, ValueError, TypeError, KeyError) as problem:
        return None, f"the reply could not be used: {problem}"
