"""Time and ids of a platform, such that a call can be repeated with the same ones."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
LENGTH = 22
RANDOM_BITS = 64


class Clock:
    """The machine's time and fresh ids, or those of one call while it is held.

    Ids have the platform's form, a prefix and 22 base58 characters: `tsk-42J5bNhjASnEqKsKyuZYGD`.
    A later id always sorts behind an earlier one.
    """

    def __init__(self) -> None:
        self._last = 0
        self._held: tuple[int, int] | None = None

    def now(self) -> float:
        """Unix seconds."""
        return self._held[0] / 1e9 if self._held else time.time()

    def new(self, prefix: str) -> str:
        """A fresh id, `prefix` being `tsk`, `ssn` or `run`."""
        at, salt = self._held or (time.time_ns(), secrets.randbits(RANDOM_BITS))
        moment = self._next(at)
        drawn = blake2b(f"{salt}-{moment}".encode(), digest_size=RANDOM_BITS // 8).digest()
        number, base58 = moment << RANDOM_BITS | int.from_bytes(drawn), ""
        for _ in range(LENGTH):
            number, digit = divmod(number, len(ALPHABET))
            base58 = ALPHABET[digit] + base58
        return f"{prefix}-{base58}"

    def draw(self) -> tuple[int, int]:
        """Unix nanoseconds, later than every earlier id, and a random number: for one call."""
        return self._next(time.time_ns()), secrets.randbits(RANDOM_BITS - 1)

    @contextmanager
    def held(self, at: int, salt: int) -> Iterator[None]:
        """Within it, time and ids come from these two: the same ones each time they are held."""
        self._last, self._held = max(self._last, at), (at, salt)
        try:
            yield
        finally:
            self._held = None

    def _next(self, moment: int) -> int:
        # The clock may stand still between two calls, or be set back.
        self._last = max(self._last + 1, moment)
        return self._last
