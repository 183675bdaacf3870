"""Which failures of a model are met with another attempt, when, and which with another backend."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential,
    wait_random,
)

from models.exchange import ErrorKind, ExchangeFailed

PASSING: Final[frozenset[ErrorKind]] = frozenset(
    {"rate_limit", "overload", "network", "timeout", "bad_answer"}
)
"""Another attempt may not meet them."""
LOST: Final[frozenset[ErrorKind]] = frozenset({"authentication", "quota"})
"""The backend will not answer in this run."""
FINAL: Final[frozenset[ErrorKind]] = frozenset({"bad_request", "context_window", "missing"})
"""Every backend would say the same."""
HINTS: Final[dict[ErrorKind, str]] = {
    "rate_limit": "use fewer --jobs, or give the model a second backend",
    "authentication": "check the provider's key in the environment or .env",
    "quota": "the account has nothing left: top it up, or give the model a second backend",
    "bad_request": "check the model's parameters in the models file",
    "context_window": "the prompt is too long for the model: take one with a larger window",
    "not_found": "check the model id and the base URL",
    "timeout": "raise timeout_seconds or deadline_seconds in the models file",
}
"""What a user can do."""
WAIT = wait_exponential(multiplier=1, max=20) + wait_random(0, 1)
PATIENCE_SECONDS = 5.0
"""A longer pause is not waited for while another backend is well."""
SPREAD = 0.1
"""Part by which asked-for pauses are stretched at random, so that not all come back at once."""


def attempts(
    limit: int,
    seconds_left: Callable[[], float],
    has_other: Callable[[], bool],
    *,
    sleep: Callable[[float], None],
    before_sleep: Callable[[RetryCallState], None],
) -> Retrying:
    """Attempts at one backend: call it with the function that makes one.

    The last failure is raised as it is: where it is not a passing one, after ``limit`` attempts,
    where the pause would last until the deadline, or where another backend is well and the
    pause is long. Errors other than ExchangeFailed are never repeated.
    """

    def is_enough(state: RetryCallState) -> bool:
        pause = state.upcoming_sleep
        return pause >= seconds_left() or (pause > PATIENCE_SECONDS and has_other())

    return Retrying(
        retry=retry_if_exception(lambda e: isinstance(e, ExchangeFailed) and e.kind in PASSING),
        wait=_pause,
        stop=lambda state: stop_after_attempt(limit)(state) or is_enough(state),
        sleep=sleep,
        before_sleep=before_sleep,
        reraise=True,
    )


def _pause(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    asked = error.retry_after if isinstance(error, ExchangeFailed) else None
    return WAIT(state) if asked is None else asked * (1 + random.uniform(0, SPREAD))
