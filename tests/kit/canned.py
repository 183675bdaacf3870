"""``canned/NAME``: a model of canned replies; it is known once this is imported.

As policy it allows every change for which it has no reply of its own.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable

from core.models.model_call import Message
from core.models.providers import NOTHING_PLAYED, Played, register
from tests.kit.judges import allows, is_judged

_scripts: dict[str, list[str]] = {}
_lock = threading.Lock()
_FORM = "Reply with one JSON object"
_OTHERS = ("THOUGHT", "Thought", '{"current_state"')


def play(name: str, replies: Iterable[str]) -> str:
    """Set the replies of ``canned/NAME`` and return that model id."""
    with _lock:
        _scripts[name] = list(replies)
    return f"canned/{name}"


def left(name: str) -> int:
    """How many replies a script still has."""
    with _lock:
        return len(_scripts.get(name, []))


def check(model: str) -> None:
    """Every name may be a script: one is known when it is played."""


def reply(model: str, messages: list[Message], played: Played = NOTHING_PLAYED) -> str:
    """The next canned reply. Raises LookupError where none is left."""
    is_small = any(_FORM in m["content"] for m in messages if m["role"] == "system")
    with _lock:
        replies = _scripts.get(model)
        if not replies and is_judged(messages):
            return allows(messages)
        if not replies:
            raise LookupError(f"the script {model!r} has no reply left")
        if is_judged(messages) and not replies[0].startswith('{"verdict"'):
            return allows(messages)
        if is_small and replies[0].startswith(_OTHERS):
            raise LookupError("a stage takes no reply that is meant for another role")
        return replies.pop(0)


register("canned", lambda: sys.modules[__name__])
