"""``scripted/NAME``: a model of canned replies; it is known once this is imported."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable

from core.models.model_call import Message
from core.models.providers import register

_scripts: dict[str, list[str]] = {}
_lock = threading.Lock()


def play(name: str, replies: Iterable[str]) -> str:
    """Set the replies of ``scripted/NAME`` and return that model id."""
    with _lock:
        _scripts[name] = list(replies)
    return f"scripted/{name}"


def left(name: str) -> int:
    """How many replies a script still has."""
    with _lock:
        return len(_scripts.get(name, []))


def names() -> list[str]:
    """The scripts there are."""
    with _lock:
        return list(_scripts)


def reply(model: str, messages: list[Message]) -> str:
    """The next canned reply. Raises LookupError where none is left."""
    with _lock:
        replies = _scripts.get(model)
        if not replies:
            raise LookupError(f"the script {model!r} has no reply left")
        return replies.pop(0)


register("scripted", lambda: sys.modules[__name__])
