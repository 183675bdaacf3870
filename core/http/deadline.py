"""One limit on the clock for an action that has none of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

T = TypeVar("T")


class TooLate(Exception):
    """The time is over; the call goes on, and its outcome will be thrown away."""


def within(seconds: float, action: Callable[[], T]) -> T:
    """What ``action`` returns or raises, where it does so in time. Raises TooLate.

    It is called in a thread that is left behind, and that nobody waits for at the end of the
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
