"""One limit on the clock for an action that has none of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

T = TypeVar("T")


class TooLate(Exception):
    """The time is up; the call continues, and its result will be discarded."""


def within(seconds: float, action: Callable[[], T]) -> T:
    """Return or raise what ``action`` does, if it finishes in time. Raises TooLate.

    It runs in a daemon thread, which the process does not wait for at its
    process.
    """
    outcome: Future[T] = Future()

    def work() -> None:
        try:
            outcome.set_result(action())
        except BaseException as error:
            outcome.set_exception(error)

    threading.Thread(target=work, name="deadline", daemon=True).start()
    if not wait([outcome], seconds).done:
        raise TooLate
    return outcome.result()
