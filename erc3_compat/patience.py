"""Which failures of the platform are met with another attempt, and when; the one place for it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final, Literal, TypeVar

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential,
    wait_random,
)

from erc3_compat import switch

T = TypeVar("T")
Trouble = Literal["rate_limit", "no_answer", "refused"]
"""``rate_limit``: turned away unread, so without effect. ``no_answer``: a dropped connection, a
5xx or a text that cannot be read; whether it took effect is unknown. ``refused``: any other 4xx,
which another attempt would meet again."""

ATTEMPTS: Final = 5
PATIENCE_SECONDS: Final = 20.0
"""The pauses of one request add up to this at most; the time in requests comes on top."""
RATE_LIMITED: Final = frozenset({425, 429})
TIMED_OUT: Final = 408
WAIT = wait_exponential(multiplier=0.5, max=8) + wait_random(0, 0.5)
SPREAD = 0.1
"""Part by which asked-for pauses are stretched at random, so that not all come back at once."""


def trouble_of(error: BaseException) -> Trouble | None:
    """The class of a failed call of the platform's client; None for a mistake of the program."""
    if isinstance(error, switch.load().ApiException):
        detail = getattr(error, "api_error", None)
        status = int(getattr(detail, "status", 0) or 0)
        text = str(getattr(detail, "error", "") or error)
        if status in RATE_LIMITED:
            return "rate_limit"
        refused = 400 <= status < 500 and status != TIMED_OUT
        unreadable = text.startswith("Invalid response payload")
        return "refused" if refused and not unreadable else "no_answer"
    return "no_answer" if isinstance(error, (*switch.transport_errors(), OSError)) else None


def retry_after_of(error: BaseException) -> float | None:
    """Seconds that the platform asked to wait, where the client knows of it."""
    known: float | None = getattr(error, "retry_after", None)
    return known


def pause(state: RetryCallState) -> float:
    """Seconds before the next attempt: as asked for, else exponential with jitter."""
    error = state.outcome.exception() if state.outcome else None
    asked = None if error is None else retry_after_of(error)
    return WAIT(state) if asked is None else asked * (1 + random.uniform(0, SPREAD))


def patiently(
    attempt: Callable[[], T], again: Callable[[BaseException], bool], limit: int = ATTEMPTS
) -> T:
    """Attempts at one request, until one is answered.

    The last failure is raised as it is: where ``again`` says no, after ``limit`` attempts, or
    where the pauses would add up to more than :data:`PATIENCE_SECONDS`.
    """
    try:
        # Nearly always enough, and cheaper than the bookkeeping of attempts.
        return attempt()
    except Exception as error:
        if not again(error):
            raise
        failed = [error]

    def next_attempt() -> T:
        if failed:
            raise failed.pop()
        return attempt()

    return _attempts(again, limit)(next_attempt)


def _attempts(again: Callable[[BaseException], bool], limit: int) -> Retrying:
    return Retrying(
        retry=retry_if_exception(again),
        wait=lambda state: pause(state),  # looked up late: tests do not wait
        stop=lambda state: (
            stop_after_attempt(limit)(state)
            or state.idle_for + state.upcoming_sleep > PATIENCE_SECONDS
        ),
        reraise=True,
    )
