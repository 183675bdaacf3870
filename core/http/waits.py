"""How long is waited: a limit on the clock for any action, and the wish of a server."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from email.utils import parsedate_to_datetime
from typing import TypeVar

T = TypeVar("T")


class TooLate(Exception):
    """The time is up; the call continues, and its result will be discarded."""


def within(seconds: float, action: Callable[[], T]) -> T:
    """Return or raise what ``action`` does, if it finishes in time. Raises TooLate.

    It runs in a daemon thread, which does not keep the process from ending.
    """
    outcome = begin_in_thread(action)
    if not wait([outcome], seconds).done:
        raise TooLate
    return outcome.result()


def begin_in_thread(action: Callable[[], T]) -> Future[T]:
    """Begin ``action`` in a daemon thread; its outcome."""
    outcome: Future[T] = Future()

    def work() -> None:
        try:
            outcome.set_result(action())
        except BaseException as error:
            outcome.set_exception(error)

    threading.Thread(target=work, name="deadline", daemon=True).start()
    return outcome


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds from now given by ``Retry-After``: a number (also in ms), or a date.

    ``headers`` have names in lower case. None without the header or for another form; a number may
    be absurd (``inf``).
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) * unit
        except (KeyError, ValueError):
            continue
        if seconds == seconds:
            return max(seconds, 0.0)
    try:
        return max(parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time(), 0.0)
    except (LookupError, ValueError, TypeError, AttributeError, OverflowError):
        return None  # Python's reader of dates knows all of these ways to refuse one
