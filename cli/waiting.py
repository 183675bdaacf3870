"""Says that a run waits for the platform, while nothing else would be seen to happen."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from core.erc3_client.retry_policy import RetryPolicy
from core.http.waits import begin_in_thread
from core.terminal.console import say

if TYPE_CHECKING:
    from rich.console import Console

FIRST_SECONDS = 4.0
"""Without an answer for so long, a user begins to wonder; then twice as long each time."""
LOOKS_EVERY = 0.25


@contextmanager
def waiting_told(note: Console, address: str | None, retry_policy: RetryPolicy) -> Iterator[None]:
    """While it lasts, a request without an answer is told after 4 s, 8 s, 16 s and so on.

    ``address``: of the platform; None: it is embedded, and nothing is told.
    """
    if address is None:
        yield
        return
    over = threading.Event()

    def tell() -> None:
        due = FIRST_SECONDS
        while not over.wait(LOOKS_EVERY):
            waited = retry_policy.waited()
            if waited >= due:
                say(note, f"waiting for {address}: no answer for {waited:.0f} s (Ctrl-C ends it)")
                due *= 2
            elif waited < FIRST_SECONDS:
                due = FIRST_SECONDS

    told = begin_in_thread(tell)
    try:
        yield
    finally:
        over.set()
        told.result()
