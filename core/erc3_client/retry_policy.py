"""Decides which failures of the platform are retried, and when."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Literal, TypeVar

from core.erc3_client import switch
from core.erc3_client.bounds import RETRY_SECONDS, TooMuch

T = TypeVar("T")
Trouble = Literal["rate_limit", "no_answer", "refused"]
"""``rate_limit``: turned away unread, so without effect. ``no_answer``: a dropped connection, a
5xx or an answer that cannot be used; whether it took effect is unknown. ``refused``: any other 4xx
in the platform's own form, which another attempt would meet again."""

RATE_LIMITED: Final = frozenset({425, 429})
TIMED_OUT: Final = 408
FIRST_SECONDS: Final = 0.5
"""The first pause, twice as long after each further attempt; as much at random is added."""
LONGEST_SECONDS: Final = 8.0
SPREAD = 0.1
"""Part by which asked-for pauses are stretched at random, so that not all come back at once."""
ALL_KINDS: Final = ""
HURRY_SECONDS: Final = 10.0
"""The retry time of a run whose user wishes the end: what is under way is still closed."""
SLICE_SECONDS: Final = 1.0
"""A pause looks so often whether it is still wished."""
PAST_SECONDS: Final = 60.0
"""Seconds without a failure after which an outage has ended."""
now, rest = time.monotonic, time.sleep
"""The clock of outages, in seconds, and how to wait on it; looked up late, as tests do not wait."""


def trouble_of(error: BaseException) -> Trouble | None:
    """The class of a failed call of the platform's client; None for a mistake of the program."""
    client = switch.load()
    if isinstance(error, client.ApiException):
        detail = getattr(error, "api_error", None)
        status = int(getattr(detail, "status", 0) or 0)
        if status in RATE_LIMITED:
            return "rate_limit"
        # Of an answer that it could not read our own client has a class, the SDK a code for bodies
        # and no more than a text for answers of another form.
        kind = getattr(switch.load("base"), "UnusableAnswer", None)
        text = str(getattr(detail, "error", "") or error)
        validated = getattr(detail, "code", "") == "validated"
        of_sdk = validated or text.startswith("Invalid response payload")
        is_unusable = of_sdk if kind is None else isinstance(error, kind)
        refused = 400 <= status < 500 and status != TIMED_OUT
        return "refused" if refused and not is_unusable else "no_answer"
    lost = (*switch.transport_errors(), OSError, TooMuch)
    return "no_answer" if isinstance(error, lost) else None


def never_left(error: BaseException) -> bool:
    """Whether a connection was refused: the request that it was for has reached nobody."""
    seen: set[int] = set()
    now_: BaseException | None = error
    while now_ is not None and id(now_) not in seen:
        if isinstance(now_, ConnectionRefusedError):
            return True
        seen.add(id(now_))
        # The SDK's library keeps what was behind a failure in its arguments.
        inner = getattr(now_.args[0] if now_.args else None, "reason", None)
        # What was merely handled before tells nothing of this request, but for a connection that
        # could not be made: httpcore leaves the reason there.
        met = now_.__context__ if type(now_).__name__ == "ConnectError" else None
        now_ = now_.__cause__ or (inner if isinstance(inner, BaseException) else None) or met
    return False


def retry_after_of(error: BaseException) -> float | None:
    """Seconds that the platform asked to wait, where the client knows of it."""
    known: float | None = getattr(error, "retry_after", None)
    return known


def pause(error: BaseException, attempts: int) -> float:
    """Seconds before the next attempt: as asked for, else exponential with jitter."""
    requested = retry_after_of(error)
    if requested is not None:
        return requested * (1 + random.uniform(0, SPREAD))
    doubled = FIRST_SECONDS * 2.0 ** min(attempts - 1, 10)
    return min(doubled, LONGEST_SECONDS) + random.uniform(0, FIRST_SECONDS)


class OutageTracker:
    """Since when requests have had no answer, by kind and altogether; of a task, or of a client."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[float, float]] = {}
        """By kind: start of the first unanswered attempt and end of the last one."""

    def failed(self, kind: str, began: float) -> None:
        """Note an attempt without an answer."""
        for name in (kind, ALL_KINDS):
            first, last = self._known.get(name, (began, began))
            self._known[name] = (began if began - last > PAST_SECONDS else first, now())

    def answered(self, kind: str) -> None:
        """Note an answer, which a refusal is too."""
        for name in (kind, ALL_KINDS):
            self._known.pop(name, None)

    def since(self, kind: str, began: float) -> float:
        """Return the start of the outage to which a request that ``began`` then belongs."""
        known = (self._known.get(name, (began, began)) for name in (kind, ALL_KINDS))
        return min(began, *(first for first, _ in known))


class RetryPolicy:
    """How long an outage is waited for, by every request of a run; used from many threads."""

    def __init__(
        self,
        seconds: float = RETRY_SECONDS,
        waits: Callable[[float], object] | None = None,
        stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        """``waits``: waits so many seconds, or less where a user comes to wish the end.

        ``stopping``: whether the user wants the end; then little time is left.
        """
        self._seconds = seconds
        self._waits = waits
        self._stopping = stopping
        self._here = threading.local()

    @contextmanager
    def within(self, check: Callable[[], None]) -> Iterator[None]:
        """While this lasts, ``check`` is asked in every pause of this thread.

        What it raises, such as a limit of the task that is reached, ends the waiting.
        """
        before, self._here.check = self._check, check
        try:
            yield
        finally:
            self._here.check = before

    def meet(
        self,
        attempt: Callable[[], T],
        again: Callable[[BaseException], bool],
        outages: OutageTracker,
        kind: str,
        limit: int | None = None,
    ) -> T:
        """Attempts at one request, until one is answered; the last failure is raised as it is.

        ``again``: whether a failure passes; ``limit``: how many attempts there are at most.
        """
        patience = Patience(self, outages, kind, limit)
        while True:
            try:
                answer = attempt()
            except Exception as error:
                patience.failed(error, passes=again(error))
            else:
                patience.answered()
                return answer

    @property
    def _check(self) -> Callable[[], None]:
        return getattr(self._here, "check", lambda: None)

    @property
    def seconds(self) -> float:
        """How long an outage is waited for now."""
        return min(self._seconds, HURRY_SECONDS) if self._stopping() else self._seconds

    def pause(self, seconds: float) -> None:
        """Wait. Raises what the check of this thread raises."""
        end = now() + seconds
        while (left := end - now()) > 0:
            self._check()
            wait = rest if self._stopping() or self._waits is None else self._waits
            wait(min(left, SLICE_SECONDS))
        self._check()


class Patience:
    """Counts the attempts at one request and pauses between them.

    The retry time begins with the first attempt of this kind of request that had no answer, so an
    outage is waited for once, and not by each request again.
    """

    def __init__(
        self, policy: RetryPolicy, outages: OutageTracker, kind: str, limit: int | None = None
    ) -> None:
        """``limit``: how many attempts there are at most."""
        self._policy, self._outages, self._kind, self._limit = policy, outages, kind, limit
        self._first = self._began = now()
        self._attempts = 1

    def answered(self) -> None:
        """Note that the attempt was answered."""
        self._outages.answered(self._kind)

    def failed(self, error: Exception, *, passes: bool) -> None:
        """Pause before the next attempt. Raises ``error`` where there is to be none."""
        if not passes:
            self.answered()
            raise error
        self._pause_after(error)

    def _pause_after(self, error: Exception) -> None:
        self._outages.failed(self._kind, self._began)
        left = self._outages.since(self._kind, self._first) + self._policy.seconds - now()
        if left <= 0 or self._attempts == self._limit:
            raise error
        # The last attempt is made when the retry time ends.
        self._policy.pause(min(pause(error, self._attempts), left))
        self._began = now()
        self._attempts += 1
