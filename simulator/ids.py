"""Ids in the platform's form: a prefix and 22 base58 characters that sort by time."""

import secrets
import threading
import time

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
LENGTH = 22
RANDOM_BITS = 64


class IdMaker:
    """Makes ids such as `tsk-42J5bNhjASnEqKsKyuZYGD`; a later id always sorts behind an earlier."""

    def __init__(self) -> None:
        self._last = 0
        self._lock = threading.Lock()

    def new(self, prefix: str) -> str:
        """A fresh id, `prefix` being `tsk`, `ssn` or `run`."""
        with self._lock:
            # The clock may stand still between two calls, or be set back.
            self._last = max(self._last + 1, time.time_ns())
            moment = self._last
        return f"{prefix}-{_base58(moment << RANDOM_BITS | secrets.randbits(RANDOM_BITS))}"


def _base58(number: int) -> str:
    digits = []
    for _ in range(LENGTH):
        number, digit = divmod(number, len(ALPHABET))
        digits.append(ALPHABET[digit])
    return "".join(reversed(digits))
