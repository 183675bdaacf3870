"""A limit on the clock for calls that have none of their own: they are made in waiting threads."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any

Outcome = tuple[bool, Any]
_Job = tuple[Callable[[], Any], "queue.SimpleQueue[Outcome]"]

# Threads are kept: to start one takes as long as the rest of the door's work.
_idle: list[queue.SimpleQueue[_Job]] = []


class TooLate(Exception):
    """The time is over; the call goes on, and its outcome will be thrown away."""


def within(seconds: float, action: Callable[[], Any]) -> Any:
    """What ``action`` returns or raises, where it does so in time. Raises TooLate."""
    outbox: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
    try:
        inbox = _idle.pop()
    except IndexError:
        inbox = queue.SimpleQueue()
        threading.Thread(target=_work, args=(inbox,), name="model-call", daemon=True).start()
    inbox.put((action, outbox))
    try:
        worked, outcome = outbox.get(timeout=seconds)
    except queue.Empty:
        raise TooLate from None
    if worked:
        return outcome
    raise outcome


def _work(inbox: queue.SimpleQueue[_Job]) -> None:
    while True:
        action, outbox = inbox.get()
        try:
            outcome: Outcome = (True, action())
        except BaseException as error:
            outcome = (False, error)
        del action
        # Free before it is told: whoever is told may ask for the next call at once.
        _idle.append(inbox)
        outbox.put(outcome)
        del outcome, outbox
